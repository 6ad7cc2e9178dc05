// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/defaults.hpp"

#include "core/base/json.hpp"

#include <string_view>

namespace orrery {

namespace {

std::string precisionOfBytes(double bytes) { return bytes >= 4 ? "fp32" : "bf16"; }

const Field& section(const std::string& key) { return *findField(scenarioShape(), Json::object(), key); }

} // namespace

void fillDefaults(FilledDocument& document, const FrameworkProfile& profile) {
    const std::string why = "default of the profile " + profile.id;
    const bool fineTuned = document.text("/workload/task") == "sft" || document.text("/workload/task") == "lora";
    if (profile.defaults->is_object()) {
        Json always = profile.defaults;
        always.erase("fine_tuning");
        if (fineTuned && profile.defaults->contains("fine_tuning")) document.fillFragment("", profile.defaults->at("fine_tuning"), why + " for fine-tuning");
        document.fillFragment("", always, why);
    }
    document.fill("/execution/attention", profile.flashAttention ? "flash" : "unfused", why);
    document.fill("/execution/recompute", "none", "the default");
    for (const char* key : {"compile", "cuda_graphs", "overlap/data", "overlap/tensor", "overlap/pipeline", "overlap/expert"})
        if (!profile.experts.overlapsBetweenDomains || std::string_view(key) != "overlap/expert") document.fill(std::string("/execution/") + key, false, "the default");

    for (const Variant& variant : section("workload").shape.variants)
        if (variant.word == document.text("/workload/kind")) document.fillFallbacks("/workload", variant.fields);
    if (document.text("/workload/task") == "lora") document.fill("/workload/lora_rank", 16, "a common rank");
    if (fineTuned && profile.packedDocument > 0 && profile.packedDocument < document.integer("/workload/sequence_length", 0))
        document.fill("/workload/document_length", profile.packedDocument, why);
    const bool halved = profile.fp16GradientBytes > 0 && document.text("/workload/precision") == "fp16";
    document.fill("/workload/gradient_precision", precisionOfBytes(halved ? profile.fp16GradientBytes : profile.gradientBytes), why);
    document.fill("/workload/optimizer_precision", "fp32", why);

    const std::string schedule = document.text("/parallelism/schedule");
    if (schedule == "zb-v" || schedule == "v-half" || schedule == "v-min") document.fill("/parallelism/virtual_pipeline", 2, "a V's way down and its way back");
    document.fillFallbacks("/parallelism", section("parallelism").shape.fields);
    const bool chunked = document.integer("/parallelism/virtual_pipeline", 1) > 1;
    document.fill("/parallelism/schedule", chunked ? "interleaved" : "1f1b",
                  chunked ? "the default with more than one chunk per stage" : "the default");
}

} // namespace orrery
