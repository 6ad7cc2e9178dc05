// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/order/serving/fleet.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "core/results/report/latency_parts.hpp"

#include <cstdint>
#include <iosfwd>
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

/// A stretch of a fleet's run.
struct FleetStretch {
    double start = 0, seconds = 0;
    double replicas = 0;                                              ///< that were paid for, mean
    std::int64_t arrived = 0, completed = 0, refused = 0, within = 0; ///< requests that arrived then, and what became of them; `within`: all limits
    double outputTokens = 0;                                          ///< of those completed
};

/// What replicas that come and go made of a load.
struct FleetReport {
    FleetLog log;
    double replicaHours = 0; ///< paid for
    double meanReplicas = 0;
    int mostReplicas = 0;
    std::int64_t full = 0, late = 0;     ///< requests refused: too many waited, they waited too long
    std::optional<double> cost;          ///< of these hours
    std::optional<double> energyKwh;     ///< of steps, as energyPerOutputToken counts
    std::vector<FleetStretch> stretches; ///< equal ones
};

/// Where the time between two output tokens of the whole server goes: of the run's duration, in the mean of instances, over the tokens generated. The parts
/// sum to one over the rate. s.
struct RateParts {
    double idle = 0;     ///< no step runs
    double prompts = 0;  ///< steps that work on prompts, decodes beside them included
    LatencyParts decode; ///< steps of decodes alone, as a mean one spends its time

    double total() const { return idle + prompts + decode.total(); }
};

/// Figures of a served workload, and what they were made of.
struct ServingReport {
    ServingMetrics served;
    LatencyParts ttftParts, tpotParts;              ///< of their means
    std::optional<RateParts> rate;                  ///< nothing: no output token, or no step is kept
    double outputTokensPerSecondPerAccelerator = 0; ///< over all accelerators in use
    CacheReport cache;                              ///< of the instances that decode
    std::vector<CacheTierKind> tiers;               ///< below the accelerators' memory, of the instances that take prompts
    LeastTimes least;
    std::optional<double> costPerMillionOutputTokens;
    std::optional<double> energyPerOutputToken;  ///< J, by data-sheet power × the share of time in which steps run
    std::optional<FleetReport> fleet;            ///< of a fleet
    std::shared_ptr<const RequestList> requests; ///< as they were served; never null in a result
    std::vector<RequestRecord> records;          ///< by request
    std::vector<std::vector<StepRecord>> steps;  ///< by instance
};

/// Comma-separated values with a heading: a row a request in the order of arrival, times in s, empty where it never came to that.
void writeRequestTable(const ServingReport& report, std::ostream& out);

/// What a result says of how requests were served.
Json toJson(const ServingReport& report);

} // namespace orrery
