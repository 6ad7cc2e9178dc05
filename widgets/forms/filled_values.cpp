// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/filled_values.hpp"

#include "core/base/json.hpp"
#include "core/scenario/expert_dispatcher.hpp"
#include "core/scenario/scenario_words.hpp"

namespace orrery {

namespace {

/// Null where the document has an object of its own.
template <class Enum> Json valueOf(Enum value) {
    const std::string_view text = wordOf(value);
    return fromText<Enum>(text) ? Json(std::string(text)) : Json(nullptr);
}

} // namespace

std::optional<Json> filledValue(const Scenario& scenario, std::string_view pointer) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    if (pointer == "/parallelism/data") return plan.data;
    if (pointer == "/parallelism/schedule") return valueOf(plan.schedule);
    if (pointer == "/parallelism/pipeline_layout" && !plan.layout.empty()) return Json(plan.layout);
    if (pointer == "/parallelism/virtual_pipeline") return plan.virtualPipeline;
    if (pointer == "/parallelism/context_method") return valueOf(plan.contextMethod);
    if (pointer == "/parallelism/shard_group" && plan.zeroStage > 0) return plan.sharders();
    if (scenario.isTraining() && pointer == "/workload/fp8_recipe" && scenario.training().fp8Recipe) return valueOf(*scenario.training().fp8Recipe);
    if (scenario.isTraining() && pointer == "/workload/lora_rank" && scenario.training().loraRank > 0) return scenario.training().loraRank;
    if (pointer == "/execution/framework" && !execution.profile.id.empty()) return execution.profile.id;
    if (pointer == "/execution/recompute") return valueOf(execution.recompute);
    if (pointer == "/execution/attention") return valueOf(execution.attention);
    if (pointer == "/execution/compile") return execution.compile;
    if (pointer == "/execution/cuda_graphs") {
        if (!execution.graphParts.empty()) return Json(nullptr);
        return execution.graphsHoldIteration ? valueOf(GraphsHeld::full_iteration) : Json(execution.cudaGraphs);
    }
    if (pointer == "/execution/moe_dispatcher" && scenario.model.experts) return valueOf(dispatcherOf(execution.profile.experts));
    if (pointer == "/execution/fused_experts" && scenario.model.experts) return !execution.profile.experts.loopsProducts;
    if (pointer == "/execution/overlap/data") return execution.overlap.data;
    if (pointer == "/execution/overlap/tensor") return execution.overlap.tensor;
    if (pointer == "/execution/overlap/pipeline") return execution.overlap.pipeline;
    if (pointer == "/execution/overlap/expert") return execution.overlap.expert;
    return std::nullopt;
}

} // namespace orrery
