// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/engine_instance.hpp"
#include "core/order/serving/run_log.hpp"
#include "core/results/report/timeline.hpp"
#include "core/scenario/workload.hpp"
#include "core/served/inference/static_batch.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery {

/// A static batch in time: the step of the prompts, then a span for each token. Steps with nearly the same context share their operators'
/// times: their mean, so that all steps together take what the estimate says. One row: stages of a pipeline take turns.
Timeline staticTimeline(const StepModel& model, const InferenceWorkload& workload, const StaticEstimate& estimate);

/// An instance of an engine that served requests.
struct ServedInstance {
    int firstRank = 0;
    int ranks = 1;
    InstanceRole role = InstanceRole::both;
    double fixedBytes = 0; ///< of an accelerator: weights, what a full step needs, software
    double blockBytes = 0; ///< of a block of the cache, on one accelerator
    std::int64_t blocks = 0;
    const std::vector<StepRecord>* steps = nullptr;
};

/// Beyond this many steps like ones that follow each other without a break are one span.
inline constexpr std::size_t mostServedSpans = 200000;

/// Served requests in time: a row an instance, a span a step, named by what is in it: "prefill", "decode" or both, "mixed". The sum of a row's
/// spans is the time in which its instance works. Its memory is the keys and values in use. Where there are more than `mostSpans` steps,
/// neighbours without a break between them are joined (first those of a kind), and of the memory in as many stretches of time the most.
Timeline servedTimeline(const std::vector<ServedInstance>& instances, std::size_t mostSpans = mostServedSpans);

} // namespace orrery
