// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/waiting_limits.hpp"
#include "core/order/serving/policy_traits.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

MeanRequest::MeanRequest(const ServingReport& report) {
    const std::vector<Request>& all = report.requests->requests;
    for (const Request& request : all) {
        input += request.input;
        output += request.output;
    }
    const double count = static_cast<double>(std::max<std::size_t>(1, all.size()));
    input /= count;
    output /= count;
}

namespace {

/// Whether a mean request finds no blocks beside those that run. Engines that never take blocks back keep those of whole answers.
bool blocksLack(const StepRecord& step, const EnginePool& pool, const MeanRequest& request, const EngineSettings& engine) {
    const bool answersToo = engine.policy == SchedulerPolicy::trtllm_guaranteed_no_evict && pool.role != InstanceRole::prefill;
    const auto tokens = static_cast<std::int64_t>(std::ceil(request.input + (answersToo ? request.output : 0)));
    const auto needed = static_cast<double>(pool.window.mostBlocks(tokens, engine.chunkedPrefill ? engine.maxBatchedTokens : tokens, engine.blockSize));
    const double left = answersToo ? static_cast<double>(pool.blocks) - step.running * needed : static_cast<double>(step.freeBlocks);
    return left < needed;
}

} // namespace

WaitingLimit limitOf(const StepRecord& step, const EnginePool& pool, const MeanRequest& request) {
    const EngineSettings engine = pool.settings().engine;
    if (step.running >= engine.maxSeqs) return WaitingLimit::sequences;
    // A prompt that fills a step lets in nobody else, but where blocks lack too, a larger step would not either.
    if (blocksLack(step, pool, request, engine)) return WaitingLimit::cache;
    // Engines that look at prompts first give them a step of their own.
    const PromptSteps alone = traitsOf(engine.policy).promptSteps;
    const bool promptsFirst = alone == PromptSteps::all || (alone == PromptSteps::whole_prompts && !engine.chunkedPrefill);
    const int used = step.prefillTokens + (promptsFirst ? 0 : step.decodes + step.draftTokens);
    // A chunk takes what is left, down to a block where it ends with one (SGLang); a whole prompt needs room for all of it.
    const double least = engine.chunkedPrefill ? (promptsFirst ? engine.blockSize : 1) : std::max(1.0, request.input);
    return used + least > engine.maxBatchedTokens ? WaitingLimit::tokens : WaitingLimit::cache;
}

FullCache fullCache(const std::vector<EnginePool>& pools, const ServingReport& report, InstanceRole without) {
    FullCache cache;
    const MeanRequest request(report);
    const auto pool = std::find_if(pools.begin(), pools.end(), [&](const EnginePool& one) { return one.role != without; });
    if (pool == pools.end()) return cache;
    cache.bytesPerAccelerator = pool->memory.cache;
    cache.blocks = static_cast<double>(pool->blocks);
    cache.blockSize = pool->options.settings.blockSize;
    cache.requestTokens = pool->role == InstanceRole::prefill ? request.input : request.input + request.output;
    cache.requestsHeld = std::floor(cache.blocks / std::max(1.0, static_cast<double>(pool->window.mostBlocks(static_cast<std::int64_t>(std::ceil(cache.requestTokens)), 1, pool->options.settings.blockSize))));
    double seconds = 0, most = 0;
    eachStep(pools, report, without, [&](const EnginePool& of, const StepRecord& step) {
        if (step.waiting <= 0 || limitOf(step, of, request) != WaitingLimit::cache) return;
        seconds += step.seconds;
        cache.running += step.running * step.seconds;
        most = std::max(most, double(step.running));
        cache.waiting += step.waiting * step.seconds;
    });
    if (seconds > 0) {
        cache.running = std::min(cache.running / seconds, most); // the sum's rounding makes no mean larger than what it is of
        cache.waiting /= seconds;
    }
    return cache;
}

} // namespace orrery
