// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_estimated.hpp"

#include "core/results/derivation/explain.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

constexpr const char* nearness = "an estimate, a few percent from what the simulation gives";

Quantity ofPlan(std::string name, double value, std::string pointer) { return given(std::move(name), value, "1", std::move(pointer)); }

Quantity estimatedTime(const Result& estimate) {
    const Scenario& scenario = estimate.scenario;
    const Parallelism& plan = scenario.parallelism;
    Quantity batches{"m", double(scenario.microBatches()), "1", Source::derived, "global batch/(micro-batch × data)", "", {ofPlan("global batch", scenario.training().globalBatch, "/workload/global_batch_size"), ofPlan("micro-batch", scenario.training().microBatch, "/workload/micro_batch_size"), ofPlan("data", plan.data, "/parallelism/data")}};
    return {"iteration_time_s", estimate.training()->iterationTime, "s", Source::derived, "the schedule played step by step, each transfer alone on its links but for the gradients' traffic beside it", nearness, {ofPlan("p", plan.pipeline, "/parallelism/pipeline"), ofPlan("v", plan.virtualPipeline, "/parallelism/virtual_pipeline"), std::move(batches)}};
}

Quantity estimatedPeak(const Result& estimate) {
    return {"peak_bytes", estimate.memory.peakBytes, "bytes", Source::derived, "the fullest stage: states, what micro-batches in flight keep, the allocator's holes, what the device itself takes", nearness, {}};
}

/// Wherever the iteration's time is an input, it is the estimate's.
void replaceTime(Quantity& quantity, const Quantity& time) {
    for (Quantity& input : quantity.inputs) {
        if (input.name == time.name) input = time;
        else replaceTime(input, time);
    }
}

} // namespace

std::optional<Quantity> explainEstimated(const Result& estimate, std::string_view pointer) {
    if (pointer == "/iteration_time_s") return estimatedTime(estimate);
    if (pointer == "/memory/peak_bytes") return estimatedPeak(estimate);
    if (pointer != "/tokens_per_s_per_accelerator" && pointer != "/mfu") return std::nullopt;
    std::optional<Quantity> quantity = explain(estimate, pointer);
    if (!quantity) return std::nullopt;
    replaceTime(*quantity, estimatedTime(estimate));
    return quantity;
}

} // namespace orrery
