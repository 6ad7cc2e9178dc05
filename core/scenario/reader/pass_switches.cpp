// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/pass_switches.hpp"

#include "core/base/json.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/scenario_words.hpp"

namespace orrery {
namespace {

constexpr const char* passesAt = "/execution/passes";

bool isOff(const Json& passes, PassId id) {
    const auto found = passes.find(passInfo(id).name);
    return found != passes.end() && found->is_boolean() && !found->get<bool>();
}

const Json* passesOf(const Json& document) {
    const Json::json_pointer place(passesAt);
    return document.contains(place) && document.at(place).is_object() ? &document.at(place) : nullptr;
}

bool isSixteenBit(const Json& word) {
    const auto precision = word.is_string() ? fromText<Precision>(word.get_ref<const std::string&>()) : std::nullopt;
    return precision == Precision::bf16 || precision == Precision::fp16;
}

/// Taken out, or put at its neutral value; the same as a user does who writes the plan without the plan pass.
void leaveOut(PassId id, Json& document) {
    Json& parallelism = document["parallelism"];
    Json& workload = document["workload"];
    Json& execution = document["execution"];
    const auto erase = [](Json& section, std::initializer_list<const char*> keys) {
        for (const char* key : keys) section.erase(key);
    };
    switch (id) {
    case PassId::precision:
        if (isSixteenBit(workload["precision"])) break;
        workload["precision"] = wordOf(Precision::bf16);
        erase(workload, {"fp8_recipe"});
        break;
    case PassId::fusion:
        execution["attention"] = wordOf(AttentionKind::unfused);
        execution["compile"] = false;
        break;
    case PassId::tensor:
        parallelism["tensor"] = 1;
        erase(parallelism, {"data"});
        break;
    case PassId::sequence: parallelism["sequence"] = false; break;
    case PassId::context:
        parallelism["context"] = 1;
        erase(parallelism, {"data"});
        break;
    case PassId::expert: parallelism["expert"] = 1; break;
    case PassId::expert_tensor: parallelism["expert_tensor"] = 1; break;
    case PassId::lora:
        if (!workload.contains("task") || workload["task"] != wordOf(TaskKind::lora)) break;
        workload["task"] = wordOf(TaskKind::sft);
        erase(workload, {"lora_rank"});
        break;
    case PassId::recompute: execution["recompute"] = wordOf(RecomputeKind::none); break;
    case PassId::chunked_loss: break; // off is what a plan is without it
    case PassId::offload: erase(execution, {"offload"}); break;
    case PassId::pipeline:
        parallelism["pipeline"] = 1;
        erase(parallelism, {"virtual_pipeline", "schedule", "pipeline_layout", "data"});
        break;
    case PassId::data: erase(parallelism, {"data"}); break;
    case PassId::zero:
        parallelism["zero_stage"] = 0;
        erase(parallelism, {"shard_group"});
        break;
    case PassId::hsdp: erase(parallelism, {"shard_group"}); break;
    case PassId::overlap: execution["overlap"] = {{"data", false}, {"tensor", false}, {"pipeline", false}, {"expert", false}}; break;
    }
}

} // namespace

Json withoutSwitchedOffPasses(Json document) {
    const Json* passes = passesOf(document);
    if (!passes) return document;
    const Json switches = *passes;
    if (!document.contains("parallelism")) document["parallelism"] = Json::object();
    for (const PassInfo& pass : passTable())
        if (isOff(switches, pass.id)) leaveOut(pass.id, document);
    return document;
}

void leaveOutReplicas(FilledDocument& document, PlanNumbers& plan) {
    const Json* passes = document.find(passesAt);
    if (!passes || !isOff(*passes, PassId::data) || !ranksFit(plan) || plan.globalBatch % plan.data() != 0) return;
    plan.globalBatch /= plan.data();
    plan.accelerators = plan.modelRanks();
    document.replace("/workload/global_batch_size", plan.globalBatch);
}

void leaveOutOfProfile(Execution& execution) {
    const auto off = [&](PassId id) {
        const auto found = execution.passes.find(passInfo(id).name);
        return found != execution.passes.end() && !found->second;
    };
    if (off(PassId::fusion)) execution.profile.fusedSoftmax = execution.profile.fusedElementwise = false;
    if (off(PassId::overlap)) execution.profile.asyncTensorCollectives = false;
}

void warnOfIdlePasses(const Json& passes, const Scenario& given, Problems& problems) {
    for (const PassInfo& pass : passTable()) {
        if (!passes.contains(pass.name)) continue;
        if (pass.id == PassId::chunked_loss && passes.at(pass.name).get<bool>()) continue; // `given` has no switches, and so not this one
        const std::string why = whyPassIsIdle(pass.id, given);
        if (why.empty()) continue;
        const std::string pointer = below(passesAt, pass.name);
        problems.push_back(warning("no-effect", pointer, std::string("The pass ") + pass.name + " does nothing here: " + why)
                               .mend("Leave it out.")
                               .edit(pointer, nullptr));
    }
}

} // namespace orrery
