// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/plan/iteration.hpp"

#include <vector>

namespace orrery {

/// By link of the fabric: whether it is in the set.
using LinkSet = std::vector<bool>;

/// Whether collectives of tensor groups meet other traffic of the iteration, or a second job's, on any link. Where they don't,
/// what they take alone is what they take. Not looked for when matrix products and collectives run in chunks at once
/// (`overlap.tensor`): these stay one piece, timed alone.
bool tensorMeetsOtherTraffic(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic);

/// Links that a program's transfers cross, and those that other traffic of the fabric crosses all the time.
LinkSet linksOfTransfers(const TrafficProgram& program, JobTraffic& traffic);

/// Links that the tensor and context groups' collectives in its segments cross; none where they stay one piece with their products.
LinkSet linksOfSegments(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic);

/// Whether any link is in both sets.
bool meet(const LinkSet& one, const LinkSet& other);

} // namespace orrery
