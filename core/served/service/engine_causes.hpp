// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "core/served/service/latency_parts.hpp"
#include "core/served/service/waiting_limits.hpp"

#include <vector>

namespace orrery {

/// A mean latency by part, and the cache that its requests wait for. Without requests there is no such cache.
struct ExplainedLatency {
    LatencyParts parts;
    FullCache cache{};
};

/// Why the first token, and then each token after it, takes as long as it does: the parts of at least half a percent, figure by figure, largest
/// first, with what to try.
std::vector<Cause> engineCauses(const Scenario& scenario, const ExplainedLatency& ttft, const ExplainedLatency& tpot);

/// Each job beside: what its iteration takes and what it takes alone, which links it shares, and the scenario without it to try.
std::vector<Cause> besideCauses(const std::vector<BesideReport>& jobs);

} // namespace orrery
