// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/planner/trained_search.hpp"

namespace orrery {

/// The engines of a space that serve most tokens a second and accelerator within its constraints, then others that lie on accelerators in another way, each
/// the best of its layout. More instances, or fewer users, never break a limit that fewer, or more, keep: so of each layout and each set of limits just the
/// bisection of that axis is simulated. `space`: the scenario with its search.
FoundPlans servedPlans(const Trials& trials, const SearchQuestion& question, std::size_t others, const PlannerGround& ground, const RunControl& control);

} // namespace orrery
