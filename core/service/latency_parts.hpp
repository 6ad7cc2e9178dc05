// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/inference/step_model.hpp"
#include "core/report/serving_report.hpp"
#include "core/service/engine_pool.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace orrery {

/// What a request waits for, and what the steps that work on it spend their time on.
enum class LatencyPart {
    queue_cache,     ///< for blocks of the cache
    queue_sequences, ///< for a place among the requests of a step
    queue_tokens,    ///< for room among the tokens of a step
    queue_step,      ///< for the end of the step under way
    preempted,       ///< for another place, after its blocks were taken
    transfer,        ///< of its keys and values to the instance that decodes
    weights,         ///< their traffic: products that last as long as their matrices take to arrive from memory
    products,        ///< with weights, that arithmetic or launches pace
    attention,
    elementwise, ///< norms, activations, sampling
    collectives,
    pipeline, ///< sends between stages
    launch,
    host,
    others, ///< work on other requests in the same steps: decodes beside a prompt, prompts beside decodes
};
inline constexpr std::size_t latencyPartCount = 15;

/// Seconds of a mean latency by part; they sum to it.
struct LatencyParts {
    std::array<double, latencyPartCount> seconds{};

    double& operator[](LatencyPart part) { return seconds[static_cast<std::size_t>(part)]; }
    double operator[](LatencyPart part) const { return seconds[static_cast<std::size_t>(part)]; }
    double total() const;
};

/// `whole` dealt out as a step spends its time; `traffic` is the share of its products that is weights' traffic.
LatencyParts partsOfStep(const StepParts& step, double traffic, double whole);

/// Share of the products' time in those that memory bounds. In a step of few tokens nearly all that they read is weights.
double weightTrafficShare(const StepModel& model, const StepBatch& batch);

/// The mean TTFT of the completed requests. Waiting is told apart by what limited the steps that requests waited in; the rest by a step
/// of mean prompts.
LatencyParts ttftParts(const std::vector<EnginePool>& pools, const ServingReport& report);
/// The mean TPOT of the completed requests of more than one token.
LatencyParts tpotParts(const std::vector<EnginePool>& pools, const ServingReport& report);

} // namespace orrery
