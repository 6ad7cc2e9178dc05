// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/planner/asked_machine.hpp"
#include "core/answers/planner/trained_search.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// Accelerators beyond which a split is no better than plans that are known: what the largest of them takes; the machine's, where there is none.
int mostAccelerators(const std::vector<PlannedRun>& plans, const AskedMachine& machine);

/// Prompts and answers on instances of their own: a scenario with a `search` over how many there are of each, laid out and limited as in some served plans
/// (where there is none, in every way of `space` that leaves room for two instances), so many that none takes more accelerators than the last of
/// the plans. `space`: theirs. Nothing where that leaves no two instances.
std::optional<Json> splitSpace(const Json& space, const std::vector<PlannedRun>& plans, const AskedMachine& machine);

/// The split plan that serves most tokens a second and accelerator within the constraints of a `splitSpace`: more instances of either kind never break a
/// limit that fewer keep, so a staircase between what holds and what does not is simulated. `most`: accelerators that a split may take. `looked` counts what was simulated. Nothing where no split holds.
std::optional<PlannedRun> bestSplit(const Json& space, const PlannerGround& ground, int most, LookedAt& looked, const RunControl& control);

/// The engines of a space that serve most tokens a second and accelerator within its constraints, then others that lie on accelerators in another way, each
/// the best of its layout. More instances, or fewer users, never break a limit that fewer, or more, keep: so of each layout and each set of limits just the
/// bisection of that axis is simulated. `space`: the scenario with its search.
FoundPlans servedPlans(const Trials& trials, const SearchQuestion& question, std::size_t others, const PlannerGround& ground, const RunControl& control);

} // namespace orrery
