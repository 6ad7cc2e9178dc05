// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/requests/request.hpp"
#include "core/order/serving/run_log.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

struct ServingOutcome; // serving_run.hpp

/// Mean and percentiles of many values; all 0 where `count` is. Percentiles are linear between the values in order (numpy's default).
struct Distribution {
    double mean = 0, p50 = 0, p90 = 0, p95 = 0, p99 = 0;
    std::int64_t count = 0; ///< of the values
};
Distribution distributionOf(std::vector<double> values);
/// The same of values that occur several times each.
Distribution distributionOf(std::vector<TokenGap> gaps);

/// Seconds between a request's first and last token by the tokens after the first; nothing where there is no such token.
std::optional<double> tpotOf(const Request& request, const RequestRecord& record);

/// Limits within which a request was served well, s; nothing: no limit.
struct ServiceLimits {
    std::optional<double> ttft, tpot, e2e;
    bool any() const { return ttft || tpot || e2e; }
};

/// Whether a completed request kept all limits.
bool isWithin(const Request& request, const RequestRecord& record, const ServiceLimits& limits);

/// Mean over the completed requests, s; the parts sum to the mean of e2e.
struct ServingBreakdown {
    double frontEnd = 0, encode = 0, queue = 0, prefill = 0, decode = 0, preempted = 0, kvTransfer = 0;
};

/// The figures of a served workload, of the completed requests unless said otherwise.
struct ServingMetrics {
    std::int64_t count = 0, completed = 0, rejected = 0;
    double duration = 0;              ///< s from the first arrival to the last token
    double outputTokensPerSecond = 0; ///< over that duration
    double totalTokensPerSecond = 0;  ///< prompts as well
    Distribution ttft;                ///< s from arrival to the first token
    Distribution tpot;                ///< s: from the first to the last token, by the tokens after the first; requests of one token have none
    Distribution itl;                 ///< s between moments at which a request's tokens come out
    Distribution e2e;                 ///< s from arrival to the last token
    Distribution queue;               ///< s waiting for a place, not after preemptions
    std::int64_t preemptions = 0;
    double kvCacheUtilisation = 0;                        ///< share of the blocks in use, mean over the time of steps
    double prefixHitRate = 0;                             ///< share of the prompts' tokens found in a cache when the request was admitted, its tiers included
    std::array<double, cacheTierKindCount> tierHitRate{}; ///< of that, what was found in tiers of each kind
    std::optional<double> goodput;                        ///< requests/s within all limits
    ServingBreakdown breakdown;
};

ServingMetrics metricsOf(const RequestList& requests, const ServingOutcome& outcome, const ServiceLimits& limits = {});
/// The same with the log's gaps given away: of a million requests they are hundreds of megabytes.
ServingMetrics metricsOf(const RequestList& requests, const ServingOutcome& outcome, std::vector<TokenGap> gaps, const ServiceLimits& limits);

/// Where no completed request keeps all limits: those that the one that comes nearest keeps, by the limit that it misses by the largest factor.
/// Each is at least the one given. Nothing where some request keeps them, where none is completed or nothing is limited.
std::optional<ServiceLimits> nearestLimits(const RequestList& requests, const std::vector<RequestRecord>& records, const ServiceLimits& limits);

} // namespace orrery
