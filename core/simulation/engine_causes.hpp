// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/result.hpp"
#include "core/simulation/latency_parts.hpp"

#include <vector>

namespace orrery {

/// Why the first token, and then each token after it, takes as long as it does: the parts of at least half a percent, figure by figure, largest
/// first, with what to try.
std::vector<Cause> engineCauses(const Scenario& scenario, const LatencyParts& ttft, const LatencyParts& tpot);

} // namespace orrery
