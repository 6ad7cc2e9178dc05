// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/step_model.hpp"

#include <vector>

namespace orrery {

/// Requests that start together and are equally long: all prompts in one step, then one token of each a step. `output` ≥ 1.
struct StaticBatch {
    int batch = 1;
    int input = 1;
    int output = 1;
};

/// What an accelerator holds when the last token is made.
struct StaticMemory {
    double weights = 0, cache = 0, activations = 0, framework = 0;
    double needed() const { return weights + cache + activations + framework; }
};

struct StaticEstimate {
    double ttft = 0;             ///< s, prompts to first token of the whole batch
    double tpot = 0;             ///< s, (latency − ttft)/(output − 1); 0 with one token
    double latency = 0;          ///< s
    double outputRate = 0;       ///< tokens/s, batch × output over latency
    StepParts prefill, lastStep; ///< what the steps are made of
    std::vector<StaticMemory> stages;
    StaticMemory memory; ///< of the fullest stage
    bool fits = true;    ///< in EngineModel::memoryBytes
};

/// The sum over all steps, attention linear in the context between StepModel's grid points. With several pipeline stages the batch goes
/// through them in as many parts as there are stages.
StaticEstimate estimateStatic(const StepModel& step, const StaticBatch& batch);

/// s no step of so many decodes can be faster than: weights and cache over the data sheet's bandwidth, and the latencies of its
/// collectives. `lengths`: sum over the decodes of the keys and values that they read, tokens.
double decodeFloor(const StepModel& step, int decodes, double lengths);

} // namespace orrery
