// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "core/training/job_traffic/slow_cells.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/plan/jitter_shape.hpp"

namespace orrery {

/// How much of an iteration without jitter computes, and how much of it waits for transfers that nothing hides, s.
struct JitterBase {
    double iteration = 0;
    double data = 0, pipeline = 0; ///< exposed
};

/// How long the scenario's iteration is with jitter, in what spread, and on how many ranks (core/engine).
class JitterAccount {
public:
    /// Accounts for an iteration that was run without jitter. `slow`: what named stragglers make of its cells.
    JitterAccount(const Scenario& scenario, const RankWork& work, const JitterBase& base, std::vector<SlowCells> slow);

    /// What a program is shown with: the expected slowest (analytic), or the first draw (sampled).
    StepStretch stretch(JitterMethod method) const;
    /// `shown` is the iteration with the analytic `stretch`, s: what it says is hidden behind other work holds for drawn iterations too.
    JitterReport report(double shown) const;

private:
    struct Spread {
        FactorSpread with, withoutHosts;
    };
    int draws(int ifSampled) const; ///< 0: closed form
    FactorSpread spreadOf(const ReplicaShape& shape, const HostFactors& hosts, const TeamPlaces& places, int draws) const;
    Spread spreadOf(const JitterShape& shape, int draws) const;
    double transferStretch(RankGroup group, int data) const;
    double transferSeconds(int data) const;
    JitterPoint point(const Spread& spread, int ranks, int data, double scale) const;

    const Scenario& scenario_;
    const RankWork& work_;
    JitterBase base_;
    std::vector<SlowCells> slow_;
    JitterShape shape_;
    std::vector<double> secondsOf_; ///< by `slow_`: of a pipeline of such cells without jitter
    Spread spread_;
};

} // namespace orrery
