// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/results/report/load_curve.hpp"
#include "core/served/service/engine_pool.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// A scenario's engine under other loads than its own. What does not depend on the load is worked out once. For one thread at a time.
class LoadRun {
public:
    /// The scenario outlives this; its workload is served requests.
    explicit LoadRun(const Scenario& scenario);

    /// Nothing where the scenario has no load to vary, or no room for a cache.
    const std::optional<OfferedLoad>& present() const { return present_; }
    const ServiceLevel& level() const { return workload_.slo; }
    /// The figures that the scenario has with this load. Nothing: stopped, or it can't run.
    std::optional<LoadPoint> at(double load, const RunControl& control = {}) const;
    /// Loads from a tenth of what the engine can do to some way beyond, rising, the scenario's own among them. What it can do is seen
    /// with all requests there at once. Nothing: stopped, or no request is served.
    std::optional<std::vector<double>> loadsToTry(const RunControl& control = {}) const;

private:
    struct Served;
    std::optional<Served> serve(const ServingWorkload& workload, const RunControl& control) const;

    const Scenario& scenario_;
    const ServingWorkload& workload_;
    std::vector<EnginePool> pools_;
    std::optional<OfferedLoad> present_;
};

/// Which loads a curve is made of: those given, then some between the last that is well and the first that is not.
class LoadSweep {
public:
    LoadSweep(OfferedLoad present, const ServiceLevel& level, std::vector<double> loads);

    std::optional<double> next() const; ///< nothing: the curve is complete
    void add(LoadPoint point);          ///< of the load that was next
    const LoadCurve& curve() const { return curve_; }
    double share() const; ///< done of the loads given

private:
    std::optional<double> between() const;

    std::vector<double> loads_;
    std::size_t given_ = 0; ///< of `loads_`, already in the curve
    LoadCurve curve_;
};

/// A whole curve. Nothing: stopped, or there is no load to vary.
std::optional<LoadCurve> loadCurve(const LoadRun& run, const RunControl& control = {});

} // namespace orrery
