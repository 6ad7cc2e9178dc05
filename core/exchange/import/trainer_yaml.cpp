// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/exchange/import/bridge_launch.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/exchange/import/trainer_import.hpp"

#include <algorithm>
#include <string_view>

// Keys of trainers' YAML files in the words of Megatron-LM and of Hugging Face's Trainer, whose readers do the rest.

namespace orrery {
namespace {

/// A key and the option that means the same; an empty option: the key says nothing that a scenario needs.
struct YamlKey {
    std::string_view key;
    std::string_view option;
};

constexpr YamlKey axolotlKeys[] = {
    {"base-model", "model-name-or-path"},
    {"sequence-len", "max-seq-length"},
    {"micro-batch-size", "per-device-train-batch-size"},
    {"optimizer", "optim"},
    {"flash-attention", "flash-attn"},
    {"lora-target-modules", "lora-target-modules"},
    {"tensor-parallel-size", "tensor-model-parallel-size"},
    {"base-model-config", ""},
    {"model-type", ""},
    {"tokenizer-type", ""},
    {"is-llama-derived-model", ""},
    {"sample-packing", ""},
    {"pad-to-sequence-len", ""},
    {"eval-sample-packing", ""},
    {"datasets", ""},
    {"test-datasets", ""},
    {"chat-template", ""},
    {"val-set-size", ""},
    {"num-epochs", ""},
    {"train-on-inputs", ""},
    {"saves-per-epoch", ""},
    {"evals-per-epoch", ""},
    {"early-stopping-patience", ""},
    {"resume-from-checkpoint", ""},
    {"auto-resume-from-checkpoints", ""},
    {"wandb-project", ""},
    {"wandb-entity", ""},
    {"wandb-watch", ""},
    {"wandb-name", ""},
    {"wandb-log-model", ""},
    {"hub-model-id", ""},
    {"special-tokens", ""},
    {"plugins", ""},
    {"strict", ""},
    {"debug", ""},
    {"xformers-attention", ""},
    {"lora-model-dir", ""},
    {"lora-fan-in-fan-out", ""},
    {"lora-mlp-kernel", ""},
    {"lora-qkv-kernel", ""},
    {"lora-o-kernel", ""},
    {"s2-attention", ""},
    {"fsdp-version", ""},
};

constexpr YamlKey nemoKeys[] = {
    {"trainer.devices", "nproc-per-node"},
    {"trainer.num-nodes", "nnodes"},
    {"model.micro-batch-size", "micro-batch-size"},
    {"model.global-batch-size", "global-batch-size"},
    {"model.encoder-seq-length", "encoder-seq-length"},
    {"model.virtual-pipeline-model-parallel-size", "num-virtual-stages-per-pipeline-rank"},
    {"model.activations-checkpoint-granularity", "recompute-granularity"},
    {"model.activations-checkpoint-method", "recompute-method"},
    {"model.activations-checkpoint-num-layers", "recompute-num-layers"},
    {"model.ub-tp-comm-overlap", "tp-comm-overlap"},
    {"model.overlap-p2p-comm", "overlap-p2p-communication"},
    {"model.rotary-percentage", "rotary-percent"},
    {"model.optim.overlap-grad-sync", "overlap-grad-reduce"},
    {"model.optim.overlap-param-sync", "overlap-param-gather"},
    {"model.tokenizer.type", "tokenizer-type"},
    {"model.tokenizer.model", "tokenizer-model"},
    {"model.num-moe-experts", "num-experts"},
    {"model.fp8-hybrid", "fp8-hybrid"},
    {"model.fp8-e4m3", "fp8-e4m3"},
};

const YamlKey* keyOf(const YamlKey* begin, const YamlKey* end, const std::string& name) {
    const YamlKey* found = std::find_if(begin, end, [&](const YamlKey& one) { return one.key == name; });
    return found == end ? nullptr : found;
}

bool isOff(const std::string& value) { return value == "false" || value == "False" || value == "null" || value == "None" || value == "~" || value.empty(); }

void put(OptionList& options, const std::string& name, const GivenOption& from, std::vector<std::string> values) {
    GivenOption option = from;
    option.name = name;
    option.values = std::move(values);
    option.used = false;
    options.add(std::move(option));
}

/// A flag of Megatron's is there or isn't; other values stand as they are.
void putMegatron(OptionList& options, const std::string& name, const GivenOption& from) {
    if (from.values.size() == 1 && isOff(from.values.front())) return;
    const bool flag = from.values.size() == 1 && (from.values.front() == "true" || from.values.front() == "True");
    put(options, name, from, flag ? std::vector<std::string>() : from.values);
}

std::string valueOf(const OptionList& options, const std::string& name) {
    std::string value;
    for (const GivenOption& option : options.all())
        if (option.name == name) value = option.value();
    return value;
}

void ignore(ScenarioDraft& draft, const GivenOption& option) {
    draft.note(option.line, "option-ignored", option.written + " was ignored on purpose: it changes no time or memory that is simulated.");
}

void readAxolotl(ScenarioDraft& draft, ImportInput& input, const OptionList& given) {
    OptionList& options = input.launch.options;
    const std::string adapter = valueOf(given, "adapter");
    for (const GivenOption& option : given.all()) {
        const YamlKey* key = keyOf(std::begin(axolotlKeys), std::end(axolotlKeys), option.name);
        if (option.name == "adapter" || option.name == "lora-target-linear") continue;
        if (option.values.size() == 1 && isOff(option.values.front())) continue;
        if (key && key->option.empty()) ignore(draft, option);
        else put(options, key ? std::string(key->option) : option.name, option, option.values);
    }
    GivenOption marks;
    marks.written = "adapter";
    if (adapter == "lora" || adapter == "qlora") put(options, "use-peft", marks, {});
    if (adapter == "qlora" && !options.has("load-in-4bit")) put(options, "load-in-4bit", marks, {});
    // bf16: auto, full: yes on every accelerator of today.
    for (GivenOption& option : options.all())
        if (option.name == "bf16" && !option.values.empty() && (option.values.front() == "auto" || option.values.front() == "full")) option.values.clear();
    importTrainer(draft, input);
}

void readTrainerKeys(ScenarioDraft& draft, ImportInput& input, const OptionList& given) {
    for (const GivenOption& option : given.all())
        if (option.values.size() != 1 || !isOff(option.values.front())) put(input.launch.options, option.name, option, option.values);
    importTrainer(draft, input);
}

/// Choices that NeMo's files make by a word and Megatron's options by flags.
void readNemoWords(OptionList& options, const OptionList& given) {
    const auto flag = [&](const char* name) {
        GivenOption option;
        option.written = name;
        put(options, name, option, {});
    };
    const std::string activation = valueOf(given, "model.activation"), precision = valueOf(given, "trainer.precision"), optimizer = valueOf(given, "model.optim.name");
    if (activation.find("swiglu") != std::string::npos) flag("swiglu");
    else if (activation.find("geglu") != std::string::npos) flag("geglu");
    else if (activation.find("squared") != std::string::npos) flag("squared-relu");
    flag(precision == "16" || precision == "16-mixed" ? "fp16" : "bf16");
    if (valueOf(given, "model.bias") == "false") flag("disable-bias-linear");
    if (valueOf(given, "model.share-embeddings-and-output-weights") == "false") flag("untie-embeddings-and-output-weights");
    if (optimizer.find("distributed") != std::string::npos || optimizer == "mcore_distributed_optim") flag("use-distributed-optimizer");
    const std::string groups = valueOf(given, "model.num-query-groups");
    if (!isOff(groups)) flag("group-query-attention");
}

void readNemo(ScenarioDraft& draft, ImportInput& input, const OptionList& given) {
    OptionList& options = input.launch.options;
    const bool old = std::any_of(given.all().begin(), given.all().end(), [](const GivenOption& option) { return option.name.rfind("trainer.", 0) == 0; });
    static constexpr std::string_view words[] = {"model.activation", "model.bias", "model.share-embeddings-and-output-weights", "trainer.precision", "model.optim.name"};
    for (const GivenOption& option : given.all()) {
        if (old && std::find(std::begin(words), std::end(words), option.name) != std::end(words)) continue;
        const YamlKey* key = old ? keyOf(std::begin(nemoKeys), std::end(nemoKeys), option.name) : nullptr;
        const auto bridge = option.values.size() < 2 ? bridgeOption(option.written, option.value()) : std::nullopt;
        const bool ofModel = option.name.rfind("model.", 0) == 0 && option.name.find('.', 6) == std::string::npos;
        if (key && (key->option == "nproc-per-node" || key->option == "nnodes")) putMegatron(input.launch.launcher, std::string(key->option), option);
        else if (key) putMegatron(options, std::string(key->option), option);
        else if (bridge && (ofModel || !old)) {
            if (!bridge->name.empty()) put(options, bridge->name, option, bridge->values);
        } else if (option.values.empty() || !isOff(option.values.front())) ignore(draft, option);
    }
    if (old) readNemoWords(options, given);
    importMegatron(draft, input);
}

/// `MODEL_ARGS:` of Megatron-LM's own tests: the options, each a key.
void readMegatronKeys(ScenarioDraft& draft, ImportInput& input, const OptionList& given, const std::string& prefix) {
    for (const GivenOption& option : given.all()) {
        const std::size_t at = option.written.find(prefix);
        if (at != std::string::npos) putMegatron(input.launch.options, OptionList::normalised(option.written.substr(at + prefix.size())), option);
    }
    importMegatron(draft, input);
}

/// `${PRIMUS_TP:1}`: the variable's value, or what stands behind the colon.
std::string withPrimusDefault(const std::string& value, const ImportOptions& options) {
    const std::size_t colon = value.find(':');
    if (!value.starts_with("${") || !value.ends_with("}") || colon == std::string::npos) return value;
    const auto set = options.variables.find(value.substr(2, colon - 2));
    return set == options.variables.end() ? value.substr(colon + 1, value.size() - colon - 2) : set->second;
}

/// What Primus adds to the programs that it starts: its own kernels, logging, patches.
bool isPrimusOwn(const std::string& name) {
    static constexpr std::string_view beginnings[] = {"enable-primus", "primus-turbo", "use-turbo", "turbo-", "disable-last-saving", "stderr-sink", "sink-level", "file-sink", "auto-continue", "disable-delayed", "disable-wandb", "disable-tensorboard", "disable-mlflow", "log-avg", "dump-"};
    return std::any_of(std::begin(beginnings), std::end(beginnings), [&](std::string_view one) { return name.starts_with(one); });
}

/// "llama3.1_70B-fp8": torchtitan's module and flavor.
std::pair<std::string, std::string> torchtitanWords(std::string model) {
    if (model.ends_with("-fp8")) model.resize(model.size() - 4);
    const std::size_t split = model.rfind('_');
    if (split == std::string::npos) return {model, {}};
    std::string family = model.substr(0, split);
    if (family.starts_with("llama3")) family = "llama3";
    return {family, model.substr(split + 1)};
}

/// Primus: what a module overrides, in the words of the program that it starts; its model is another file's name.
void readPrimus(ScenarioDraft& draft, ImportInput& input, const OptionList& given, const std::string& module, std::string& source) {
    OptionList overrides;
    const std::string prefix = module + "overrides.";
    for (const GivenOption& one : given.all()) {
        if (!one.name.starts_with(prefix)) continue;
        GivenOption option = one;
        option.name.erase(0, prefix.size());
        for (std::string& value : option.values) value = withPrimusDefault(value, input.options);
        if (isPrimusOwn(option.name)) ignore(draft, option);
        else overrides.add(std::move(option));
    }
    const std::string framework = valueOf(given, module + "framework");
    std::string model = withPrimusDefault(valueOf(given, module + "model"), input.options);
    if (model.ends_with(".yaml")) model.erase(model.size() - 5);
    GivenOption named;
    named.written = "model";
    named.line = 1;
    OptionList& options = input.launch.options;
    if (framework == "torchtitan") {
        source = "torchtitan";
        const auto [family, flavor] = torchtitanWords(model);
        put(overrides, "model.name", named, {family});
        put(overrides, "model.flavor", named, {flavor});
        if (model.ends_with("-fp8")) put(overrides, "model.converters", named, {"float8"});
        return importTorchtitan(draft, input, std::move(overrides), {});
    }
    if (!framework.empty() && framework != "megatron" && framework != "megatron_bridge") {
        draft.fail(1, "unknown-launcher", "The file is Primus' for " + framework + ", which can't be imported.", "Import a configuration of Primus for Megatron-LM, Megatron-Bridge or torchtitan, or the " + framework + " command itself.");
        return;
    }
    const std::string flavor = valueOf(overrides, "flavor");
    for (const GivenOption& option : overrides.all())
        if (option.name != "flavor") putMegatron(options, option.name == "fp8" || option.name == "fp4" ? option.name + "-format" : option.name, option);
    if (framework == "megatron_bridge") {
        source = "Megatron-Bridge";
        put(options, "recipe", named, {flavor.empty() ? model + "_pretrain" : flavor});
        return importBridge(draft, input);
    }
    if (!model.empty()) put(options, "named-model", named, {model});
    importMegatron(draft, input);
}

/// The beginning of the keys of the module that trains: "modules.pre-trainer."; empty: the file has none.
std::string primusModule(const OptionList& options) {
    constexpr std::string_view modules = "modules.", framework = "framework";
    for (const GivenOption& option : options.all()) {
        const std::size_t dot = option.name.find('.', modules.size());
        if (option.name.starts_with(modules) && dot != std::string::npos && option.name.substr(dot + 1) == framework) return option.name.substr(0, dot + 1);
    }
    return {};
}

/// nanotron writes the model as Hugging Face's config does.
void readNanotron(ScenarioDraft& draft, ImportInput& input, const OptionList& given) {
    OptionList options = given;
    const std::string of = "model.model-config.";
    const std::string type = valueOf(given, of + "is-qwen2-config") == "true" ? "qwen2" : "llama";
    draft.set("/model/config/model_type", type);
    for (const GivenOption& option : given.all()) {
        if (option.name.rfind(of, 0) != 0 || option.values.size() != 1) continue;
        const std::string key = option.written.substr(option.written.rfind('.') + 1), &value = option.values.front();
        options.take(option.name);
        const auto number = anyNumber(value);
        if (number) draft.set("/model/config/" + key, *number == static_cast<double>(static_cast<std::int64_t>(*number)) ? Json(static_cast<std::int64_t>(*number)) : Json(*number));
        else if (value == "true" || value == "false") draft.set("/model/config/" + key, value == "true");
    }
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id", "initializer_range", "is_llama_config", "is_qwen2_config", "use_cache"}) draft.document["model"]["config"].erase(key);
    PlanDegrees degrees;
    degrees.tensor = draft.number(options, "parallelism.tp").value_or(1);
    degrees.pipeline = draft.number(options, "parallelism.pp").value_or(1);
    degrees.context = options.has("parallelism.context-parallel-size") ? draft.number(options, "parallelism.context-parallel-size").value_or(1) : 1;
    degrees.expert = options.has("parallelism.expert-parallel-size") ? draft.number(options, "parallelism.expert-parallel-size").value_or(1) : 1;
    const std::int64_t data = draft.number(options, "parallelism.dp").value_or(1);
    const auto ranks = degrees.modelRanks();
    LaunchSize size;
    if (ranks && data < ScenarioDraft::mostNumber) size.world = *ranks * data;
    if (!placeOnCluster(draft, size, degrees, input.options)) return;
    for (const auto& [key, value] : {std::pair{"tensor", degrees.tensor}, std::pair{"pipeline", degrees.pipeline}, std::pair{"context", degrees.context}, std::pair{"expert", degrees.expert}})
        if (value > 1) draft.set(std::string("/parallelism/") + key, value);
    const auto mode = options.has("parallelism.tp-mode") ? draft.text(options, "parallelism.tp-mode") : std::nullopt;
    if (degrees.tensor > 1 && mode && *mode == "REDUCE_SCATTER") draft.set("/parallelism/sequence", true);
    const auto engine = options.has("parallelism.pp-engine") ? draft.text(options, "parallelism.pp-engine") : std::nullopt;
    if (degrees.pipeline > 1) draft.set("/parallelism/schedule", engine && *engine == "afab" ? "gpipe" : "1f1b");
    draft.set("/parallelism/zero_stage", std::min<std::int64_t>(options.has("optimizer.zero-stage") ? draft.number(options, "optimizer.zero-stage", 0).value_or(0) : 0, 3));
    const std::int64_t micro = draft.number(options, "tokens.micro-batch-size").value_or(1);
    const std::int64_t steps = std::min<std::int64_t>(draft.number(options, "tokens.batch-accumulation-per-replica").value_or(1), 1'000'000);
    draft.set("/workload/kind", "training");
    draft.set("/workload/sequence_length", draft.number(options, "tokens.sequence-length").value_or(2048));
    draft.set("/workload/micro_batch_size", micro);
    draft.set("/workload/global_batch_size", micro * steps * degrees.data);
    const auto type16 = options.has("model.dtype") ? draft.text(options, "model.dtype") : std::nullopt;
    draft.set("/workload/precision", type16 && *type16 == "float16" ? "fp16" : "bf16");
    if (const auto sums = options.has("optimizer.accumulate-grad-in-fp32") ? draft.text(options, "optimizer.accumulate-grad-in-fp32") : std::nullopt) draft.set("/workload/gradient_precision", *sums == "true" ? "fp32" : "bf16");
    const auto again = options.has("parallelism.recompute-layer") ? draft.text(options, "parallelism.recompute-layer") : std::nullopt;
    draft.set("/execution/recompute", again && *again == "true" ? "full" : "none");
    const auto hides = options.has("parallelism.tp-linear-async-communication") ? draft.text(options, "parallelism.tp-linear-async-communication") : std::nullopt;
    draft.set("/execution/overlap/tensor", hides && *hides == "true");
    draft.assume("/execution/framework", "nanotron-2024", "the profile of nanotron", "Set a profile that is nearer.");
    static const std::vector<IgnoredOption> ignored{{"general.*", "it names files"}, {"checkpoints.*", "checkpoints are not simulated"}, {"data-stages.*", "reading data is not simulated"}, {"data-stages", "reading data is not simulated"}, {"logging.*", "logging is not simulated"}, {"lighteval*", "evaluation is not simulated"}, {"profiler*", "profiling is not simulated"}, {"tokenizer.*", "reading data is not simulated"}, {"tokens.*", "the length of the run changes no iteration"}, {"optimizer.*", "it changes what is learned, not how long it takes"}, {"model.init-method*", "it changes what is learned, not how long it takes"}, {"model.make-vocab-size-divisible-by", "the config says the vocabulary"}, {"model.ddp-bucket-cap-mb", "the framework's profile holds what its buffers do"}, {"parallelism.tp-recompute-allgather", "gathered inputs are sent again in backward"}, {"s3-upload*", "checkpoints are not simulated"}};
    reportLeftOptions(draft, options, ignored, {});
}

bool hasKey(const OptionList& options, std::string_view name) {
    return std::any_of(options.all().begin(), options.all().end(), [&](const GivenOption& option) { return option.name == name; });
}

bool hasBeginning(const OptionList& options, std::string_view prefix) {
    return std::any_of(options.all().begin(), options.all().end(), [&](const GivenOption& option) { return std::string_view(option.name).substr(0, prefix.size()) == prefix; });
}

} // namespace

bool importTrainerYaml(ScenarioDraft& draft, ImportInput& input, const OptionList& options, std::string& source) {
    if (hasKey(options, "base-model")) {
        source = "Axolotl";
        readAxolotl(draft, input, options);
    } else if (hasKey(options, "model-name-or-path")) {
        source = hasKey(options, "stage") || hasKey(options, "finetuning-type") ? "LLaMA-Factory" : "Hugging Face Trainer";
        readTrainerKeys(draft, input, options);
    } else if (const std::string module = primusModule(options); !module.empty()) {
        source = "Primus";
        readPrimus(draft, input, options, module, source);
    } else if (hasBeginning(options, "MODEL-ARGS.")) {
        source = "Megatron-LM";
        readMegatronKeys(draft, input, options, "MODEL_ARGS.");
    } else if (hasBeginning(options, "model.model-config.") && hasBeginning(options, "tokens.")) {
        source = "nanotron";
        readNanotron(draft, input, options);
    } else if (hasBeginning(options, "model.") && (hasBeginning(options, "trainer.") || hasBeginning(options, "train."))) {
        source = hasBeginning(options, "train.") ? "Megatron-Bridge" : "NeMo";
        readNemo(draft, input, options);
    } else {
        return false;
    }
    return true;
}

} // namespace orrery
