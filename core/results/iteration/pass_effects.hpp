// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/pass_effects.hpp"

#include <vector>

namespace orrery {

/// What every plan pass adds to the plan, in their order. Builds graphs and the iteration (nothing is timed on the network nor run),
/// so it is asked for, never part of a simulation. Where recomputation is `auto`, nothing counts as recomputed; a result's
/// scenario says what was chosen.
std::vector<PassEffect> passEffects(const Scenario& scenario);

} // namespace orrery
