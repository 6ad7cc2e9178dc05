// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/planner/asked_machine.hpp"
#include "core/answers/planner/plan_request.hpp"
#include "core/answers/planner/trained_search.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// How much memory stays free, and why so much.
struct MemoryMargin {
    double share = 0;
    std::string why; ///< one sentence
};

/// The command that starts the best plan.
struct PlannedLaunch {
    std::string tool;    ///< as `launch --for` names it; empty: none fits
    std::string text;    ///< empty: `whyNone`
    std::string whyNone; ///< one sentence
};

/// The answer to a question of one line.
struct PlanAnswer {
    AskedMachine machine;
    std::string objective; ///< "least iteration time"
    MemoryMargin margin;
    LookedAt looked;
    BoxedJson space;                                      ///< the scenario with the `search` whose best plan this is
    BoxedJson splitSpace;                                 ///< of servers the same with prompts and answers on instances of their own; null: was not looked at
    std::vector<PlannedRun> plans;                        ///< the best first
    std::vector<std::optional<double>> probabilityBetter; ///< of the best over each of the others, by measured pairs; nothing: nobody knows
    std::vector<std::string> reasons;
    PlannedLaunch launch;
};

/// How many plans stand beside the best.
inline constexpr std::size_t otherPlans = 2;

/// The best plan for a model on a machine, and others that differ. Nothing, with problems, where model, machine or framework are not known, where
/// the numbers can't be, or where the machine is too small: the problem then names the least that would do.
/// Same request, same bytes, at any number of threads.
std::optional<PlanAnswer> planFor(const PlanRequest& request, const PlannerGround& ground, Problems& problems, const RunControl& control = {});

/// The contract's `orrery-plan/1`.
Json toJson(const PlanAnswer& answer);

} // namespace orrery
