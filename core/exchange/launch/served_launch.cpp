// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/order/serving/policy_traits.hpp"

// Commands of serving programs, and the benchmark that sends a scenario's requests: vLLM 0.11, SGLang 0.5, TensorRT-LLM 1.0.

namespace orrery {
namespace {

/// What the scenario says at a pointer; null where it says nothing.
Json stated(const Json& document, const char* pointer) { return document.value(Json::json_pointer(pointer), Json()); }

/// The catalogue's name of a model, or a word for one that the document describes.
std::string modelName(const Json& document) {
    const Json preset = stated(document, "/model/preset");
    return preset.is_string() ? preset.get<std::string>() : "MODEL";
}

void addNumber(LaunchOptions& options, const Json& document, const char* pointer, const char* name) {
    const Json value = stated(document, pointer);
    if (value.is_number()) options.add(name, value.dump());
}

/// One flag for what the scenario switches on, one for what it switches off; null: there is none.
void addSwitch(LaunchOptions& options, const Json& document, const char* pointer, const char* on, const char* off) {
    const Json value = stated(document, pointer);
    if (!value.is_boolean()) return;
    const char* name = value.get<bool>() ? on : off;
    if (name) options.flag(name);
}

void addCacheFormat(LaunchOptions& options, const Json& document, const char* name) {
    const Json format = stated(document, "/workload/engine/kv_cache_dtype");
    if (format.is_string() && (format == "auto" || format == "fp8")) options.add(name, format.get<std::string>());
    if (format == "bf16") options.add(name, "bfloat16");
}

/// The words of vLLM's and SGLang's --quantization for how weights are stored.
void addWeightFormat(LaunchOptions& options, const Scenario& scenario) {
    switch (precisionOf(scenario.workload)) {
    case Precision::bf16: return options.add("dtype", "bfloat16");
    case Precision::fp16: return options.add("dtype", "float16");
    case Precision::fp8: return options.add("quantization", "fp8");
    case Precision::mxfp8: return options.add("quantization", "mxfp8");
    case Precision::nvfp4: return options.add("quantization", "modelopt_fp4");
    case Precision::mxfp4: return options.add("quantization", "mxfp4");
    case Precision::int8: return options.add("quantization", "w8a8_int8");
    case Precision::int4: return options.add("quantization", "awq");
    default: return;
    }
}

Json speculationOf(const Json& document) { return stated(document, "/workload/engine/speculative"); }

/// Copies of experts beside one of each, and all places for them; 0 where the scenario speaks of none.
struct ExpertPlaces {
    std::int64_t copies = 0, slots = 0;
};

ExpertPlaces expertPlaces(const Json& document, const Scenario& scenario) {
    const Json slots = stated(document, "/workload/engine/expert_slots");
    if (!slots.is_number_integer() || !scenario.model.experts) return {};
    return {slots.get<std::int64_t>() - scenario.model.experts->count, slots.get<std::int64_t>()};
}

/// Requests that a law describes; recorded ones are a file's.
std::string loadText(const Json& document, const std::string& program) {
    const Json requests = stated(document, "/workload/requests");
    if (!requests.is_object() || requests.contains("file")) return {};
    LaunchOptions options;
    options.add("model", modelName(document));
    const auto number = [&](const char* key) { return requests.contains(key) && requests[key].is_number() ? requests[key] : Json(); };
    if (!number("count").is_null()) options.add("num-prompts", number("count").dump());
    const Json prefix = number("shared_prefix_tokens");
    if (!number("input_tokens").is_null()) options.add("random-input-len", number("input_tokens").get<std::int64_t>() - (prefix.is_null() ? 0 : prefix.get<std::int64_t>()));
    if (!number("output_tokens").is_null()) options.add("random-output-len", number("output_tokens").dump());
    if (!prefix.is_null()) options.add("random-prefix-len", prefix.dump());
    if (!number("seed").is_null()) options.add("seed", number("seed").dump());
    const Json arrival = requests.value("arrival", Json::object());
    const Json process = arrival.value("process", Json());
    if ((process == "poisson" || process == "gamma") && arrival.contains("rate_per_s")) options.add("request-rate", arrival["rate_per_s"].dump());
    if (process == "closed_loop" && arrival.contains("concurrency")) options.add("max-concurrency", arrival["concurrency"].dump());
    return "\n# The requests, once the server is up:\n" + commandText(program, options);
}

} // namespace

std::string vllmText(const Json& document, const Scenario& scenario) {
    LaunchOptions options;
    const Parallelism& plan = scenario.parallelism;
    options.add("tensor-parallel-size", plan.tensor);
    if (plan.pipeline > 1) options.add("pipeline-parallel-size", plan.pipeline);
    const bool shared = plan.attentionData > 1 || plan.expert > 1;
    if (shared ? plan.attentionData > 1 : plan.data > 1) options.add("data-parallel-size", shared ? plan.attentionData : plan.data);
    options.flag("enable-expert-parallel", shared);
    addWeightFormat(options, scenario);
    for (const auto& [key, name] : {std::pair("/workload/engine/max_num_seqs", "max-num-seqs"), std::pair("/workload/engine/max_num_batched_tokens", "max-num-batched-tokens"), std::pair("/workload/engine/max_model_len", "max-model-len"), std::pair("/workload/engine/block_size", "block-size"), std::pair("/workload/engine/stream_interval", "stream-interval"), std::pair("/workload/engine/gpu_memory_utilization", "gpu-memory-utilization")})
        addNumber(options, document, key, name);
    addSwitch(options, document, "/workload/engine/enable_chunked_prefill", "enable-chunked-prefill", "no-enable-chunked-prefill");
    addSwitch(options, document, "/workload/engine/enable_prefix_caching", "enable-prefix-caching", "no-enable-prefix-caching");
    addSwitch(options, document, "/workload/engine/async_scheduling", "async-scheduling", "no-async-scheduling");
    addSwitch(options, document, "/execution/cuda_graphs", nullptr, "enforce-eager");
    addCacheFormat(options, document, "kv-cache-dtype");
    if (const Json policy = stated(document, "/workload/engine/scheduling_policy"); policy.is_string()) options.add("scheduling-policy", policy.get<std::string>());
    if (const Json drafts = speculationOf(document); drafts.is_object()) {
        Json config{{"method", drafts.value("method", "ngram")}};
        if (drafts.contains("tokens")) config["num_speculative_tokens"] = drafts["tokens"];
        if (drafts.contains("draft_model")) config["model"] = drafts["draft_model"];
        options.add("speculative-config", "'" + config.dump() + "'");
    }
    if (const ExpertPlaces places = expertPlaces(document, scenario); places.copies > 0) {
        options.flag("enable-eplb");
        options.add("eplb-config", "'" + Json{{"num_redundant_experts", places.copies}}.dump() + "'");
    }
    return commandText("vllm serve " + modelName(document), options) + loadText(document, "vllm bench serve");
}

std::string sglangText(const Json& document, const Scenario& scenario) {
    LaunchOptions options;
    const Parallelism& plan = scenario.parallelism;
    options.add("model-path", modelName(document));
    options.add("tp", std::int64_t{plan.tensor} * plan.attentionData);
    if (plan.pipeline > 1) options.add("pp-size", plan.pipeline);
    if (plan.attentionData > 1 || plan.data > 1) options.add("dp", plan.attentionData > 1 ? plan.attentionData : plan.data);
    options.flag("enable-dp-attention", plan.attentionData > 1);
    if (plan.expert > 1) options.add("ep-size", plan.expert);
    addWeightFormat(options, scenario);
    for (const auto& [key, name] : {std::pair("/workload/engine/max_num_seqs", "max-running-requests"), std::pair("/workload/engine/max_model_len", "context-length"), std::pair("/workload/engine/block_size", "page-size"), std::pair("/workload/engine/scheduler_recv_interval", "scheduler-recv-interval"), std::pair("/workload/engine/stream_interval", "stream-interval"), std::pair("/workload/engine/gpu_memory_utilization", "mem-fraction-static")})
        addNumber(options, document, key, name);
    if (stated(document, "/workload/engine/enable_chunked_prefill") == false) options.add("chunked-prefill-size", std::int64_t{-1});
    else addNumber(options, document, "/workload/engine/max_num_batched_tokens", "chunked-prefill-size");
    addSwitch(options, document, "/workload/engine/enable_prefix_caching", nullptr, "disable-radix-cache");
    addSwitch(options, document, "/workload/engine/async_scheduling", nullptr, "disable-overlap-schedule");
    addSwitch(options, document, "/execution/cuda_graphs", nullptr, "disable-cuda-graph");
    addCacheFormat(options, document, "kv-cache-dtype");
    if (const Json drafts = speculationOf(document); drafts.is_object()) {
        const Json method = drafts.value("method", Json());
        options.add("speculative-algorithm", method == "eagle" ? "EAGLE" : method == "mtp"       ? "NEXTN"
                                                                       : method == "draft_model" ? "STANDALONE"
                                                                                                 : "NGRAM");
        if (drafts.contains("tokens")) options.add("speculative-num-draft-tokens", drafts["tokens"].dump());
        if (drafts.contains("draft_model")) options.add("speculative-draft-model-path", drafts["draft_model"].get<std::string>());
    }
    if (const ExpertPlaces places = expertPlaces(document, scenario); places.copies > 0) options.add("ep-num-redundant-experts", places.copies);
    return commandText("python -m sglang.launch_server", options) + loadText(document, "python -m sglang.bench_serving");
}

std::string trtllmText(const Json& document, const Scenario& scenario) {
    LaunchOptions options;
    const Parallelism& plan = scenario.parallelism;
    const bool shared = plan.attentionData > 1;
    options.add("tp_size", shared ? plan.attentionData : plan.tensor);
    if (plan.pipeline > 1) options.add("pp_size", plan.pipeline);
    if (plan.context > 1) options.add("cp_size", plan.context);
    if (plan.expert > 1) options.add("ep_size", plan.expert);
    for (const auto& [key, name] : {std::pair("/workload/engine/max_num_seqs", "max_batch_size"), std::pair("/workload/engine/max_num_batched_tokens", "max_num_tokens"), std::pair("/workload/engine/max_model_len", "max_seq_len")})
        addNumber(options, document, key, name);
    addNumber(options, document, "/workload/engine/kv_cache_free_gpu_memory_fraction", "kv_cache_free_gpu_memory_fraction");
    std::string yaml;
    const auto line = [&](const std::string& text) { yaml += text + "\n"; };
    if (shared) line("enable_attention_dp: true");
    const auto truth = [&](const char* pointer) { return stated(document, pointer); };
    if (const Json chunked = truth("/workload/engine/enable_chunked_prefill"); chunked.is_boolean()) line("enable_chunked_prefill: " + chunked.dump());
    if (truth("/workload/engine/async_scheduling") == false) line("disable_overlap_scheduler: true");
    const Json reuse = truth("/workload/engine/enable_prefix_caching"), block = truth("/workload/engine/block_size"), format = truth("/workload/engine/kv_cache_dtype");
    if (!reuse.is_null() || !block.is_null() || format == "fp8") {
        line("kv_cache_config:");
        if (reuse.is_boolean()) line("  enable_block_reuse: " + reuse.dump());
        if (block.is_number()) line("  tokens_per_block: " + block.dump());
        if (format == "fp8") line("  dtype: fp8");
    }
    const Json policy = truth("/workload/engine/scheduler_policy");
    if (const auto meant = policy.is_string() ? fromText<SchedulerPolicy>(policy.get<std::string>()) : std::nullopt; meant && !traitsOf(*meant).launchWord.empty()) {
        line("scheduler_config:");
        line("  capacity_scheduler_policy: " + std::string(traitsOf(*meant).launchWord));
    }
    if (const ExpertPlaces places = expertPlaces(document, scenario); places.slots > 0) {
        line("moe_config:");
        line("  load_balancer:");
        line("    num_slots: " + std::to_string(places.slots));
    }
    std::string before;
    if (!yaml.empty()) {
        before = "cat <<EOF > engine.yaml\n" + yaml + "EOF\n";
        options.add("extra_llm_api_options", "engine.yaml");
    }
    return before + commandText("trtllm-serve " + modelName(document), options) + loadText(document, "python -m sglang.bench_serving");
}

} // namespace orrery
