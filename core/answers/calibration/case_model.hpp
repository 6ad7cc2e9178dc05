// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/validation/cases.hpp"
#include "core/base/run_control.hpp"
#include "core/catalog/fitted_constants.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/estimate/estimator.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// A measured run as a fit sees it: the scenario, how long an iteration took and which group it belongs to, which counts for weights
/// and for what is left out, and for nothing else. It knows no id, source or name.
///
/// Its time under other constants is that of the estimate (core/training/estimate), times what the event simulation made of it once.
class CaseModel {
public:
    /// `scenario` was read with `plain`, the catalogue without fitted constants; its recomputation is settled. `measured` in s.
    CaseModel(Scenario scenario, const Catalog& plain, double measured, std::string group);

    const std::string& group() const { return group_; }
    const std::string& accelerator() const { return machine_.accelerator; }
    const std::string& profile() const { return profile_.id; }
    const KernelConstants& plainMachine() const { return machine_; }
    const FrameworkProfile& plainProfile() const { return profile_; }
    double measured() const { return measured_; }

    /// Whether a constant can have any effect: it is neither stated by the scenario nor of something that does not happen.
    bool feels(const FittedConstant<KernelConstants>& constant) const;
    bool feels(const FittedConstant<FrameworkProfile>& constant) const;

    /// The scenario as if it had been read with this calibration, then with `held`: constants by name, whatever is fitted or stated.
    Scenario scenario(const Calibration& calibration, const ConstantValues& held = {}) const;
    /// s an iteration under it. Not for two threads at once.
    double seconds(const Calibration& calibration, const ConstantValues& held = {});

    /// Sets what estimates are multiplied by so that they agree with a simulated time under this calibration.
    void agreeWith(double simulated, const Calibration& calibration, const ConstantValues& held = {});
    double correction() const { return correction_; }

private:
    struct Constants {
        KernelConstants machine;
        FrameworkProfile profile;
    };
    Constants constants(const Calibration& calibration, const ConstantValues& held) const;

    Scenario scenario_;
    KernelConstants machine_;
    FrameworkProfile profile_;
    double measured_ = 0;
    std::string group_;
    double correction_ = 1;
    std::unique_ptr<Estimator> estimator_; ///< made when first asked for
};

/// Whether a metric says how long an iteration took.
bool isMeasuredIteration(const std::string& metric);

/// What an iteration took where the case says so, s: as a time or as a rate of tokens.
std::optional<double> measuredIteration(const MeasuredCase& measured, const Scenario& scenario);

/// Makes estimates agree with the event simulation under these constants, where they are more than a tenth of a percent apart. A case
/// whose simulation fails keeps its estimate.
void agreeWithSimulation(std::vector<CaseModel>& cases, const Calibration& calibration, const ConstantValues& held, const RunControl& control);

/// The cases with a measured iteration that Orrery can run, in their order; automatic recomputation is settled. One that fails is left
/// out, whatever happens to it. Their estimates are not yet made to agree with simulations.
std::vector<CaseModel> makeCaseModels(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile,
                                      const RunControl& control);

} // namespace orrery
