// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/filled_values.hpp"

#include "core/base/json.hpp"

namespace orrery {

namespace {

Json word(RecomputeKind kind) {
    switch (kind) {
    case RecomputeKind::none: return "none";
    case RecomputeKind::selective: return "selective";
    case RecomputeKind::full: return "full";
    case RecomputeKind::automatic: return "auto";
    case RecomputeKind::modules:
    case RecomputeKind::every: break; // an object of the document itself
    }
    return nullptr;
}

Json word(AttentionKind kind) {
    switch (kind) {
    case AttentionKind::flash: return "flash";
    case AttentionKind::unfused: return "unfused";
    }
    return nullptr;
}

Json word(ScheduleKind kind) {
    switch (kind) {
    case ScheduleKind::gpipe: return "gpipe";
    case ScheduleKind::one_f_one_b: return "1f1b";
    case ScheduleKind::interleaved: return "interleaved";
    case ScheduleKind::zb_h1: return "zb-h1";
    case ScheduleKind::zb_v: return "zb-v";
    case ScheduleKind::v_half: return "v-half";
    case ScheduleKind::v_min: return "v-min";
    case ScheduleKind::dual_pipe: return "dualpipe";
    }
    return nullptr;
}

Json word(ContextMethod method) {
    switch (method) {
    case ContextMethod::ring: return "ring";
    case ContextMethod::all_gather: return "all_gather";
    case ContextMethod::all_to_all: return "all_to_all";
    }
    return nullptr;
}

} // namespace

std::optional<Json> filledValue(const Scenario& scenario, std::string_view pointer) {
    const Parallelism& plan = scenario.parallelism;
    const Execution& execution = scenario.execution;
    if (pointer == "/parallelism/data") return plan.data;
    if (pointer == "/parallelism/schedule") return word(plan.schedule);
    if (pointer == "/parallelism/pipeline_layout" && !plan.layout.empty()) return Json(plan.layout);
    if (pointer == "/parallelism/virtual_pipeline") return plan.virtualPipeline;
    if (pointer == "/parallelism/context_method") return word(plan.contextMethod);
    if (pointer == "/parallelism/shard_group" && plan.zeroStage > 0) return plan.sharders();
    if (pointer == "/workload/fp8_recipe" && !scenario.workload.fp8Recipe.empty()) return scenario.workload.fp8Recipe;
    if (pointer == "/workload/lora_rank" && scenario.workload.loraRank > 0) return scenario.workload.loraRank;
    if (pointer == "/execution/framework" && !execution.profile.id.empty()) return execution.profile.id;
    if (pointer == "/execution/recompute") return word(execution.recompute);
    if (pointer == "/execution/attention") return word(execution.attention);
    if (pointer == "/execution/compile") return execution.compile;
    if (pointer == "/execution/cuda_graphs") return execution.cudaGraphs;
    if (pointer == "/execution/overlap/data") return execution.overlap.data;
    if (pointer == "/execution/overlap/tensor") return execution.overlap.tensor;
    if (pointer == "/execution/overlap/pipeline") return execution.overlap.pipeline;
    if (pointer == "/execution/overlap/expert") return execution.overlap.expert;
    return std::nullopt;
}

} // namespace orrery
