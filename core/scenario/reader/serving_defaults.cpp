// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/serving_defaults.hpp"
#include "core/order/serving/policy_traits.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/serving_words.hpp"

#include <algorithm>

namespace orrery {
namespace {

const std::string engineIn = "/workload/engine/";
constexpr const char *calibratedKey = "calibrated_weights", *withoutGraphsKey = "without_graphs";

/// What of a profile's defaults says anything to a workload that does not train. `share`: of its engine's settings, one that another answers.
Json withoutTraining(const FrameworkProfile& profile, const std::string& kind, const std::string& share) {
    Json fragment = profile.defaults;
    if (!fragment.is_object()) return Json::object();
    for (const char* key : {"fine_tuning", calibratedKey, withoutGraphsKey}) fragment.erase(key);
    if (fragment.contains("execution")) {
        Json& execution = fragment["execution"];
        for (const char* key : {"recompute", "offload"}) execution.erase(key);
        if (execution.contains("overlap")) execution["overlap"].erase("data");
    }
    if (fragment.contains("parallelism"))
        for (const char* key : {"virtual_pipeline", "schedule", "zero_stage", "shard_group", "sequence", "data"}) fragment["parallelism"].erase(key);
    if (fragment.contains("workload")) {
        Json engine = kind == "serving" && fragment["workload"].contains("engine") ? Json(fragment["workload"]["engine"]) : Json();
        fragment.erase("workload");
        if (engine.is_object() && !share.empty()) engine.erase(share);
        if (engine.is_object()) fragment["workload"]["engine"] = std::move(engine);
    }
    return fragment;
}

void fillConditional(FilledDocument& document, const FrameworkProfile& profile, const char* key, const char* when) {
    if (profile.defaults->is_object() && profile.defaults->contains(key)) document.fillFragment("", profile.defaults->at(key), "default of the profile " + profile.id + " " + when);
}

} // namespace

const FrameworkProfile& newestServingFramework(const Catalog& catalog) {
    const FrameworkProfile* newest = nullptr;
    for (const FrameworkProfile& profile : catalog.frameworks())
        if (profile.id.starts_with("vllm") && (!newest || profile.year > newest->year)) newest = &profile;
    return newest ? *newest : catalog.newestFramework();
}

void fillCalibratedDefaults(FilledDocument& document, const FrameworkProfile& profile, const Architecture* model) {
    const bool serves = document.text("/workload/kind") == "serving";
    const std::string scalesAt = "/workload/activation_scales", cacheAt = serves ? engineIn + "kv_cache_dtype" : "/workload/kv_cache_precision";
    const char* recipeAt = "/workload/fp8_recipe";
    const bool byTensor = document.says("/workload/precision", Precision::fp8) && !document.says(recipeAt, Fp8Recipe::block) && !document.says(recipeAt, Fp8Recipe::rowwise);
    const bool isScaled = byTensor || document.says("/workload/precision", Precision::nvfp4);
    const bool hasCheckpoints = isScaled && profile.defaults->is_object() && profile.defaults->contains(calibratedKey) && model && !model->latent;
    // Whoever says 16 bit of the cache speaks of a checkpoint that does not quantise it; `auto` says nothing.
    const bool cacheIsWhole = document.says(cacheAt, Precision::bf16) || document.says(cacheAt, Precision::fp16);
    if (isScaled) {
        const bool calibrated = hasCheckpoints && !cacheIsWhole;
        document.fill(scalesAt, wordOf(calibrated ? ActivationScales::calibrated : ActivationScales::at_run_time),
                      calibrated       ? "of the checkpoints that the profile " + profile.id + " runs in this precision"
                      : hasCheckpoints ? "the cache is said to have 16 bit, and checkpoints with scales would bring one in 8 bit"
                                       : "the profile " + profile.id + " names no checkpoints with scales");
    }
    const char* why = "for calibrated weights: their checkpoints say so";
    const bool isCalibrated = hasCheckpoints && document.says(scalesAt, ActivationScales::calibrated);
    if (isCalibrated && serves) fillConditional(document, profile, calibratedKey, why);
    if (serves) return;
    const Json::json_pointer cacheInProfile("/workload/engine/kv_cache_dtype");
    if (isCalibrated && profile.defaults->at(calibratedKey).contains(cacheInProfile))
        document.fill(cacheAt, profile.defaults->at(calibratedKey).at(cacheInProfile), "default of the profile " + profile.id + " " + why);
    document.fill(cacheAt, "auto", "the model's 16 bit, unless a cache is quantised");
}

void fillInstanceDefaults(FilledDocument& document, const FrameworkProfile& profile) {
    const std::string why = "default of the profile " + profile.id, kind = document.text("/workload/kind");
    if (kind == "serving" && !document.boolean("/execution/cuda_graphs", true)) fillConditional(document, profile, withoutGraphsKey, "without CUDA graphs");
    // How much memory the engine takes is said once: of all there is, or of what the model leaves.
    const std::string ofAll = "gpu_memory_utilization", ofFree = "kv_cache_free_gpu_memory_fraction";
    const std::string answered = document.has(engineIn + ofAll) ? ofFree : document.has(engineIn + ofFree) ? ofAll
                                                                                                           : std::string();
    document.fillFragment("", withoutTraining(profile, kind, answered), why);
    document.fill("/execution/attention", profile.flashAttention ? "flash" : "unfused", why);
    for (const char* key : {"compile", "cuda_graphs", "overlap/tensor", "overlap/pipeline", "overlap/expert"})
        document.fill(std::string("/execution/") + key, false, "the default");
    for (const char* key : {"tensor", "pipeline", "context", "attention_data"})
        document.fill(std::string("/parallelism/") + key, 1, "the default");
    document.fill("/parallelism/order", "tp-cp-ep-dp-pp", "the default");
}

void fillEngineDefaults(FilledDocument& document, const FrameworkProfile& profile, const Accelerator& accelerator, std::int64_t positions, const std::function<int()>& longestPrompt) {
    const auto fill = [&](const char* key, Json value, std::string why) { document.fill(engineIn + key, std::move(value), std::move(why)); };
    const std::string vllm = "vLLM's default";
    fill("scheduler_policy", "vllm", "the profile " + profile.id + " names no scheduler: vLLM's");
    const auto policy = fromText<SchedulerPolicy>(document.text(engineIn + "scheduler_policy"));
    const EngineDefaults whose = policy ? traitsOf(*policy).defaults : EngineDefaults::vllm;
    const bool v0 = whose == EngineDefaults::vllm_v0;
    fill("block_size", 16, vllm);
    if (!document.has(engineIn + "kv_cache_free_gpu_memory_fraction")) fill("gpu_memory_utilization", 0.9, vllm);
    fill("kv_cache_dtype", "auto", vllm + ": the model's 16 bit");
    constexpr int lengthOfUnknown = 2048, chunksBeyond = 32768, chunk = 512;
    fill("max_model_len", positions > 0 ? positions : lengthOfUnknown, positions > 0 ? "the model's positions" : "vLLM's, of a model that names no positions");
    const int length = document.integer(engineIn + "max_model_len");
    fill("enable_chunked_prefill", !v0 || length > chunksBeyond, v0 ? "vLLM 0.6 splits prompts where max_model_len is above 32768" : vllm);
    fill("enable_prefix_caching", !v0, vllm);
    fill("async_scheduling", false, vllm);
    fill("scheduling_policy", "fcfs", vllm);
    const bool chunked = document.boolean(engineIn + "enable_chunked_prefill");
    // vLLM looks at the memory and at the name: the A100's 80 GB do not count (vLLM pull request 17885).
    const bool large = accelerator.memoryBytes >= 70 * units::gibibyte && accelerator.id.find("a100") == std::string::npos;
    const std::string size = large ? "vLLM's for servers on accelerators of 70 GiB and more, but A100" : "vLLM's for servers on accelerators below 70 GiB, and A100";
    if (whose == EngineDefaults::trtllm) {
        constexpr int builtFor = 8192;
        const int whole = chunked || document.has(engineIn + "max_num_batched_tokens") ? 0 : longestPrompt() + document.integer(engineIn + "max_num_seqs");
        fill("max_num_batched_tokens", std::max(builtFor, whole),
             whole > builtFor ? "the longest prompt beside a token of every sequence: prompts are not split, and TensorRT-LLM's benchmarks fit the limit to the requests"
                              : "TensorRT-LLM's max_num_tokens");
    } else if (v0) fill("max_num_batched_tokens", chunked ? chunk : std::max(length, lengthOfUnknown), chunked ? "vLLM 0.6's with chunked prefill" : "vLLM's: a whole prompt, at least 2048");
    else if (chunked) fill("max_num_batched_tokens", large ? 8192 : 2048, size);
    else fill("max_num_batched_tokens", std::max(length, large ? 8192 : 2048), "a whole prompt, for prompts are not split");
    const int usual = large && !v0 ? 1024 : 256;
    const int tokens = document.integer(engineIn + "max_num_batched_tokens");
    fill("max_num_seqs", std::min(usual, tokens), usual <= tokens ? (v0 ? vllm : size) : "no more than tokens of a step");
    fill("router", "round_robin", "the default");
}

void fillRequestDefaults(FilledDocument& document) {
    const std::string at = "/workload/requests/";
    if (document.has(at + "file")) {
        document.fill(at + "hash_block_size", 512, "the default");
    } else {
        document.fill(at + "shared_prefix_tokens", 0, "the default");
        document.fill(at + "seed", 0, "the default");
        if (document.text(at + "arrival/process") == "closed_loop")
            document.fill(at + "arrival/ramp_s", 0, "benchmarks' clients begin with all at once (vLLM's --max-concurrency without a rate): requests of equal length then stay in step");
        if (document.text(at + "arrival/process") == "gamma") document.fill(at + "arrival/burstiness", 1, "vLLM's benchmark: as poisson");
    }
    const std::string drafts = engineIn + "speculative";
    if (!document.has(drafts)) return;
    const DraftMethod method = fromWord<DraftMethod>(document.text(drafts + "/method")).value_or(DraftMethod::ngram);
    document.fill(drafts + "/tokens", usualDrafts(method), method == DraftMethod::mtp ? "one next-token module" : "a common number");
    document.fill(drafts + "/acceptance", usualAcceptance, "a common chance; measure your own");
}

} // namespace orrery
