// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/search/plan_survey.hpp"
#include "core/answers/search/search.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {

/// Whether an estimate can say that a plan keeps to all of these.
bool mayBeEstimated(const std::vector<Constraint>& constraints);

/// What estimates say of a search's front: which of the plans that nobody simulated lie on it. Floors spare most of them their estimate.
class EstimatedFront {
public:
    /// Estimates plans in full and leaves out those that can't fit, as PlanSurvey does.
    using Estimating = std::function<std::vector<Candidate>(const std::vector<Candidate>&, PrunedCounts&)>;
    using Families = std::map<std::size_t, FamilyFigures>;

    /// All of these outlive this.
    EstimatedFront(const SearchQuestion& question, Estimating estimate, const Families& families) : question_(question), estimate_(std::move(estimate)), families_(families) {}

    /// Those of the candidates that fit and keep to every constraint by their estimate, and that neither another of them nor a simulated plan
    /// dominates; by objective, then second objective, then index.
    std::vector<FoundPlan> of(std::vector<Candidate> candidates, const std::vector<Costs>& simulated);

private:
    std::optional<double> figure(const Candidate& candidate, const Measure& measure, double time, double peak) const;
    std::optional<Costs> costs(const Candidate& candidate, double time, double peak) const;
    bool isFeasible(const Candidate& candidate) const;
    FoundPlan planOf(const Candidate& candidate) const;

    const SearchQuestion& question_;
    Estimating estimate_;
    const Families& families_;
};

} // namespace orrery
