// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/import/served_parts.hpp"

// `python -m sglang.launch_server` and `sglang serve`, with the names of SGLang's server arguments.

namespace orrery {
namespace {

const std::vector<ServedNumber>& sglangNumbers() {
    static const std::vector<ServedNumber> numbers{
        {"max-running-requests", "/workload/engine/max_num_seqs"},
        {"context-length", "/workload/engine/max_model_len"},
        {"page-size", "/workload/engine/block_size"},
        {"scheduler-recv-interval", "/workload/engine/scheduler_recv_interval"},
        {"stream-interval", "/workload/engine/stream_interval"},
        {"mem-fraction-static", "/workload/engine/gpu_memory_utilization", ServedValue::amount},
    };
    return numbers;
}

const std::vector<ServedSwitch>& sglangSwitches() {
    static const std::vector<ServedSwitch> switches{
        {"disable-radix-cache", "/workload/engine/enable_prefix_caching", false},
        {"disable-overlap-schedule", "/workload/engine/async_scheduling", false},
        {"disable-cuda-graph", "/execution/cuda_graphs", false},
        {"enable-torch-compile", "/execution/compile"},
    };
    return switches;
}

const std::vector<IgnoredOption>& sglangIgnored() {
    static const std::vector<IgnoredOption> ignored = [] {
        std::vector<IgnoredOption> all = servedIgnoredOptions();
        constexpr const char* kernels = "the profile holds what its kernels and graphs do";
        all.insert(all.end(), {{"attention-backend", kernels},
                               {"prefill-attention-backend", kernels},
                               {"decode-attention-backend", kernels},
                               {"sampling-backend", kernels},
                               {"moe-runner-backend", kernels},
                               {"cuda-graph-*", kernels},
                               {"disable-custom-all-reduce", kernels},
                               {"enable-mscclpp", kernels},
                               {"enable-p2p-check", kernels},
                               {"torch-compile-max-bs", kernels},
                               {"dsa-*", kernels},
                               {"nsa-*", kernels},
                               {"mm-attention-backend", kernels},
                               {"fp8-gemm-backend", kernels},
                               {"fp4-gemm-backend", kernels},
                               {"bf16-gemm-backend", kernels},
                               {"disable-flashinfer-*", kernels},
                               {"flashinfer-*", kernels},
                               {"enable-flashinfer-*", kernels},
                               {"enable-aiter-*", kernels},
                               {"enable-fused-*", kernels},
                               {"disable-cuda-graph-padding", kernels},
                               {"enable-nccl-nvls", kernels},
                               {"enable-symm-mem", kernels},
                               {"enable-torch-symm-mem", kernels},
                               {"disable-piecewise-cuda-graph", kernels},
                               {"enforce-piecewise-cuda-graph", kernels},
                               {"piecewise-cuda-graph-*", kernels},
                               {"triton-attention-*", kernels},
                               {"disable-shared-experts-fusion", kernels},
                               {"disable-chunked-prefix-cache", kernels},
                               {"enable-attn-tp-input-scattered", kernels},
                               {"enable-dp-lm-head", kernels},
                               {"torchao-config", kernels},
                               {"ep-dispatch-algorithm", "experts are as busy as expert_load says"},
                               {"init-expert-location", "experts are as busy as expert_load says"},
                               {"enable-eplb", "experts are as busy as expert_load says"},
                               {"eplb-*", "experts are as busy as expert_load says"},
                               {"expert-distribution-*", "logging and metrics are not simulated"},
                               {"enable-expert-distribution-metrics", "logging and metrics are not simulated"},
                               {"speculative-*", "acceptance stands for how drafts are found"},
                               {"enable-multi-layer-eagle", "acceptance stands for how drafts are found"},
                               {"radix-eviction-policy", "the longest unused beginnings go first"},
                               {"schedule-conservativeness", "requests are taken as memory allows"},
                               {"num-reserved-decode-tokens", "requests are taken as memory allows"},
                               {"soft-watchdog-timeout", "nothing hangs"},
                               {"watchdog-timeout", "nothing hangs"},
                               {"deepep-*", kernels},
                               {"speculative-eagle-topk", "acceptance stands for how drafts are found"},
                               {"weight-loader-*", "loading a model is not simulated"},
                               {"linear-attn-*", kernels},
                               {"prefill-round-robin-balance", "which instance a request goes to is the scenario's `router`"},
                               {"dist-timeout", "it tells processes where to find each other"},
                               {"speculative-num-steps", "the number of draft tokens says how many are checked"}});
        return all;
    }();
    return ignored;
}

const std::vector<std::string>& sglangKnown() {
    static const std::vector<std::string> known{"model-path", "tp", "tp-size", "pp-size", "dp-size", "ep-size", "enable-dp-attention", "max-running-requests", "context-length", "page-size", "mem-fraction-static", "chunked-prefill-size", "disable-radix-cache", "disable-overlap-schedule", "disable-cuda-graph", "kv-cache-dtype", "quantization", "dtype", "speculative-algorithm", "speculative-num-draft-tokens", "speculative-draft-model-path", "ep-num-redundant-experts", "nnodes", "config"};
    return known;
}

void readChunks(ScenarioDraft& draft, OptionList& options) {
    const GivenOption* given = options.take("chunked-prefill-size");
    if (!given) return;
    const auto size = given->values.empty() ? std::nullopt : wholeNumber(given->values.front());
    if (size && *size < 1) draft.set("/workload/engine/enable_chunked_prefill", false); // -1: prompts whole
    else if (const auto tokens = draft.number(options, "chunked-prefill-size")) {
        draft.set("/workload/engine/enable_chunked_prefill", true);
        draft.set("/workload/engine/max_num_batched_tokens", *tokens);
    }
}

void readSglangSpeculation(ScenarioDraft& draft, OptionList& options) {
    static const std::vector<ServedWord> methods{{"EAGLE", "eagle"}, {"EAGLE3", "eagle"}, {"NEXTN", "mtp"}, {"NGRAM", "ngram"}, {"STANDALONE", "draft_model"}};
    const auto method = options.has("speculative-algorithm") ? takeWord(draft, options, "speculative-algorithm", methods) : std::nullopt;
    const auto tokens = options.has("speculative-num-draft-tokens") ? draft.number(options, "speculative-num-draft-tokens") : std::nullopt;
    const auto model = options.has("speculative-draft-model-path") ? draft.text(options, "speculative-draft-model-path") : std::nullopt;
    if (!method) return;
    const std::string at = "/workload/engine/speculative";
    draft.set(at + "/method", *method);
    if (tokens) draft.set(at + "/tokens", *tokens);
    if (model && *method == "draft_model") draft.set(at + "/draft_model", servedModel(*model).preset);
    draft.noteAssumed(at + "/acceptance", "A command line does not say how often drafts are accepted.", "Set what you measured.");
}

/// HiCache. `--hicache-size` is in GB, of each rank (server_args.py); without it the host holds a ratio of what the device does.
void readHostCache(ScenarioDraft& draft, OptionList& options, const ServedDegrees& degrees) {
    static const std::vector<ServedWord> policies{{"write_through", "write_through"}, {"write_through_selective", "write_through"}, {"write_back", "on_eviction"}};
    const std::string name = "enable-hierarchical-cache";
    const int line = lineOf(options, name);
    if (!switchGiven(options, name).value_or(false)) return;
    const auto size = options.has("hicache-size") ? draft.number(options, "hicache-size", 0) : std::nullopt;
    const auto policy = options.has("hicache-write-policy") ? takeWord(draft, options, "hicache-write-policy", policies) : std::nullopt;
    if (!size || *size < 1) {
        draft.warn(line, "approximated", "How much --hicache-ratio gives the host is known only once the device's memory is shared out; no tier was taken.", "Give --hicache-size, or set kv_tiers in the scenario.");
        return;
    }
    const std::int64_t ranks = degrees.tensor * degrees.attentionData * degrees.pipeline;
    draft.set("/workload/engine/kv_tiers", Json::array({Json{{"kind", "host"}, {"capacity_gb", *size * ranks}, {"policy", policy.value_or("write_through")}}}));
}

ServedDegrees sglangDegrees(ScenarioDraft& draft, OptionList& options) {
    ServedDegrees degrees;
    const std::int64_t all = firstNumberOf(draft, options, {"tp", "tp-size", "tensor-parallel-size"}).value_or(1);
    const std::int64_t data = firstNumberOf(draft, options, {"dp", "dp-size", "data-parallel-size"}).value_or(1);
    const auto expert = firstNumberOf(draft, options, {"ep", "ep-size", "expert-parallel-size"});
    const bool eachForItself = switchGiven(options, "enable-ep-moe").value_or(false) || switchGiven(options, "enable-deepep-moe").value_or(false);
    // ServerArgs: an all-to-all between experts spreads them over all tensor ranks.
    const auto exchange = options.has("moe-a2a-backend") ? draft.text(options, "moe-a2a-backend") : std::nullopt;
    const bool exchanges = exchange && *exchange != "none";
    degrees.tensor = all;
    degrees.pipeline = firstNumberOf(draft, options, {"pp", "pp-size", "pipeline-parallel-size"}).value_or(1);
    degrees.expert = expert.value_or(eachForItself || exchanges ? all : 1);
    // Attention by data parallelism stays within the tensor ranks; without it a data-parallel rank is a server of its own.
    const int line = lineOf(options, "enable-dp-attention");
    if (!switchGiven(options, "enable-dp-attention").value_or(false)) {
        degrees.replicas = data;
    } else if (all % data == 0) {
        degrees.tensor = all / data;
        degrees.attentionData = data;
    } else {
        draft.warn(line, "option-not-understood", std::to_string(all) + " tensor ranks do not divide into " + std::to_string(data) + " attention groups; one was taken.", "Correct --tp or --dp.");
    }
    degrees.nodes = firstNumberOf(draft, options, {"nnodes"}).value_or(0);
    return degrees;
}

} // namespace

bool looksLikeSglang(const Launch& launch) { return launch.program.rfind("sglang.launch_server", 0) == 0 || launch.program.rfind("dynamo.sglang", 0) == 0 || baseName(launch.program) == "sglang"; }

void importSglang(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    writeOutAbbreviations(options, sglangKnown(), sglangIgnored());
    mergeYamlFile(draft, input, options, "config", FileCounts::below);
    options.takeStray("serve");
    std::optional<std::string> name;
    for (const char* option : {"model", "model-path"})
        if (options.has(option)) name = draft.text(options, option);
    if (!placeServedModel(draft, input, name, servedPrecision(draft, options))) return;
    draft.set("/execution/framework", "sglang-2025");
    ServedDegrees degrees = sglangDegrees(draft, options);
    degrees.line = input.launch.line;
    if (!placeInstances(draft, degrees, input.options)) return;
    takeNumbers(draft, options, sglangNumbers());
    if (draft.has("/workload/engine/gpu_memory_utilization"))
        draft.noteAssumed("/workload/engine/gpu_memory_utilization", "SGLang's --mem-fraction-static is the share for weights and cache; it was taken as the engine's whole share.", "Raise it by what activations and graphs take.");
    takeSwitches(draft, options, sglangSwitches());
    readChunks(draft, options);
    if (const auto policy = options.has("schedule-policy") ? draft.text(options, "schedule-policy") : std::nullopt; policy && *policy != "fcfs")
        draft.note(lineOf(options, "schedule-policy"), "approximated", "Requests are taken in the order in which they come, not by " + *policy + ".");
    if (switchGiven(options, "enable-priority-scheduling").value_or(false)) draft.set("/workload/engine/scheduling_policy", "priority");
    takeCacheFormat(draft, options, "kv-cache-dtype");
    readSglangSpeculation(draft, options);
    readHostCache(draft, options, degrees);
    const std::string copies = "ep-num-redundant-experts";
    if (options.has(copies)) {
        const int line = lineOf(options, copies);
        placeExpertCopies(draft, input, draft.number(options, copies, 0).value_or(0), line);
    }
    placeRequests(draft, options);
    reportLeftOptions(draft, options, sglangIgnored(), sglangKnown(), servedRefusedOptions());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
