// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/order/serving/engine_settings.hpp"
#include "core/order/serving/scheduling_strategy.hpp"

#include <array>

namespace orrery {

/// Whose server's values fill an engine that states nothing.
enum class EngineDefaults : std::uint8_t { vllm,
                                           vllm_v0,
                                           trtllm };

/// Which prompts have steps of their own, without requests that decode.
enum class PromptSteps : std::uint8_t { none,
                                        whole_prompts, ///< where prompts are not split
                                        all };

/// All that a scheduling policy is: schema, reader, defaults, rules, form, launch and engine read this row.
struct PolicyTraits {
    SchedulerPolicy policy{};
    std::string_view word;  ///< in scenario files
    std::string_view title; ///< as people call it
    std::unique_ptr<SchedulingStrategy> (*strategy)(const EngineSettings& settings) = nullptr;
    EngineDefaults defaults = EngineDefaults::vllm;
    PromptSteps promptSteps = PromptSteps::none;
    bool refusesSmallSteps = false;   ///< the server does not start where a step holds no whole prompt that can't be split, or not a token of each request
    bool sharesLimits = false;        ///< an instance's limits are divided among its attention groups; otherwise each group has them
    std::string_view launchWord = {}; ///< TensorRT-LLM's `capacity_scheduler_policy`; empty: the launcher has no option for it
};

inline constexpr std::array<PolicyTraits, schedulerPolicyCount> policyTraits{
    // vLLM V1 (0.11, vllm/v1/core/sched/scheduler.py)
    PolicyTraits{.policy = SchedulerPolicy::vllm,
                 .word = "vllm",
                 .title = "vLLM",
                 .strategy = [](const EngineSettings&) { return makeRunningFirst({}); },
                 .refusesSmallSteps = true},
    // vLLM V0 (0.8, vllm/core/scheduler.py): one block in a hundred stays free when a request is admitted
    PolicyTraits{.policy = SchedulerPolicy::vllm_v0,
                 .word = "vllm_v0",
                 .title = "vLLM V0",
                 .strategy =
                     [](const EngineSettings& settings) {
                         constexpr double watermark = 0.01;
                         return settings.chunkedPrefill ? makeRunningFirst({true, watermark, false}) : makePrefillFirst(watermark);
                     },
                 .defaults = EngineDefaults::vllm_v0,
                 .promptSteps = PromptSteps::whole_prompts,
                 .refusesSmallSteps = true},
    // TensorRT-LLM (capacityScheduler.cpp)
    PolicyTraits{.policy = SchedulerPolicy::trtllm_guaranteed_no_evict,
                 .word = "trtllm_guaranteed_no_evict",
                 .title = "TensorRT-LLM, no evict",
                 .strategy = [](const EngineSettings&) { return makeRunningFirst({true, 0, true}); },
                 .defaults = EngineDefaults::trtllm,
                 .launchWord = "GUARANTEED_NO_EVICT"},
    PolicyTraits{.policy = SchedulerPolicy::trtllm_max_utilization,
                 .word = "trtllm_max_utilization",
                 .title = "TensorRT-LLM, max use",
                 .strategy = [](const EngineSettings&) { return makeRunningFirst({true, 0, false}); },
                 .defaults = EngineDefaults::trtllm,
                 .launchWord = "MAX_UTILIZATION"},
    // SGLang (0.5, schedule_policy.py, schedule_batch.py); it divides its limits by dp_size (server_args.py)
    PolicyTraits{.policy = SchedulerPolicy::sglang,
                 .word = "sglang",
                 .title = "SGLang",
                 .strategy = [](const EngineSettings&) { return makeSglang(); },
                 .promptSteps = PromptSteps::all,
                 .sharesLimits = true},
};

template <> struct WordsOf<SchedulerPolicy> {
    static constexpr auto table = [] {
        std::array<Word<SchedulerPolicy>, policyTraits.size()> words{};
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = {policyTraits[i].policy, policyTraits[i].word};
        return words;
    }();
};
static_assert(hasEveryWordOnce<SchedulerPolicy>(), "a scheduling policy has one row of traits, with a word of its own");

/// The row of a policy.
constexpr const PolicyTraits& traitsOf(SchedulerPolicy policy) {
    for (const PolicyTraits& traits : policyTraits)
        if (traits.policy == policy) return traits;
    return policyTraits.front(); // no policy is without a row
}

} // namespace orrery
