// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/estimate/estimated_plan.hpp"
#include "core/search/estimated_range.hpp"
#include "core/search/front.hpp"
#include "core/search/pruned_counts.hpp"
#include "core/search/search_question.hpp"

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace orrery {

/// A combination that is a scenario.
struct Candidate {
    std::size_t index = 0;               ///< into the space
    std::size_t family = 0;              ///< of those that differ in nothing but the plan
    std::optional<PlanRange> range;      ///< nothing: estimates say nothing of it
    bool canBeEstimated = false;         ///< and was not yet: `range` is at most its floor's
    std::optional<double> estimatedTime; ///< s
    Costs least{-unbounded, -unbounded}; ///< no simulation gives less

    static constexpr double unbounded = std::numeric_limits<double>::infinity();
};

/// Reads the combinations of a space and says what estimates know of them: of all of them the floor, of some the estimate. Every thread has
/// estimators of its own; what they say does not depend on what else they were asked.
class PlanSurvey {
public:
    /// All of these outlive this.
    PlanSurvey(const Trials& trials, const SweepQuestion& space, const RunControl& control, bool estimates);

    /// The combinations that are scenarios and may fit the memory, by index; the others are counted.
    std::vector<Candidate> all(PrunedCounts& pruned);
    /// Estimates these in full. Those that can't fit are counted and left out.
    std::vector<Candidate> estimated(const std::vector<Candidate>& candidates, PrunedCounts& pruned);

private:
    /// One thread's estimators, by family.
    using Estimators = std::map<std::size_t, PlanEstimates>;

    std::size_t familyOf(std::size_t index) const;
    PlanEstimates& estimatesOf(std::size_t slot, std::size_t family);
    void survey(std::size_t slot, std::size_t index, std::vector<Candidate>& candidates, PrunedCounts& pruned);
    bool estimate(std::size_t slot, Candidate& candidate, PrunedCounts& pruned);
    template <typename Work> void inBlocks(std::size_t count, std::size_t block, Work work);

    const Trials& trials_;
    const SweepQuestion& space_;
    const RunControl& control_;
    bool estimates_;
    std::vector<Estimators> slots_; ///< by thread
};

} // namespace orrery
