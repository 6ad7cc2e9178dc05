// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/import/served_parts.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

// `vllm serve`, `vllm bench` and the older `vllm.entrypoints`, with the names of vLLM 0.11's engine arguments.

namespace orrery {
namespace {

const std::vector<ServedNumber>& vllmNumbers() {
    static const std::vector<ServedNumber> numbers{
        {"max-num-seqs", "/workload/engine/max_num_seqs"},
        {"max-num-batched-tokens", "/workload/engine/max_num_batched_tokens"},
        {"max-model-len", "/workload/engine/max_model_len"},
        {"block-size", "/workload/engine/block_size"},
        {"stream-interval", "/workload/engine/stream_interval"},
        {"gpu-memory-utilization", "/workload/engine/gpu_memory_utilization", ServedValue::amount},
    };
    return numbers;
}

const std::vector<ServedSwitch>& vllmSwitches() {
    static const std::vector<ServedSwitch> switches{
        {"enable-chunked-prefill", "/workload/engine/enable_chunked_prefill"},
        {"no-enable-chunked-prefill", "/workload/engine/enable_chunked_prefill", false},
        {"enable-prefix-caching", "/workload/engine/enable_prefix_caching"},
        {"no-enable-prefix-caching", "/workload/engine/enable_prefix_caching", false},
        {"async-scheduling", "/workload/engine/async_scheduling"},
        {"no-async-scheduling", "/workload/engine/async_scheduling", false},
        {"enforce-eager", "/execution/cuda_graphs", false},
    };
    return switches;
}

const std::vector<IgnoredOption>& vllmIgnored() {
    static const std::vector<IgnoredOption> ignored = [] {
        std::vector<IgnoredOption> all = servedIgnoredOptions();
        constexpr const char* kernels = "the profile holds what its kernels and graphs do";
        all.insert(all.end(), {{"swap-space", "version 0.11 preempts by computing again"},
                               {"compilation-config*", kernels},
                               {"O*", kernels},
                               {"cc", kernels},
                               {"cc.*", kernels},
                               {"cuda-graph-sizes", kernels},
                               {"max-seq-len-to-capture", kernels},
                               {"disable-custom-all-reduce", kernels},
                               {"data-parallel-size-local", "the nodes are even"},
                               {"dpl", "the nodes are even"},
                               {"cudagraph-*", kernels},
                               {"max-cudagraph-*", kernels},
                               {"optimization-level", kernels},
                               {"attention-*", kernels},
                               {"kernel-config*", kernels},
                               {"disable-cascade-attn", kernels},
                               {"all2all-backend", "experts' exchange is that of the profile"},
                               {"disable-nccl-for-dp-synchronization", kernels},
                               {"expert-placement-strategy", "experts are as busy as expert_load says"},
                               {"enable-eplb", "experts are as busy as expert_load says"},
                               {"eplb-*", "experts are as busy as expert_load says"},
                               {"enable-flashinfer-autotune", kernels},
                               {"no-enable-flashinfer-autotune", kernels},
                               {"moe-backend", kernels},
                               {"linear-backend", kernels},
                               {"enable-ep-weight-filter", "loading a model is not simulated"},
                               {"disable-hybrid-kv-cache-manager", "the model's config says how far attention reaches"},
                               {"no-disable-hybrid-kv-cache-manager", "the model's config says how far attention reaches"},
                               {"numa-bind*", "it tells processes where to run"},
                               {"language-model-only", "text alone is simulated unless the scenario says images"},
                               {"default-chat-template-kwargs", "tokens are turned into text beside the engine"},
                               {"profiler-config*", "logging and metrics are not simulated"},
                               {"speed-bench-*", "it tells a client what to send"},
                               {"temperature", "it tells a client what to send"},
                               {"top-p", "it tells a client what to send"},
                               {"top-k", "it tells a client what to send"},
                               {"min-p", "it tells a client what to send"}});
        return all;
    }();
    return ignored;
}

const std::vector<std::string>& vllmKnown() {
    static const std::vector<std::string> known{"model", "tensor-parallel-size", "pipeline-parallel-size", "data-parallel-size", "enable-expert-parallel", "max-num-seqs", "max-num-batched-tokens", "max-model-len", "block-size", "gpu-memory-utilization", "kv-cache-dtype", "quantization", "dtype", "enable-chunked-prefill", "enable-prefix-caching", "async-scheduling", "enforce-eager", "scheduling-policy", "speculative-config", "eplb-config", "config", "num-prompts", "request-rate", "max-concurrency", "random-input-len", "random-output-len"};
    return known;
}

/// Options whose own value has a slash: paths, addresses and names of other models.
bool takesPath(const std::string& name) {
    static constexpr std::string_view paths[] = {"tokenizer", "chat-template", "download-dir", "hf-config-path", "config", "root-path", "api-key", "otlp-traces-endpoint", "lora-modules", "logits-processors", "middleware", "tool-parser-plugin", "reasoning-parser-plugin", "model-impl", "speculative-model", "speculative-config", "qlora-adapter-name-or-path", "served-model-name", "allowed-local-media-path", "log-config-file", "generation-config", "quantization-param-path", "worker-cls", "worker-extension-cls", "data-parallel-address", "master-addr", "kv-transfer-config", "prompt-adapters", "ssl-keyfile", "ssl-certfile", "ssl-ca-certs", "tool-server", "revision", "uds"};
    return std::find(std::begin(paths), std::end(paths), name) != std::end(paths);
}

/// `vllm serve --trust-remote-code --tensor-parallel-size 2 ORG/MODEL`: the model may stand behind any option, one that takes no value or
/// behind the value of one. The last such word is it.
std::optional<std::string> modelBehindOptions(OptionList& options) {
    std::optional<std::string> model;
    GivenOption* behind = nullptr;
    for (GivenOption& option : options.all()) {
        const std::size_t own = takesPath(option.name) || option.name.find('.') != std::string::npos ? 1 : 0;
        if (option.values.size() <= own) continue;
        const std::string& last = option.values.back();
        const bool isModel = last.find('/') != std::string::npos && last.find_first_of("={ ") == std::string::npos && last.find("://") == std::string::npos && !leftOpen(last);
        if (!isModel) continue;
        model = last;
        behind = &option;
    }
    if (behind) behind->values.pop_back();
    return model;
}

/// vLLM's whole numbers may end with k, m, g (thousands) or K, M, G (powers of 1024): "--max-model-len 32k".
void spellOut(OptionList& options, const char* name) {
    for (GivenOption& option : options.all()) {
        if (option.name != name || option.values.empty() || option.values.front().size() < 2) continue;
        std::string& text = option.values.front();
        const std::string letters = "kmgKMG";
        const std::size_t at = letters.find(text.back());
        const auto number = at == std::string::npos ? std::nullopt : anyNumber(text.substr(0, text.size() - 1));
        if (!number || *number < 0) continue;
        double value = *number;
        for (std::size_t power = 0; power <= at % 3; ++power) value *= at < 3 ? 1000 : 1024;
        if (value <= double(ScenarioDraft::mostNumber)) text = std::to_string(static_cast<std::int64_t>(value));
    }
}

struct VllmSettings {
    Json values = Json::object();
    int line = 0;
};

/// '{"method": "ngram", …}', or one key an option: --speculative-config.method ngram.
VllmSettings settingsOf(ScenarioDraft& draft, OptionList& options, const std::string& name, const char* mend) {
    VllmSettings settings;
    if (const GivenOption* option = options.take(name)) {
        settings.line = option->line;
        Problems problems;
        const auto parsed = parseJsonText(option->value(), draft.fileName(), problems);
        if (parsed && parsed->is_object()) settings.values = *parsed;
        else draft.warn(settings.line, "option-not-understood", "--" + name + " is no JSON object; it has no effect.", mend);
    }
    for (GivenOption& option : options.all()) {
        if (!option.name.starts_with(name + ".")) continue;
        option.used = true;
        settings.line = option.line;
        std::string key = option.written.substr(option.written.rfind('.') + 1);
        for (char& c : key) c = c == '-' ? '_' : c;
        const auto number = wholeNumber(option.value());
        settings.values[key] = number ? Json(*number) : Json(option.value());
    }
    return settings;
}

/// `num_redundant_experts` of --eplb-config, which once was an option of its own. The rest says how copies find their places, which is not simulated.
void readExpertCopies(ScenarioDraft& draft, const ImportInput& input, OptionList& options) {
    const std::string older = "num-redundant-experts";
    const int olderLine = options.has(older) ? lineOf(options, older) : 0;
    if (const auto copies = options.has(older) ? draft.number(options, older, 0) : std::nullopt) placeExpertCopies(draft, input, *copies, olderLine);
    const VllmSettings balancing = settingsOf(draft, options, "eplb-config", "Set expert_slots in the scenario.");
    const auto copies = balancing.values.find("num_redundant_experts");
    if (copies != balancing.values.end() && copies->is_number_integer() && *copies <= ScenarioDraft::mostNumber) placeExpertCopies(draft, input, copies->get<std::int64_t>(), balancing.line);
}

/// `--kv-offloading-size`: GiB over all tensor ranks (vLLM's CacheConfig).
void readOffloadedCache(ScenarioDraft& draft, OptionList& options) {
    const std::string name = "kv-offloading-size";
    const auto size = options.has(name) ? draft.amount(options, name) : std::nullopt;
    constexpr double gigabytes = 1.073741824;
    if (size && *size > 0) draft.set("/workload/engine/kv_tiers", Json::array({Json{{"kind", "host"}, {"capacity_gb", *size * gigabytes}}}));
}

class VllmSpeculation {
public:
    VllmSpeculation(ScenarioDraft& draft, OptionList& options) : draft_(draft), options_(options) {}

    void read() {
        const VllmSettings config = settingsOf(draft_, options_, "speculative-config", "Set speculative decoding in the scenario.");
        if (!config.values.empty()) place(config.values, config.line);
    }

private:
    void place(const Json& config, int line) {
        const auto text = [&](const char* key) { return config.contains(key) && config.at(key).is_string() ? config.at(key).get<std::string>() : std::string(); };
        const std::string given = text("method"), model = text("model");
        std::string method = given;
        if (given.empty()) method = model == "ngram" || model == "[ngram]" ? "ngram" : "draft_model";
        else if (given == "eagle3") method = "eagle";
        else if (given.ends_with("_mtp")) method = "mtp";
        if (method != "ngram" && method != "draft_model" && method != "eagle" && method != "mtp") {
            draft_.warn(line, "option-not-understood", "Speculative decoding with method \"" + given + "\" was not understood and has no effect.", "Set the nearest of ngram, draft_model, eagle and mtp in the scenario.");
            return;
        }
        const std::string at = "/workload/engine/speculative";
        draft_.set(at + "/method", method);
        if (config.contains("num_speculative_tokens") && config.at("num_speculative_tokens").is_number_integer()) draft_.set(at + "/tokens", config.at("num_speculative_tokens"));
        if (method == "draft_model" && !model.empty()) draft_.set(at + "/draft_model", servedModel(model).preset);
        draft_.noteAssumed(at + "/acceptance", "A command line does not say how often drafts are accepted.", "Set what you measured.");
        for (const auto& [key, value] : config.items())
            if (key != "method" && key != "model" && key != "num_speculative_tokens") draft_.note(line, "option-ignored", "\"" + key + "\" of the speculative configuration was ignored on purpose: acceptance stands for how drafts are found.");
    }

    ScenarioDraft& draft_;
    OptionList& options_;
};

} // namespace

bool looksLikeVllm(const Launch& launch) {
    const std::string program = baseName(launch.program);
    return program == "vllm" || program.rfind("vllm-openai", 0) == 0 || launch.program.rfind("vllm.entrypoints", 0) == 0 || launch.program.rfind("dynamo.vllm", 0) == 0;
}

void importVllm(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    writeOutAbbreviations(options, vllmKnown(), vllmIgnored());
    mergeYamlFile(draft, input, options, "config", FileCounts::below);
    // serve MODEL; bench KIND --model MODEL
    const auto command = options.takeStray("serve");
    const bool bench = !command && options.takeStray("bench");
    if (bench) options.takeStray();
    const auto positional = command ? options.takeStray() : std::nullopt;
    std::optional<std::string> name = options.has("model") ? draft.text(options, "model") : std::nullopt;
    if (positional && !leftOpen(*positional)) name = *positional;
    if (command && !name && !positional) name = modelBehindOptions(options);
    if (!placeServedModel(draft, input, name, servedPrecision(draft, options))) return;
    draft.set("/execution/framework", "vllm-2025");

    ServedDegrees degrees;
    degrees.tensor = firstNumberOf(draft, options, {"tp", "tensor-parallel-size"}).value_or(1);
    degrees.pipeline = firstNumberOf(draft, options, {"pp", "pipeline-parallel-size"}).value_or(1);
    const std::int64_t data = firstNumberOf(draft, options, {"dp", "data-parallel-size"}).value_or(1);
    degrees.nodes = firstNumberOf(draft, options, {"nnodes"}).value_or(0);
    degrees.line = input.launch.line;
    if (switchGiven(options, "enable-expert-parallel").value_or(false)) {
        degrees.attentionData = data;
        degrees.expert = degrees.tensor * data;
    } else {
        degrees.replicas = data;
        if (data > 1) draft.noteAssumed("/parallelism/data", "Data-parallel ranks were taken as instances of their own.", "For experts shared between them, set attention_data and expert.");
    }
    if (!placeInstances(draft, degrees, input.options)) return;

    for (const char* whole : {"max-num-batched-tokens", "max-model-len"}) spellOut(options, whole);
    takeNumbers(draft, options, vllmNumbers());
    takeSwitches(draft, options, vllmSwitches());
    takeCacheFormat(draft, options, "kv-cache-dtype");
    readOffloadedCache(draft, options);
    if (const auto policy = options.has("scheduling-policy") ? takeWord(draft, options, "scheduling-policy", {{"fcfs", "fcfs"}, {"priority", "priority"}}) : std::nullopt) draft.set("/workload/engine/scheduling_policy", *policy);
    VllmSpeculation(draft, options).read();
    readExpertCopies(draft, input, options);
    placeRequests(draft, options);
    reportLeftOptions(draft, options, vllmIgnored(), vllmKnown(), servedRefusedOptions());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
