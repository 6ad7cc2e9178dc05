// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/import/served_parts.hpp"
#include "core/order/serving/policy_traits.hpp"

#include <utility>

// `trtllm-serve` and `trtllm-bench`, with their options and the keys of the file that --extra_llm_api_options (later --config) names.

namespace orrery {
namespace {

const std::vector<ServedNumber>& trtllmNumbers() {
    static const std::vector<ServedNumber> numbers{
        {"max-batch-size", "/workload/engine/max_num_seqs"},
        {"max-num-tokens", "/workload/engine/max_num_batched_tokens"},
        {"max-seq-len", "/workload/engine/max_model_len"},
        {"kv-cache-config.tokens-per-block", "/workload/engine/block_size"},
        {"stream-interval", "/workload/engine/stream_interval"},
    };
    return numbers;
}

const std::vector<ServedSwitch>& trtllmSwitches() {
    static const std::vector<ServedSwitch> switches{
        {"enable-chunked-prefill", "/workload/engine/enable_chunked_prefill"},
        {"enable-chunked-context", "/workload/engine/enable_chunked_prefill"},
        {"kv-cache-config.enable-block-reuse", "/workload/engine/enable_prefix_caching"},
        {"disable-kv-cache-reuse", "/workload/engine/enable_prefix_caching", false},
        {"disable-overlap-scheduler", "/workload/engine/async_scheduling", false},
        {"use-cuda-graph", "/execution/cuda_graphs"},
    };
    return switches;
}

const std::vector<IgnoredOption>& trtllmIgnored() {
    static const std::vector<IgnoredOption> ignored = [] {
        std::vector<IgnoredOption> all = servedIgnoredOptions();
        constexpr const char* kernels = "the profile holds what its kernels and graphs do";
        all.insert(all.end(), {{"cuda-graph-config.*", kernels},
                               {"cuda-graph-padding-enabled", kernels},
                               {"cuda-graph-batch-sizes", kernels},
                               {"moe-config.*", kernels},
                               {"moe-backend", kernels},
                               {"moe-load-balancer.*", "experts are as busy as expert_load says"},
                               {"layer-updates-per-iter", "experts are as busy as expert_load says"},
                               {"initial-global-assignments*", "experts are as busy as expert_load says"},
                               {"attn-backend", kernels},
                               {"allreduce-strategy", kernels},
                               {"use-torch-sampler", kernels},
                               {"enable-autotuner", kernels},
                               {"max-beam-width", "one beam is simulated"},
                               {"beam-width", "one beam is simulated"},
                               {"model-path", "the model's name says what it is"},
                               {"engine-dir", "the model's name says what it is"},
                               {"num-postprocess-workers", "tokens are turned into text beside the engine"},
                               {"iteration-log", "logging and metrics are not simulated"},
                               {"concurrency-list", "one run is simulated"},
                               {"custom-tokenizer", "tokenizers, templates and the form of answers are not simulated"},
                               {"custom-module-dirs", "loading a model is not simulated"},
                               {"cluster-size", "experts are split over their ranks alike"},
                               {"moe-cluster-parallel-size", "experts are split over their ranks alike"},
                               {"metadata-server-config-file", "it tells processes where to find each other"},
                               {"server-role", "it tells processes where to find each other"},
                               {"disagg-cluster-uri", "it tells processes where to find each other"},
                               {"cache-transceiver-config*", "it tells processes where to find each other"},
                               {"orchestrator-type", "it tells processes where to find each other"},
                               {"ray-worker-extension-cls", "it tells processes where to find each other"},
                               {"fail-fast-on-attention-window-too-large", "what doesn't fit is refused anyway"},
                               {"max-input-len", "a prompt and its answer share one limit"},
                               {"kv-cache-config.event-buffer-max-size", "logging and metrics are not simulated"},
                               {"kv-cache-config.enable-partial-reuse", "whole blocks are kept"},
                               {"kv-cache-config.copy-on-partial-reuse", "whole blocks are kept"},
                               {"kv-cache-config.sink-token-length", "the model's config says how far attention reaches"},
                               {"kv-cache-config.max-attention-window", "the model's config says how far attention reaches"},
                               {"attention-dp-config.*", "ranks take requests in turn"},
                               {"iter-stats-max-iterations", "logging and metrics are not simulated"},
                               {"request-stats-max-iterations", "logging and metrics are not simulated"},
                               {"enable-iter-*", "logging and metrics are not simulated"},
                               {"perf-metrics-max-requests", "logging and metrics are not simulated"},
                               {"enable-layerwise-nvtx-marker", "logging and metrics are not simulated"},
                               {"scheduler-config.context-chunking-policy", "prompts are cut where the tokens of a step end"},
                               {"batching-type", "requests join and leave at every step"},
                               {"normalize-log-probs", "tokens are turned into text beside the engine"},
                               {"gather-generation-logits", "tokens are turned into text beside the engine"},
                               {"postprocess-tokenizer-dir", "tokens are turned into text beside the engine"},
                               {"garbage-collection-gen0-threshold", kernels},
                               {"build-config*", kernels},
                               {"checkpoint-*", "loading a model is not simulated"},
                               {"sampler-type", kernels},
                               {"enable-mixed-sampler", kernels},
                               {"enable-trtllm-sampler", kernels},
                               {"torch-compile-config*", kernels},
                               {"enable-min-latency", kernels},
                               {"nvfp4-gemm-config*", kernels},
                               {"env-overrides*", kernels},
                               {"enable-lm-head-tp-in-adp", kernels},
                               {"num-serve-frontends", "it tells processes where to find each other"},
                               {"kv-cache-config.block-reuse-config.*", "whole blocks are kept"},
                               {"kv-cache-config.pool-ratio", "one pool holds all keys and values"},
                               {"kv-cache-config.avg-seq-len", "one pool holds all keys and values"},
                               {"kv-cache-config.use-kv-cache-manager-v2", kernels},
                               {"kv-cache-config.mamba-state-config.*", "states are kept as long as their request"},
                               {"speculative-config.use-mtp-vanilla", "acceptance stands for how drafts are found"},
                               {"cp-config*", "the degree says how many ranks share a sequence"}});
        return all;
    }();
    return ignored;
}

const std::vector<std::string>& trtllmKnown() {
    static const std::vector<std::string> known{"tp-size", "pp-size", "ep-size", "max-batch-size", "max-num-tokens", "max-seq-len", "extra-llm-api-options", "kv-cache-free-gpu-memory-fraction", "enable-attention-dp", "enable-chunked-prefill", "disable-overlap-scheduler", "kv-cache-config.dtype", "kv-cache-config.enable-block-reuse", "scheduler-config.capacity-scheduler-policy", "speculative-config.decoding-type", "num-requests", "concurrency"};
    return known;
}

ServedDegrees trtllmDegrees(ScenarioDraft& draft, OptionList& options) {
    ServedDegrees degrees;
    degrees.tensor = firstNumberOf(draft, options, {"tensor-parallel-size", "tp-size", "tp"}).value_or(1);
    degrees.pipeline = firstNumberOf(draft, options, {"pipeline-parallel-size", "pp-size", "pp"}).value_or(1);
    degrees.context = firstNumberOf(draft, options, {"context-parallel-size", "cp-size"}).value_or(1);
    degrees.expert = firstNumberOf(draft, options, {"moe-expert-parallel-size", "ep-size", "ep"}).value_or(1);
    degrees.nodes = firstNumberOf(draft, options, {"nnodes"}).value_or(0);
    // Every rank runs the attention of requests of its own.
    if (switchGiven(options, "enable-attention-dp").value_or(false)) std::swap(degrees.tensor, degrees.attentionData);
    return degrees;
}

/// Of what the loaded model leaves.
void readFreeShare(ScenarioDraft& draft, OptionList& options) {
    for (const char* name : {"kv-cache-free-gpu-memory-fraction", "kv-cache-free-gpu-mem-fraction", "free-gpu-memory-fraction", "kv-cache-config.free-gpu-memory-fraction"})
        if (options.has(name))
            if (const auto share = draft.amount(options, name)) draft.set("/workload/engine/kv_cache_free_gpu_memory_fraction", *share);
}

void readGraphs(ScenarioDraft& draft, OptionList& options) {
    bool keys = false;
    for (const GivenOption& option : options.all()) keys = keys || option.name.rfind("cuda-graph-config.", 0) == 0;
    const GivenOption* whole = options.take("cuda-graph-config");
    if (whole) draft.set("/execution/cuda_graphs", whole->value() != "null" && !whole->value().empty());
    else if (keys) draft.set("/execution/cuda_graphs", true);
}

/// The load balancer of experts says its slots itself, in the configuration or in a file that this names.
void readExpertSlots(ScenarioDraft& draft, const ImportInput& input, OptionList& options) {
    for (const char* name : {"moe-config.load-balancer", "moe-load-balancer"}) {
        mergeYamlFile(draft, input, options, name, FileCounts::above);
        const std::string inside = std::string(name) + ".num-slots";
        for (const std::string& slots : {inside, std::string("num-slots")})
            if (options.has(slots))
                if (const auto number = draft.number(options, slots)) draft.set("/workload/engine/expert_slots", *number);
    }
}

void readTrtllmSpeculation(ScenarioDraft& draft, OptionList& options) {
    static const std::vector<ServedWord> methods{{"MTP", "mtp"}, {"Eagle", "eagle"}, {"Eagle3", "eagle"}, {"NGram", "ngram"}, {"Draft_Target", "draft_model"}, {"DraftTarget", "draft_model"}};
    const std::string in = "speculative-config.";
    const auto method = options.has(in + "decoding-type") ? takeWord(draft, options, in + "decoding-type", methods) : std::nullopt;
    std::optional<std::int64_t> tokens;
    for (const char* name : {"num-nextn-predict-layers", "max-draft-len"})
        if (options.has(in + name)) tokens = draft.number(options, in + name);
    std::optional<std::string> model;
    for (const char* name : {"speculative-model", "speculative-model-dir"})
        if (options.has(in + name)) model = draft.text(options, in + name);
    if (!method) return;
    const std::string at = "/workload/engine/speculative";
    draft.set(at + "/method", *method);
    if (tokens) draft.set(at + "/tokens", *tokens);
    if (model && *method == "draft_model") draft.set(at + "/draft_model", servedModel(*model).preset);
    draft.noteAssumed(at + "/acceptance", "A command line does not say how often drafts are accepted.", "Set what you measured.");
}

} // namespace

bool looksLikeTrtllm(const Launch& launch) {
    const std::string program = baseName(launch.program);
    return program == "trtllm-serve" || program == "trtllm-bench" || launch.program.rfind("dynamo.trtllm", 0) == 0;
}

void importTrtllm(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    writeOutAbbreviations(options, trtllmKnown(), trtllmIgnored());
    for (const char* file : {"extra-llm-api-options", "config", "extra-engine-args"}) mergeYamlFile(draft, input, options, file, FileCounts::above);
    options.takeStray("serve");
    std::optional<std::string> name;
    for (const char* option : {"m", "model", "model-path"})
        if (options.has(option)) name = draft.text(options, option);
    const bool bench = baseName(input.launch.program) == "trtllm-bench";
    if (const auto positional = bench ? std::nullopt : options.takeStray(); positional && !leftOpen(*positional)) name = *positional;
    if (!placeServedModel(draft, input, name, servedPrecision(draft, options))) return;
    draft.set("/execution/framework", "trtllm-2025");
    ServedDegrees degrees = trtllmDegrees(draft, options);
    degrees.line = input.launch.line;
    if (!placeInstances(draft, degrees, input.options)) return;
    takeNumbers(draft, options, trtllmNumbers());
    takeSwitches(draft, options, trtllmSwitches());
    readGraphs(draft, options);
    for (const char* format : {"kv-cache-dtype", "kv-cache-config.dtype"}) takeCacheFormat(draft, options, format);
    // The configuration spells them in capitals, the benchmark's option in small letters.
    static const std::vector<ServedWord> policies = [] {
        std::vector<ServedWord> words;
        for (const PolicyTraits& traits : policyTraits) {
            if (traits.launchWord.empty()) continue;
            const std::string spelled(traits.launchWord), word(traits.word);
            words.push_back({spelled, word});
            words.push_back({lowered(spelled), word});
        }
        return words;
    }();
    for (const char* policy : {"scheduler-config.capacity-scheduler-policy", "scheduler-policy"})
        if (options.has(policy))
            if (const auto meant = takeWord(draft, options, policy, policies)) draft.set("/workload/engine/scheduler_policy", *meant);
    readFreeShare(draft, options);
    readTrtllmSpeculation(draft, options);
    readExpertSlots(draft, input, options);
    placeRequests(draft, options);
    reportLeftOptions(draft, options, trtllmIgnored(), trtllmKnown(), servedRefusedOptions());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
