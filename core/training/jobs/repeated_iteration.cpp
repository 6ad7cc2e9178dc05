// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/jobs/repeated_iteration.hpp"

#include "core/training/job_traffic/fabric_traffic.hpp"

#include <limits>
#include <utility>

namespace orrery {

const double RepeatedIteration::never_ = std::numeric_limits<double>::infinity();

RepeatedIteration::RepeatedIteration(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric, SharedLinks::Share& share) : job_(programOf(job, fabric)), share_(share) {
    if (!job_.problems.empty()) return;
    for (const Transfer& transfer : job_.transfers) share_.add(transfer);
    run_.emplace(job_.program, 0.0, &share_);
}

LinkSet RepeatedIteration::links(std::size_t all) const {
    LinkSet crossed(all, false);
    for (const Transfer& transfer : job_.transfers)
        for (const PatternPhase& phase : transfer.pattern->phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& use : flows.uses) crossed[use.link] = true;
    return crossed;
}

void RepeatedIteration::advance(bool goesOn) {
    const double now = run_->nextEvent();
    run_->advance();
    if (run_->nextEvent() < never_) return;
    static_cast<void>(run_->times()); // throws where tasks wait for each other
    times_.push_back(now - began_);
    began_ = now;
    run_.reset();
    if (goesOn) run_.emplace(job_.program, now, &share_);
}

double aloneIteration(const PlacedJob& job, const std::shared_ptr<RoutedFabric>& fabric) {
    SharedLinks links(fabric->capacities(), backgroundTraffic(*fabric));
    RepeatedIteration iteration(job, fabric, links.join());
    while (iteration.problems().empty() && iteration.times().empty()) iteration.advance(false);
    return iteration.times().empty() ? 0 : iteration.times().front();
}

} // namespace orrery
