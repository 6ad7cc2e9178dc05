// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan/iteration.hpp"

namespace orrery {

/// Whether collectives of tensor groups meet other traffic of the iteration, or a second job's, on any link. Where they don't,
/// what they take alone is what they take. Not looked for when matrix products and collectives run in chunks at once
/// (`overlap.tensor`): these stay one piece, timed alone.
bool tensorMeetsOtherTraffic(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic);

} // namespace orrery
