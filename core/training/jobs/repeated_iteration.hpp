// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/jobs/joint_run.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// A training job that runs iteration after iteration on links that it shares.
class RepeatedIteration {
public:
    /// The first iteration begins at 0. Fabric and share live as long as this.
    RepeatedIteration(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric, SharedLinks::Share& share);

    const Problems& problems() const { return job_.problems; }
    /// By link of the fabric: whether the job sends anything over it.
    LinkSet links(std::size_t all) const;
    /// s; infinity: no iteration runs.
    double nextEvent() { return run_ ? run_->nextEvent() : never_; }
    /// Does what happens at nextEvent(). Where an iteration ends then, another begins if `goesOn`.
    void advance(bool goesOn);
    /// s of each iteration that has ended.
    const std::vector<double>& times() const { return times_; }

private:
    static const double never_;
    JobProgram job_;
    SharedLinks::Share& share_;
    std::optional<ProgramRun> run_;
    double began_ = 0;
    std::vector<double> times_;
};

/// What one iteration takes with all links to itself, but for the traffic that the drawing states; s.
double aloneIteration(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric);

} // namespace orrery
