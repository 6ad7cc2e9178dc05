// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/latency_parts.hpp"

#include "core/served/service/waiting_limits.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Steps of a kind, seen by the requests that they work on: a step that works on many counts often.
struct SeenSteps {
    double seconds = 0, weight = 0; ///< requests × seconds, requests
    double prefills = 0, prefillTokens = 0, decodes = 0, drafts = 0;
    double slowed = 0; ///< requests × seconds

    void add(const StepRecord& step, double requests) {
        seconds += requests * step.seconds;
        weight += requests;
        prefills += requests * step.prefills;
        prefillTokens += requests * step.prefillTokens;
        decodes += requests * step.decodes;
        drafts += requests * step.draftTokens;
        slowed += requests * step.slowed;
    }
    int meanPrefills() const { return std::max(1, static_cast<int>(std::lround(prefills / weight))); }
    int meanChunk() const { return std::max(1, static_cast<int>(std::lround(prefillTokens / prefills))); }
    int meanDrafts() const { return static_cast<int>(std::lround(drafts / weight)); }
    int meanDecodes() const { return static_cast<int>(std::lround(decodes / weight)); }
    double slowedShare() const { return seconds > 0 ? slowed / seconds : 0; }
};

LatencyPart queueFor(WaitingLimit limit) {
    switch (limit) {
    case WaitingLimit::cache: return LatencyPart::queue_cache;
    case WaitingLimit::sequences: return LatencyPart::queue_sequences;
    case WaitingLimit::tokens: break;
    }
    return LatencyPart::queue_tokens;
}

/// Waiting by the limits that stood in the way while requests waited; what no full step explains is the step under way.
void dealQueue(const std::vector<EnginePool>& pools, const ServingReport& report, InstanceRole without, double queueOfAll, double whole, LatencyParts& parts) {
    LatencyParts waited;
    const MeanRequest request(report);
    eachStep(pools, report, without, [&](const EnginePool& pool, const StepRecord& step) {
        if (step.waiting > 0) waited[queueFor(limitOf(step, pool, request))] += step.waiting * step.seconds;
    });
    const double explained = waited.total(), scale = explained > 0 ? whole / std::max(explained, queueOfAll) : 0;
    double dealt = 0;
    for (const LatencyPart part : {LatencyPart::queue_cache, LatencyPart::queue_sequences, LatencyPart::queue_tokens}) {
        parts[part] += waited[part] * scale;
        dealt += waited[part] * scale;
    }
    parts[LatencyPart::queue_step] += std::max(0.0, whole - dealt);
}

/// Its first token left a decode instance, after the transfer.
bool sendsFirstToken(const RequestRecord& record) { return record.firstToken > record.prefilled; }

void add(LatencyParts& to, const LatencyParts& more) {
    for (std::size_t i = 0; i < latencyPartCount; ++i) to.seconds[i] += more.seconds[i];
}

const EnginePool& poolThat(const std::vector<EnginePool>& pools, InstanceRole without) {
    return *std::find_if(pools.begin(), pools.end(), [&](const EnginePool& pool) { return pool.role != without; });
}

} // namespace

LatencyParts partsOfStep(const StepParts& step, double traffic, double whole) {
    LatencyParts parts;
    const double total = step.total();
    if (!(total > 0)) {
        parts[LatencyPart::elementwise] = whole;
        return parts;
    }
    const double scale = whole / total;
    parts[LatencyPart::weights] = step.gemm * traffic * scale;
    parts[LatencyPart::products] = step.gemm * (1 - traffic) * scale;
    parts[LatencyPart::attention] = step.attention * scale;
    parts[LatencyPart::elementwise] = step.other * scale;
    parts[LatencyPart::collectives] = step.collectives * scale;
    parts[LatencyPart::pipeline] = step.pipeline * scale;
    parts[LatencyPart::launch] = step.launch * scale;
    parts[LatencyPart::host] = step.host * scale;
    return parts;
}

double weightTrafficShare(const StepModel& model, const StepBatch& batch) {
    double traffic = 0, all = 0;
    for (const StepModel::Counted& counted : model.counted(batch)) {
        const Operator& op = counted.timed.op;
        if (op.kind != OperatorKind::gemm && op.kind != OperatorKind::grouped_gemm) continue;
        const double seconds = counted.count * counted.timed.time;
        all += seconds;
        if (counted.timed.bound == Bound::memory) traffic += seconds;
    }
    return all > 0 ? traffic / all : 0;
}

LatencyParts ttftParts(const std::vector<EnginePool>& pools, const ServingReport& report) {
    LatencyParts parts;
    double count = 0, queue = 0, queueOfAll = 0, prefill = 0, second = 0, waitedAgain = 0;
    for (const RequestRecord& record : report.records) {
        if (!record.isCompleted()) continue;
        ++count;
        parts[LatencyPart::front_end] += record.frontEnd;
        parts[LatencyPart::encode] += record.encode;
        queue += record.queuedBeforePrefill();
        prefill += record.prefillSeconds() - record.loading;
        parts[LatencyPart::cache_load] += record.loading;
        if (sendsFirstToken(record)) { // with the step of a decode instance
            const double waited = record.queued - record.queuedBeforePrefill();
            parts[LatencyPart::transfer] += record.transferred;
            waitedAgain += waited;
            second += record.firstToken - record.prefilled - record.transferred - waited;
        }
        parts[LatencyPart::preempted] += record.preemptedBeforeFirst;
    }
    if (count == 0) return parts;
    for (const LatencyPart part : {LatencyPart::front_end, LatencyPart::encode, LatencyPart::transfer, LatencyPart::cache_load, LatencyPart::preempted}) parts[part] /= count;
    queueOfAll = queue;
    dealQueue(pools, report, InstanceRole::decode, queueOfAll, queue / count, parts);
    if (waitedAgain > 0) dealQueue(pools, report, InstanceRole::prefill, waitedAgain, waitedAgain / count, parts);
    parts[LatencyPart::others] += second / count; // a step for all who decode

    SeenSteps seen;
    eachStep(pools, report, InstanceRole::decode, [&](const EnginePool&, const StepRecord& step) {
        if (step.prefills > 0) seen.add(step, step.prefills);
    });
    double own = prefill / count;
    if (!(seen.prefills > 0)) {
        parts[LatencyPart::others] += own;
        return parts;
    }
    const EnginePool& pool = poolThat(pools, InstanceRole::decode);
    StepBatch batch;
    batch.prefills.assign(static_cast<std::size_t>(seen.meanPrefills()), {seen.meanChunk(), 0});
    const double alone = pool.clock->seconds(batch);
    StepBatch mixed = batch;
    mixed.decodes = seen.meanDecodes();
    mixed.decodeContext = MeanRequest(report).context();
    const double both = std::max(alone, mixed.decodes > 0 ? pool.clock->seconds(mixed) : alone);
    parts[LatencyPart::shared_links] += own * seen.slowedShare();
    own -= parts[LatencyPart::shared_links];
    parts[LatencyPart::others] += both > 0 ? own * (1 - alone / both) : 0;
    own -= parts[LatencyPart::others];
    add(parts, partsOfStep(pool.model().parts(batch), weightTrafficShare(pool.model(), batch), own));
    return parts;
}

LatencyParts tpotParts(const std::vector<EnginePool>& pools, const ServingReport& report) {
    LatencyParts parts;
    double count = 0, decode = 0, decodeOfAll = 0, queue = 0, queueOfAll = 0;
    for (std::size_t i = 0; i < report.records.size(); ++i) {
        const RequestRecord& record = report.records[i];
        const int after = report.requests->requests[i].output - 1;
        if (!record.isCompleted() || after < 1) continue;
        ++count;
        const bool beforeFirst = sendsFirstToken(record);
        const double waited = beforeFirst ? 0 : record.queued - record.queuedBeforePrefill(), own = beforeFirst ? record.finish - record.firstToken - (record.preempted - record.preemptedBeforeFirst) : record.decodeSeconds();
        queueOfAll += waited;
        queue += waited / after;
        decode += own / after;
        decodeOfAll += own;
        if (!beforeFirst) parts[LatencyPart::transfer] += record.transferred / after;
        parts[LatencyPart::preempted] += (record.preempted - record.preemptedBeforeFirst) / after;
    }
    if (count == 0) return parts;
    parts[LatencyPart::transfer] /= count;
    parts[LatencyPart::preempted] /= count;
    if (queue > 0) dealQueue(pools, report, InstanceRole::prefill, queueOfAll, queue / count, parts);

    SeenSteps seen;
    eachStep(pools, report, InstanceRole::prefill, [&](const EnginePool&, const StepRecord& step) {
        if (step.decodes > 0) seen.add(step, step.decodes);
    });
    double own = decode / count;
    if (!(seen.weight > 0) || !(seen.seconds > 0)) {
        parts[LatencyPart::others] += own;
        return parts;
    }
    const EnginePool& pool = poolThat(pools, InstanceRole::prefill);
    StepBatch batch;
    batch.decodes = std::max(1, seen.meanDecodes());
    batch.draftTokens = seen.meanDrafts();
    batch.decodeContext = MeanRequest(report).context();
    const double alone = pool.clock->seconds(batch);
    double beside = 0;
    eachStep(pools, report, InstanceRole::prefill, [&](const EnginePool&, const StepRecord& step) {
        if (step.decodes > 0 && step.prefills > 0) beside += step.decodes * std::max(0.0, step.seconds - step.slowed - alone);
    });
    // Where prompts have steps of their own, those who decode stand by meanwhile.
    const double standing = std::max(0.0, decodeOfAll - seen.seconds);
    parts[LatencyPart::others] += own * std::min(1.0, (beside + standing) / (seen.seconds + standing));
    parts[LatencyPart::shared_links] += own * seen.slowed / (seen.seconds + standing);
    own -= parts[LatencyPart::others] + parts[LatencyPart::shared_links];
    add(parts, partsOfStep(pool.model().parts(batch), weightTrafficShare(pool.model(), batch), own));
    return parts;
}

std::optional<RateParts> rateParts(const std::vector<EnginePool>& pools, const ServingReport& report) {
    const double rate = report.served.outputTokensPerSecond;
    if (!(rate > 0) || report.steps.empty()) return std::nullopt;
    double prompts = 0, decodes = 0, slowed = 0;
    SeenSteps seen;
    for (const std::vector<StepRecord>& instance : report.steps)
        for (const StepRecord& step : instance) {
            (step.prefills > 0 ? prompts : decodes) += step.seconds;
            if (step.prefills > 0) continue;
            seen.add(step, 1);
            slowed += step.slowed;
        }
    const double tokens = rate * report.served.duration * static_cast<double>(report.steps.size());
    RateParts parts;
    parts.prompts = prompts / tokens;
    if (seen.weight > 0) {
        const EnginePool& pool = poolThat(pools, InstanceRole::prefill);
        StepBatch batch;
        batch.decodes = std::max(1, seen.meanDecodes());
        batch.draftTokens = seen.meanDrafts();
        batch.decodeContext = MeanRequest(report).context();
        parts.decode = partsOfStep(pool.model().parts(batch), weightTrafficShare(pool.model(), batch), (decodes - slowed) / tokens);
        parts.decode[LatencyPart::shared_links] = slowed / tokens;
    }
    parts.idle = 1 / rate - parts.prompts - parts.decode.total();
    return parts;
}

} // namespace orrery
