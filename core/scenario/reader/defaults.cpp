// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/defaults.hpp"

#include "core/base/json.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/reader/sections.hpp"

#include <string_view>

namespace orrery {

namespace {

std::string_view precisionOfBytes(double bytes) { return wordOf(bytes >= 4 ? Precision::fp32 : Precision::bf16); }

const Field& section(const std::string& key) { return *findField(scenarioShape(), Json::object(), key); }

} // namespace

void fillDefaults(FilledDocument& document, const FrameworkProfile& profile) {
    const std::string why = "default of the profile " + profile.id;
    const TaskKind task = document.word("/workload/task", TaskKind::pretrain);
    const bool fineTuned = task == TaskKind::sft || task == TaskKind::lora;
    if (profile.defaults->is_object()) {
        Json always = profile.defaults;
        for (const char* key : {"fine_tuning", "calibrated_weights", "without_graphs", "experts_as_layers"}) always.erase(key);
        if (always.contains("workload")) always["workload"].erase("engine"); // of serving
        if (fineTuned && profile.defaults->contains("fine_tuning")) document.fillFragment("", profile.defaults->at("fine_tuning"), why + " for fine-tuning");
        document.fillFragment("", always, why);
    }
    document.fill("/execution/attention", wordOf(profile.flashAttention ? AttentionKind::flash : AttentionKind::unfused), why);
    document.fill("/execution/recompute", wordOf(RecomputeKind::none), "the default");
    for (const char* key : {"compile", "cuda_graphs", "overlap/data", "overlap/tensor", "overlap/pipeline", "overlap/expert"})
        if (!profile.experts.overlapsBetweenDomains || std::string_view(key) != "overlap/expert") document.fill(std::string("/execution/") + key, false, "the default");

    for (const Variant& variant : section("workload").shape.variants)
        if (variant.word == document.text("/workload/kind")) document.fillFallbacks("/workload", variant.fields);
    if (document.says("/workload/task", TaskKind::lora)) document.fill("/workload/lora_rank", 16, "a common rank");
    if (fineTuned && profile.packedDocument > 0 && profile.packedDocument < document.integer("/workload/sequence_length", 0))
        document.fill("/workload/document_length", profile.packedDocument, why);
    // Gradients and states of weights that are kept in 16 bit alone have their format (PyTorch's optimizers make states like their parameters).
    FrameworkProfile kept = profile;
    applyWeightPrecision(document, kept);
    const bool narrowed = kept.weightBytes < profile.weightBytes || kept.optimizerBytes < profile.optimizerBytes;
    const bool halved = profile.fp16GradientBytes > 0 && document.says("/workload/precision", Precision::fp16);
    document.fill("/workload/gradient_precision", precisionOfBytes(halved ? profile.fp16GradientBytes : kept.gradientBytes), why);
    document.fill("/workload/optimizer_precision", wordOf(narrowed ? Precision::bf16 : Precision::fp32), narrowed ? "states have the format of the weights" : why);

    const ChunkRule& chunks = traitsOf(readSchedule(document)).chunks;
    if (chunks.perStage > 1) document.fill("/parallelism/virtual_pipeline", chunks.perStage, std::string(chunks.why));
    document.fillFallbacks("/parallelism", section("parallelism").shape.fields);
    const int perStage = document.integer("/parallelism/virtual_pipeline", 1);
    document.fill("/parallelism/schedule", wordOf(usualOrder(perStage)),
                  perStage > 1 ? "the default with more than one chunk per stage" : "the default");
}

} // namespace orrery
