// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/simulation/latency_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {
namespace {

/// Steps of a kind, seen by the requests that they work on: a step that works on many counts often.
struct SeenSteps {
    double seconds = 0, weight = 0; ///< requests × seconds, requests
    double prefills = 0, prefillTokens = 0, decodes = 0;

    void add(const StepRecord& step, double requests) {
        seconds += requests * step.seconds;
        weight += requests;
        prefills += requests * step.prefills;
        prefillTokens += requests * step.prefillTokens;
        decodes += requests * step.decodes;
    }
    int meanPrefills() const { return std::max(1, static_cast<int>(std::lround(prefills / weight))); }
    int meanChunk() const { return std::max(1, static_cast<int>(std::lround(prefillTokens / prefills))); }
    int meanDecodes() const { return static_cast<int>(std::lround(decodes / weight)); }
};

/// Visits the steps of the instances that do one of two phases, with the pool they belong to.
template <typename Visit> void eachStep(const std::vector<EnginePool>& pools, const ServingReport& report, InstanceRole without, Visit visit) {
    std::size_t instance = 0;
    for (const EnginePool& pool : pools)
        for (int i = 0; i < pool.instances() && instance < report.steps.size(); ++i, ++instance)
            if (pool.role != without)
                for (const StepRecord& step : report.steps[instance]) visit(pool, step);
}

/// Mean tokens of prompts and answers.
struct MeanRequest {
    double input = 0, output = 0;

    explicit MeanRequest(const ServingReport& report) {
        const std::vector<Request>& all = report.requests->requests;
        for (const Request& request : all) {
            input += request.input;
            output += request.output;
        }
        const double count = static_cast<double>(std::max<std::size_t>(1, all.size()));
        input /= count;
        output /= count;
    }
    /// Tokens in the cache halfway through the answer.
    double context() const { return input + output / 2; }
};

/// What kept requests waiting behind a step: places, blocks for a mean request, else the step's tokens. An engine that never evicts has
/// promised its requests blocks for their whole answers.
LatencyPart limitOf(const StepRecord& step, const EnginePool& pool, const MeanRequest& request) {
    const EngineSettings& engine = pool.options.settings;
    if (step.running >= pool.settings().engine.maxSeqs) return LatencyPart::queue_sequences;
    const auto blocksFor = [&](double tokens) { return std::ceil(tokens / engine.blockSize); };
    const bool promises = engine.policy == SchedulerPolicy::trtllm_guaranteed_no_evict;
    const bool full = promises ? (step.running + 1) * blocksFor(request.input + request.output) > double(pool.blocks) : step.freeBlocks < blocksFor(request.input);
    return full ? LatencyPart::queue_cache : LatencyPart::queue_tokens;
}

/// Waiting by the limits that stood in the way while requests waited; what no full step explains is the step under way.
void dealQueue(const std::vector<EnginePool>& pools, const ServingReport& report, InstanceRole without, double queueOfAll, double whole, LatencyParts& parts) {
    LatencyParts waited;
    const MeanRequest request(report);
    eachStep(pools, report, without, [&](const EnginePool& pool, const StepRecord& step) {
        if (step.waiting > 0) waited[limitOf(step, pool, request)] += step.waiting * step.seconds;
    });
    const double explained = waited.total(), scale = explained > 0 ? whole / std::max(explained, queueOfAll) : 0;
    double dealt = 0;
    for (const LatencyPart part : {LatencyPart::queue_cache, LatencyPart::queue_sequences, LatencyPart::queue_tokens}) {
        parts[part] += waited[part] * scale;
        dealt += waited[part] * scale;
    }
    parts[LatencyPart::queue_step] += std::max(0.0, whole - dealt);
}

void add(LatencyParts& to, const LatencyParts& more) {
    for (std::size_t i = 0; i < latencyPartCount; ++i) to.seconds[i] += more.seconds[i];
}

const EnginePool& poolThat(const std::vector<EnginePool>& pools, InstanceRole without) {
    return *std::find_if(pools.begin(), pools.end(), [&](const EnginePool& pool) { return pool.role != without; });
}

} // namespace

double LatencyParts::total() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

LatencyParts partsOfStep(const StepParts& step, double whole) {
    LatencyParts parts;
    const double total = step.total();
    if (!(total > 0)) {
        parts[LatencyPart::elementwise] = whole;
        return parts;
    }
    const double scale = whole / total;
    parts[LatencyPart::products] = step.gemm * scale;
    parts[LatencyPart::attention] = step.attention * scale;
    parts[LatencyPart::elementwise] = step.other * scale;
    parts[LatencyPart::collectives] = step.collectives * scale;
    parts[LatencyPart::pipeline] = step.pipeline * scale;
    parts[LatencyPart::launch] = step.launch * scale;
    parts[LatencyPart::host] = step.host * scale;
    return parts;
}

LatencyParts ttftParts(const std::vector<EnginePool>& pools, const ServingReport& report) {
    LatencyParts parts;
    double count = 0, queue = 0, queueOfAll = 0, prefill = 0;
    for (const RequestRecord& record : report.records) {
        if (!record.isCompleted()) continue;
        ++count;
        queue += record.admitted - record.arrival;
        prefill += record.prefillSeconds();
        parts[LatencyPart::preempted] += record.preemptedBeforeFirst;
    }
    if (count == 0) return parts;
    parts[LatencyPart::preempted] /= count;
    queueOfAll = queue;
    dealQueue(pools, report, InstanceRole::decode, queueOfAll, queue / count, parts);

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
    parts[LatencyPart::others] += both > 0 ? own * (1 - alone / both) : 0;
    own -= parts[LatencyPart::others];
    add(parts, partsOfStep(pool.model().parts(batch), own));
    return parts;
}

LatencyParts tpotParts(const std::vector<EnginePool>& pools, const ServingReport& report) {
    LatencyParts parts;
    double count = 0, decode = 0, queue = 0, queueOfAll = 0;
    for (std::size_t i = 0; i < report.records.size(); ++i) {
        const RequestRecord& record = report.records[i];
        const int after = report.requests->requests[i].output - 1;
        if (!record.isCompleted() || after < 1) continue;
        ++count;
        const double waited = record.queued - (record.admitted - record.arrival);
        queueOfAll += waited;
        queue += waited / after;
        decode += record.decodeSeconds() / after;
        parts[LatencyPart::transfer] += record.transferred / after;
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
    batch.decodeContext = MeanRequest(report).context();
    const double alone = pool.clock->seconds(batch);
    double beside = 0;
    eachStep(pools, report, InstanceRole::prefill, [&](const EnginePool&, const StepRecord& step) {
        if (step.decodes > 0 && step.prefills > 0) beside += step.decodes * std::max(0.0, step.seconds - alone);
    });
    parts[LatencyPart::others] += own * std::min(1.0, beside / seen.seconds);
    own -= parts[LatencyPart::others];
    add(parts, partsOfStep(pool.model().parts(batch), own));
    return parts;
}

} // namespace orrery
