// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/estimated_front.hpp"

#include "core/answers/search/front.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

/// Plans that are estimated before the next look at what is left.
constexpr std::size_t estimatedAtATime = 64;

struct Placed {
    Costs costs;
    Candidate candidate;
    bool operator<(const Placed& other) const { return std::tie(costs.first, costs.second, candidate.index) < std::tie(other.costs.first, other.costs.second, other.candidate.index); }
};

} // namespace

bool mayBeEstimated(const std::vector<Constraint>& constraints) {
    return std::all_of(constraints.begin(), constraints.end(), [](const Constraint& constraint) { return FamilyFigures::areOf(constraint.measure.pointer); });
}

/// Of a plan that takes exactly so long and so much.
std::optional<double> EstimatedFront::figure(const Candidate& candidate, const Measure& measure, double time, double peak) const {
    const auto family = families_.find(candidate.family);
    static const FamilyFigures unknown;
    const auto range = (family == families_.end() ? unknown : family->second).rangeOf(measure.pointer, {{time, time}, {peak, peak}});
    return range ? std::optional(range->low) : std::nullopt;
}

std::optional<Costs> EstimatedFront::costs(const Candidate& candidate, double time, double peak) const {
    const auto first = figure(candidate, question_.objective.measure, time, peak), second = figure(candidate, question_.second.measure, time, peak);
    if (!first || !second) return std::nullopt;
    return Costs{question_.objective.cost(*first), question_.second.cost(*second)};
}

bool EstimatedFront::isFeasible(const Candidate& candidate) const {
    return candidate.estimatedTime && candidate.isEstimatedToFit && std::all_of(question_.constraints.begin(), question_.constraints.end(), [&](const Constraint& constraint) {
               const auto is = figure(candidate, constraint.measure, *candidate.estimatedTime, candidate.estimatedPeak);
               return is && constraint.holds(*is);
           });
}

FoundPlan EstimatedFront::planOf(const Candidate& candidate) const {
    FoundPlan plan{candidate.index, {}};
    plan.point.fits = true;
    for (const Measure& measure : question_.space.measures) {
        const auto is = figure(candidate, measure, *candidate.estimatedTime, candidate.estimatedPeak);
        plan.point.metrics.emplace_back(is ? Json(*is) : Json());
    }
    return plan;
}

std::vector<FoundPlan> EstimatedFront::of(std::vector<Candidate> candidates, const std::vector<Costs>& simulated) {
    GrowingFront front;
    for (const Costs& plan : simulated) front.add(plan);
    std::vector<Placed> open, estimated;
    for (Candidate& candidate : candidates) {
        const bool known = candidate.estimatedTime.has_value();
        const auto least = costs(candidate, known ? *candidate.estimatedTime : candidate.floor.iterationTime, known ? candidate.estimatedPeak : candidate.floor.devicePeak);
        if (!least || (!known && !candidate.canBeEstimated)) continue;
        if (!known) {
            open.push_back({*least, std::move(candidate)});
        } else if (isFeasible(candidate)) {
            front.add(*least);
            estimated.push_back({*least, std::move(candidate)});
        }
    }
    std::sort(open.begin(), open.end());
    for (auto next = open.begin(); next != open.end();) {
        std::vector<Candidate> asked;
        for (; next != open.end() && asked.size() < estimatedAtATime; ++next)
            if (!front.covers(next->costs)) asked.push_back(next->candidate);
        PrunedCounts counted; // they were counted when they fell
        for (Candidate& candidate : estimate_(asked, counted)) {
            if (!isFeasible(candidate)) continue;
            const auto is = costs(candidate, *candidate.estimatedTime, candidate.estimatedPeak);
            if (front.covers(*is)) continue;
            front.add(*is);
            estimated.push_back({*is, std::move(candidate)});
        }
    }
    std::sort(estimated.begin(), estimated.end());
    std::vector<FoundPlan> plans;
    GrowingFront listed;
    for (const Costs& plan : simulated) listed.add(plan);
    for (const Placed& placed : estimated) {
        if (listed.covers(placed.costs)) continue;
        listed.add(placed.costs);
        plans.push_back(planOf(placed.candidate));
    }
    return plans;
}

} // namespace orrery
