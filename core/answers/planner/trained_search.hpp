// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/trials.hpp"
#include "core/answers/planner/planned_run.hpp"
#include "core/answers/search/search_question.hpp"

#include <cstddef>
#include <vector>

namespace orrery {

/// What a search for plans looked at.
struct LookedAt {
    double combinations = 0;   ///< of all axes, those that are no plan included
    std::size_t legal = 0;     ///< plans that break no rule and may fit
    std::size_t estimated = 0; ///< in full, beyond a floor; of servers: simulated
    std::size_t simulated = 0; ///< whole, event by event
    double leastPeak = 0;      ///< bytes, of all that was estimated; 0: nothing was
};

struct FoundPlans {
    std::vector<PlannedRun> plans; ///< the best first, then others whose degrees differ
    LookedAt looked;
};

/// The fastest training plan of a space whose peak keeps to the constraint, and `others` that split the model in other ways: each the fastest of its split. Every
/// plan has a floor of its time; those with the lowest are estimated until no floor is left below what was found, and what lies within
/// the estimates' noise of the best is simulated. The answer does not depend on `control.threads`.
FoundPlans trainedPlans(const Trials& trials, const SearchQuestion& question, double memoryLimit, std::size_t others, const PlannerGround& ground, const RunControl& control);

} // namespace orrery
