// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/serving_metrics.hpp"
#include "core/order/serving/serving_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace orrery {
namespace {

/// `at(i)` is the i-th value in order, from 0.
template <typename At>
double percentile(std::int64_t count, double share, At at) {
    const double place = share * static_cast<double>(count - 1);
    const auto below = static_cast<std::int64_t>(std::floor(place));
    const double low = at(below);
    if (below + 1 >= count) return low;
    return low + (place - static_cast<double>(below)) * (at(below + 1) - low);
}

template <typename At>
Distribution distributionBy(std::int64_t count, double sum, At at) {
    if (count == 0) return {};
    return {sum / static_cast<double>(count), percentile(count, 0.5, at), percentile(count, 0.9, at), percentile(count, 0.95, at), percentile(count, 0.99, at), count};
}

} // namespace

std::optional<double> tpotOf(const Request& request, const RequestRecord& record) {
    if (!record.isCompleted() || request.output <= 1) return std::nullopt;
    return (record.finish - record.firstToken) / (request.output - 1);
}

Distribution distributionOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += value;
    return distributionBy(static_cast<std::int64_t>(values.size()), sum, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
}

Distribution distributionOf(std::vector<TokenGap> gaps) {
    std::sort(gaps.begin(), gaps.end(), [](const TokenGap& a, const TokenGap& b) { return a.seconds < b.seconds; });
    // The sum must not depend on how equal gaps were gathered.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        if (kept > 0 && gaps[kept - 1].seconds == gaps[i].seconds) gaps[kept - 1].count += gaps[i].count;
        else gaps[kept++] = gaps[i];
    }
    gaps.resize(kept);
    double sum = 0;
    std::int64_t count = 0;
    for (TokenGap& gap : gaps) {
        sum += gap.seconds * static_cast<double>(gap.count);
        gap.count = count += gap.count; // from here on: values up to and with this gap
    }
    return distributionBy(count, sum, [&](std::int64_t i) {
        return std::upper_bound(gaps.begin(), gaps.end(), i, [](std::int64_t at, const TokenGap& gap) { return at < gap.count; })->seconds;
    });
}

bool isWithin(const Request& request, const RequestRecord& record, const ServiceLimits& limits) {
    return (!limits.ttft || record.firstToken - record.arrival <= *limits.ttft) && (!limits.e2e || record.finish - record.arrival <= *limits.e2e) &&
           (!limits.tpot || tpotOf(request, record).value_or(0) <= *limits.tpot);
}

ServingMetrics metricsOf(const RequestList& requests, const ServingOutcome& outcome, const ServiceLimits& limits) {
    return metricsOf(requests, outcome, outcome.log.gaps, limits);
}

ServingMetrics metricsOf(const RequestList& requests, const ServingOutcome& outcome, std::vector<TokenGap> gaps, const ServiceLimits& limits) {
    ServingMetrics metrics;
    metrics.itl = distributionOf(std::move(gaps));
    std::vector<double> ttft, tpot, e2e, queue;
    double outputs = 0, inputs = 0, cached = 0, admittedInputs = 0, good = 0, last = 0, first = 0;
    ServingBreakdown sum;
    std::array<double, cacheTierKindCount> fromTiers{};
    metrics.count = static_cast<std::int64_t>(outcome.log.records.size());
    for (std::size_t i = 0; i < outcome.log.records.size(); ++i) {
        const RequestRecord& record = outcome.log.records[i];
        const Request& request = requests.requests[i];
        first = i == 0 ? record.arrival : std::min(first, record.arrival);
        metrics.preemptions += record.preemptions;
        if (record.rejection != Rejection::none) ++metrics.rejected;
        if (record.admitted >= 0) {
            cached += record.cachedTokens;
            for (std::size_t kind = 0; kind < cacheTierKindCount; ++kind) fromTiers[kind] += record.tierTokens[kind];
            admittedInputs += request.input;
        }
        if (!record.isCompleted()) continue;
        ++metrics.completed;
        last = std::max(last, record.finish);
        outputs += request.output;
        inputs += request.input;
        ttft.push_back(record.firstToken - record.arrival);
        if (const auto perToken = tpotOf(request, record)) tpot.push_back(*perToken);
        e2e.push_back(record.finish - record.arrival);
        queue.push_back(record.queued);
        if (isWithin(request, record, limits)) ++good;
        sum.frontEnd += record.frontEnd;
        sum.encode += record.encode;
        sum.queue += record.queued;
        sum.prefill += record.prefillSeconds();
        sum.decode += record.decodeSeconds();
        sum.preempted += record.preempted;
        sum.kvTransfer += record.transferred;
    }
    metrics.ttft = distributionOf(std::move(ttft));
    metrics.tpot = distributionOf(std::move(tpot));
    metrics.e2e = distributionOf(std::move(e2e));
    metrics.queue = distributionOf(std::move(queue));
    if (admittedInputs > 0) {
        metrics.prefixHitRate = cached / admittedInputs;
        for (std::size_t kind = 0; kind < cacheTierKindCount; ++kind) metrics.tierHitRate[kind] = fromTiers[kind] / admittedInputs;
    }
    double used = 0, possible = 0;
    for (std::size_t i = 0; i < outcome.totals.size(); ++i) {
        used += outcome.totals[i].usedBlockSeconds;
        possible += outcome.totals[i].busySeconds * outcome.pools[i];
    }
    if (possible > 0) metrics.kvCacheUtilisation = used / possible;
    if (metrics.completed == 0) return metrics;
    const auto completed = static_cast<double>(metrics.completed);
    metrics.breakdown = {sum.frontEnd / completed, sum.encode / completed, sum.queue / completed, sum.prefill / completed, sum.decode / completed, sum.preempted / completed, sum.kvTransfer / completed};
    metrics.duration = last - first;
    if (metrics.duration > 0) {
        metrics.outputTokensPerSecond = outputs / metrics.duration;
        metrics.totalTokensPerSecond = (inputs + outputs) / metrics.duration;
        if (limits.any()) metrics.goodput = good / metrics.duration;
    }
    return metrics;
}

std::optional<ServiceLimits> nearestLimits(const RequestList& requests, const std::vector<RequestRecord>& records, const ServiceLimits& limits) {
    if (!limits.any()) return std::nullopt;
    double least = std::numeric_limits<double>::infinity();
    std::optional<ServiceLimits> nearest;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const RequestRecord& record = records[i];
        if (!record.isCompleted()) continue;
        ServiceLimits kept;
        double factor = 1;
        const auto keep = [&](std::optional<double>& own, const std::optional<double>& limit, double seconds) {
            if (!limit) return;
            own = std::max(*limit, seconds);
            factor = std::max(factor, *own / *limit);
        };
        keep(kept.ttft, limits.ttft, record.firstToken - record.arrival);
        keep(kept.e2e, limits.e2e, record.finish - record.arrival);
        keep(kept.tpot, limits.tpot, tpotOf(requests.requests[i], record).value_or(0));
        if (factor <= 1) return std::nullopt;
        if (factor >= least) continue;
        least = factor;
        nearest = kept;
    }
    return nearest;
}

} // namespace orrery
