// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/latency_parts.hpp"
#include "core/serving/serving_metrics.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// The cache of keys and values of one instance.
struct CacheReport {
    double bytesPerToken = 0; ///< over all accelerators of the instance
    std::int64_t blocks = 0;
    int blockSize = 0; ///< tokens
};

/// Figures of a served workload, and what they were made of.
struct ServingReport {
    ServingMetrics served;
    LatencyParts ttftParts, tpotParts;              ///< of their means
    double outputTokensPerSecondPerAccelerator = 0; ///< over all accelerators in use
    CacheReport cache;                              ///< of the instances that decode
    std::vector<CacheTierKind> tiers;               ///< below the accelerators' memory, of the instances that take prompts
    LeastTimes least;
    std::optional<double> costPerMillionOutputTokens;
    std::optional<double> energyPerOutputToken;  ///< J, by data-sheet power × the share of time in which steps run
    std::shared_ptr<const RequestList> requests; ///< as they were served; never null in a result
    std::vector<RequestRecord> records;          ///< by request
    std::vector<std::vector<StepRecord>> steps;  ///< by instance
};

} // namespace orrery
