// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/trainer_import.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/launch_script/yaml_options.hpp"
#include "core/scenario/scenario_words.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace orrery {
namespace {

constexpr const char* asMegatron = "Write its sizes and parallel degrees as Megatron-LM's options (--num-layers, --tensor-model-parallel-size …) and import those.";
constexpr const char* asServer = "Import the `vllm serve` or `sglang` command with the same model, tensor parallelism and context length.";
constexpr const char* asTrainer = "Give its arguments as options of a command: --model_name_or_path, --per_device_train_batch_size, --deepspeed FILE …";

} // namespace

const OtherLauncher* otherLauncherOf(const std::string& text) {
    static const std::vector<OtherLauncher> launchers{
        {"verl", "Import the actor's training as a Megatron-LM or DeepSpeed command and the rollout as a `vllm serve` command; a scenario of each is a phase of the step.", {"actor_rollout_ref"}},
        {"verl", "Import the actor's training as a Megatron-LM or DeepSpeed command and the rollout as a `vllm serve` command; a scenario of each is a phase of the step.", {"verl.trainer"}},
        {"OpenRLHF", "Import the actor's training as a DeepSpeed command and the rollout as a `vllm serve` command; a scenario of each is a phase of the step.", {"openrlhf"}},
        {"NeMo-RL", "Import the policy's training as a Megatron-LM command and the generation as a `vllm serve` command; a scenario of each is a phase of the step.", {"nemo_rl"}},
        {"NeMo 2", "Import the Megatron-Bridge command of the same recipe (run_recipe.py --recipe …), or write its sizes as Megatron-LM's options.", {"nemo.collections"}},
        {"NeMo 2", "Import the Megatron-Bridge command of the same recipe (run_recipe.py --recipe …), or write its sizes as Megatron-LM's options.", {"nemo llm "}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"MaxText"}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"maxtext"}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"per_device_batch_size", "max_target_length"}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"base_emb_dim"}},
        {"MaxText", "Import the same plan as a torchtitan .toml: per_device_batch_size is local_batch_size, ici_fsdp_parallelism data_parallel_shard_degree, ici_tensor_parallelism tensor_parallel_degree.", {"ici_fsdp_parallelism"}},
        {"NeMo AutoModel", "Import the same plan as a torchtitan .toml, or as the command of a Hugging Face Trainer: --model_name_or_path, --per_device_train_batch_size, --fsdp full_shard.", {"nemo_automodel"}},
        {"OLMo-core", "Import the same plan as a torchtitan .toml, with the sizes of the model's config.json.", {"olmo_core"}},
        {"XTuner", asTrainer, {"xtuner"}},
        {"TorchForge", "Import the trainer's part as a torchtitan .toml and the generator's as a `vllm serve` command.", {"forge.actors"}},
        {"slime", "Import the training's arguments as a Megatron-LM command with the model's sizes, and the rollout as a `sglang serve` command.", {"sglang_server_concurrency"}},
        {"PaddleNLP", asTrainer, {"paddlenlp"}},
        {"torchtune", asTrainer, {"torchtune"}},
        {"torchtune", asTrainer, {"tune run"}},
        {"Accelerate's own configuration", "Import the command that `accelerate launch --config_file` starts; this file is read with it.", {"distributed_type", "num_processes"}},
        {"GPT-NeoX", asMegatron, {"pipe-parallel-size"}},
        {"GPT-NeoX", asMegatron, {"pipe_parallel_size"}},
        {"LLM Foundry", "Import the same plan as a torchtitan .toml, or name the model of the catalogue with zero_stage 3 in a scenario.", {"llm-foundry"}},
        {"LLM Foundry", "Import the same plan as a torchtitan .toml, or name the model of the catalogue with zero_stage 3 in a scenario.", {"fsdp_config", "max_seq_len", "device_train_microbatch_size"}},
        {"ColossalAI", asMegatron, {"colossalai"}},
        {"LitGPT", asTrainer, {"litgpt"}},
        {"Unsloth", asTrainer, {"FastLanguageModel"}},
        {"Hugging Face's Trainer in Python", asTrainer, {"TrainingArguments("}},
        {"TRL in Python", asTrainer, {"SFTConfig("}},
        {"NVIDIA NIM", asServer, {"nvcr.io/nim"}},
        {"Text Generation Inference", asServer, {"text-generation-launcher"}},
        {"Text Generation Inference", asServer, {"text-generation-inference"}},
        {"LMDeploy", asServer, {"lmdeploy"}},
        {"LightLLM", asServer, {"lightllm"}},
        {"MLC LLM", asServer, {"mlc_llm"}},
        {"ATOM", asServer, {"atom.entrypoints"}},
        {"Aphrodite", asServer, {"aphrodite"}},
        {"llama.cpp", asServer, {"llama-server"}},
        {"Ollama", asServer, {"ollama"}},
        {"Triton Inference Server", asServer, {"tritonserver"}},
    };
    for (const OtherLauncher& launcher : launchers)
        if (std::all_of(launcher.marks.begin(), launcher.marks.end(), [&](std::string_view mark) { return text.find(mark) != std::string::npos; })) return &launcher;
    return nullptr;
}

} // namespace orrery

// DeepSpeed's own examples and Hugging Face's Trainer: a model by name, batches per device, a DeepSpeed configuration.

namespace orrery {
namespace {

const std::vector<IgnoredOption>& trainerIgnoredOptions() {
    constexpr const char* data = "reading data is not simulated";
    constexpr const char* learning = "it changes what is learned, not how long it takes";
    constexpr const char* saving = "logging and checkpoints are not simulated";
    static const std::vector<IgnoredOption> ignored{
        {"data-*", data},
        {"dataset*", data},
        {"train-file", data},
        {"validation-*", data},
        {"preprocessing-*", data},
        {"dataloader-*", data},
        {"template", data},
        {"tokenizer-*", data},
        {"use-fast-tokenizer", data},
        {"trust-remote-code", data},
        {"cache-dir", data},
        {"overwrite-*", saving},
        {"packing", data},
        {"group-by-length", data},
        {"remove-unused-columns", data},
        {"cutoff-*", data},
        {"learning-rate", learning},
        {"lr-*", learning},
        {"num-warmup-steps", learning},
        {"warmup-*", learning},
        {"weight-decay", learning},
        {"adam-*", learning},
        {"max-grad-norm", learning},
        {"seed", learning},
        {"num-train-epochs", learning},
        {"max-steps", learning},
        {"max-train-samples", learning},
        {"disable-dropout", learning},
        {"dropout", learning},
        {"lora-learning-rate", learning},
        {"lora-alpha", learning},
        {"lora-dropout", learning},
        {"output-dir", saving},
        {"logging-*", saving},
        {"save-*", saving},
        {"report-to", saving},
        {"run-name", saving},
        {"print-loss", saving},
        {"enable-tensorboard", saving},
        {"tensorboard-*", saving},
        {"eval-*", "evaluation is not simulated"},
        {"evaluation-strategy", "evaluation is not simulated"},
        {"per-device-eval-batch-size", "evaluation is not simulated"},
        {"do-*", "training is what is simulated"},
        {"stage", "pretraining and fine-tuning of all weights take the same time"},
        {"eos-token", data},
        {"load-best-model-at-end", saving},
        {"plot-loss", saving},
        {"push-to-hub", saving},
        {"hub-*", saving},
        {"neftune-*", learning},
        {"max-samples", data},
        {"val-size", data},
        {"enable-liger-kernel", "the framework's profile holds what its fused kernels and buffers do"},
        {"liger-*", "the framework's profile holds what its fused kernels and buffers do"},
        {"use-liger-kernel", "the framework's profile holds what its fused kernels and buffers do"},
        {"ddp-*", "it tells processes how to start and to end"},
        {"local-rank", "it tells processes how to start and to end"},
        {"low-cpu-mem-usage", "it tells processes how to start and to end"},
        {"tf32", "matrix products run in the precision given"},
        {"gradient-checkpointing-kwargs", "whether layers are recomputed is one choice"},
        {"config-name", data},
        {"split-dataset-ratio", data},
        {"load-from-cache-file", data},
        {"custom-dataset*", data},
        {"system", data},
        {"max-pixels", data},
        {"image-*", data},
        {"video-*", data},
        {"model-author", saving},
        {"model-name", saving},
        {"create-checkpoint-symlink", saving},
        {"use-hf", saving},
        {"load-args", saving},
        {"freeze-vit", "text alone is simulated unless the scenario says images"},
        {"freeze-aligner", "text alone is simulated unless the scenario says images"},
        {"export-*", saving},
        {"infer-backend", saving},
        {"pref-*", learning},
        {"processor-type", data},
        {"skip-prepare-dataset", data},
        {"special-tokens.*", data},
        {"eot-tokens", data},
        {"loss-watchdog-*", learning},
        {"fsdp-config.fsdp-auto-wrap-policy", "layers are gathered one by one"},
        {"fsdp-config.auto-wrap-policy", "layers are gathered one by one"},
        {"fsdp-config.fsdp-transformer-layer-cls-to-wrap", "layers are gathered one by one"},
        {"fsdp-config.transformer-layer-cls-to-wrap", "layers are gathered one by one"},
        {"fsdp-config.fsdp-state-dict-type", saving},
        {"fsdp-config.state-dict-type", saving},
        {"fsdp-config.final-state-dict-type", saving},
        {"fsdp-config.fsdp-cpu-ram-efficient-loading", saving},
        {"fsdp-config.cpu-ram-efficient-loading", saving},
        {"fsdp-config.fsdp-sync-module-states", saving},
        {"fsdp-config.sync-module-states", saving},
        {"fsdp-config.fsdp-limit-all-gathers", "layers are gathered one ahead"},
        {"fsdp-config.limit-all-gathers", "layers are gathered one ahead"},
        {"fsdp-config.fsdp-use-orig-params", "how parameters are viewed changes no time"},
        {"fsdp-config.use-orig-params", "how parameters are viewed changes no time"},
        {"fsdp-config.fsdp-version", "both versions share out the same states"},
        {"fsdp-config.version", "both versions share out the same states"},
        {"fsdp-version", "both versions share out the same states"},
        {"bnb-4bit-*", "a 4-bit base is 4-bit NormalFloat with double quantisation"},
        {"use-nested-quant", "a 4-bit base is 4-bit NormalFloat with double quantisation"},
        {"double-quantization", "a 4-bit base is 4-bit NormalFloat with double quantisation"},
    };
    return ignored;
}

const std::vector<std::string>& trainerKnownOptions() {
    static const std::vector<std::string> known{"model-name-or-path", "per-device-train-batch-size", "gradient-accumulation-steps", "max-seq-len", "max-seq-length",
                                                "model-max-length", "block-size", "bf16", "fp16", "gradient-checkpointing", "deepspeed", "zero-stage", "offload",
                                                "attn-implementation", "torch-compile", "lora-dim", "lora-rank", "lora-r", "lora-target", "lora-target-modules", "load-in-4bit", "load-in-8bit",
                                                "quantization-bit", "torch-dtype", "dtype", "pure-bf16", "optim", "fsdp"};
    return known;
}

bool isOn(OptionList& options, const std::string& name) {
    const GivenOption* option = options.take(name);
    return option && (option->values.empty() || option->values.front() == "True" || option->values.front() == "true");
}

/// The first of several names for one number.
std::optional<std::int64_t> first(ScenarioDraft& draft, OptionList& options, std::initializer_list<const char*> names) {
    std::optional<std::int64_t> value;
    for (const char* name : names) {
        const auto given = options.has(name) ? draft.number(options, name) : std::nullopt;
        if (!value) value = given;
    }
    return value;
}

bool readModel(ScenarioDraft& draft, ImportInput& input, OptionList& options) {
    std::optional<std::string> name;
    for (const char* option : {"model-name-or-path", "model", "model-id-or-path", "pretrain"}) // ms-swift and OpenRLHF call it so
        if (options.has(option) && !name) name = draft.text(options, option);
    if (!input.options.model.empty()) {
        draft.set("/model/preset", input.options.model);
    } else if (name) {
        draft.assume("/model/preset", servedModel(*name).preset, "the catalogue's name of " + *name, "Name another model if that is not it.");
    } else {
        draft.fail(lineOf(options, "model-name-or-path"), "model-missing", "The text names no model.", "Name one of the catalogue with the import (--model).");
        return false;
    }
    return true;
}

/// Formats of weights and optimizer states; a DeepSpeed configuration's come first.
void readStates(ScenarioDraft& draft, OptionList& options, const std::optional<std::string>& loaded) {
    readDeepSpeedStates(draft, options);
    const auto isSaid = [&](const char* pointer) { return draft.document.contains(Json::json_pointer(pointer)); };
    const auto format = loaded ? torchFormat(*loaded) : std::nullopt;
    const bool pure = isOn(options, "pure-bf16");
    if ((format || pure) && !isSaid("/workload/weight_precision")) draft.set("/workload/weight_precision", format ? *format : "bf16");
    const auto optimizer = draft.text(options, "optim");
    if (!optimizer) return;
    if (optimizer->find("8bit") != std::string::npos && !isSaid("/workload/optimizer_precision")) draft.set("/workload/optimizer_precision", "int8");
    if (optimizer->rfind("sgd", 0) == 0) draft.set("/workload/optimizer", "sgd");
}

/// "model.layers.[\\d]+.(mlp|self_attn).(up|q)_proj": the linear layers that the expression names, between commas; another text stays.
std::string writtenOut(const std::string& value) {
    const std::size_t end = value.rfind(")_proj"), begin = end == std::string::npos ? end : value.rfind('(', end);
    if (begin == std::string::npos) return value;
    std::string words;
    for (std::size_t i = begin + 1; i <= end; ++i)
        if (value[i] == '|' || i == end) words += "_proj,";
        else words += value[i];
    return words;
}

/// PEFT's target_modules: names between commas or spaces, or "all-linear".
void readAdapters(ScenarioDraft& draft, OptionList& options) {
    for (const char* name : {"lora-target-modules", "lora-target", "lora-modules", "target-modules"}) {
        const GivenOption* option = options.take(name);
        if (!option) continue;
        std::string all;
        for (const std::string& value : option->values) all += writtenOut(value) + ",";
        Json targets = Json::array();
        std::string word;
        for (const char c : all) {
            if (c != ',' && c != ' ' && c != '[' && c != ']' && c != '"' && c != '\'') {
                word += c;
                continue;
            }
            word.erase(0, word.rfind('.') + 1); // "self_attn.q_proj": whose they are, where only one has them
            if (fromText<AdapterTarget>(word)) targets.push_back(word);
            else if (!word.empty() && word != "all" && word != "all-linear")
                draft.warn(option->line, "option-not-understood", "Adapters beside " + word + " are not known; they were left out.", "Name linear layers as Hugging Face's models do: q_proj, down_proj.");
            word.clear();
        }
        if (!targets.empty()) draft.set("/workload/lora_targets", targets);
    }
}

void readWorkload(ScenarioDraft& draft, OptionList& options, const PlanDegrees& degrees) {
    draft.set("/workload/kind", "training");
    const auto length = first(draft, options, {"max-seq-len", "max-seq-length", "max-length", "model-max-length", "block-size", "cutoff-len", "seq-length"});
    if (length) draft.set("/workload/sequence_length", *length);
    else draft.assume("/workload/sequence_length", 2048, "the text names no sequence length");
    const auto micro = first(draft, options, {"per-device-train-batch-size", "micro-batch-size"});
    const auto steps = first(draft, options, {"gradient-accumulation-steps"});
    const auto global = first(draft, options, {"global-batch-size"});
    const std::int64_t perRank = micro.value_or(global && !steps ? std::max<std::int64_t>(1, *global / degrees.data) : 1);
    if (micro) draft.set("/workload/micro_batch_size", perRank);
    else draft.assume("/workload/micro_batch_size", perRank, "the text names none");
    draft.set("/workload/global_batch_size", global ? *global : perRank * degrees.data * std::min<std::int64_t>(steps.value_or(1), 1'000'000));
    const bool bf16 = isOn(options, "bf16");
    const bool fp16 = isOn(options, "fp16");
    const auto dtype = draft.text(options, "dtype"), loaded = draft.text(options, "torch-dtype");
    const auto bits = first(draft, options, {"quantization-bit"});
    const bool in4 = isOn(options, "load-in-4bit") || bits == 4, in8 = isOn(options, "load-in-8bit") || bits == 8;
    draft.set("/workload/precision", in4 ? "int4" : in8                                        ? "int8"
                                                : fp16 || (!bf16 && dtype && *dtype == "fp16") ? "fp16"
                                                                                               : "bf16");
    readStates(draft, options, loaded ? loaded : dtype);
    if (const GivenOption* optimizer = options.take("optimizer"); optimizer && optimizer->value() == "sgd") draft.set("/workload/optimizer", "sgd");
    const auto rank = first(draft, options, {"lora-dim", "lora-rank", "lora-r"});
    const bool lora = isOn(options, "use-lora") || isOn(options, "use-peft");
    std::optional<std::string> kind;
    for (const char* option : {"finetuning-type", "tuner-type", "train-type", "sft-type"})
        if (options.has(option)) kind = draft.text(options, option);
    if (rank || lora || in4 || in8 || (kind && *kind == "lora")) draft.set("/workload/task", "lora");
    else if (kind && *kind == "full") draft.set("/workload/task", "sft");
    if (rank) draft.set("/workload/lora_rank", *rank);
    readAdapters(draft, options);
}

void readExecution(ScenarioDraft& draft, OptionList& options) {
    std::int64_t stage = draft.number(options, "zero-stage", 0).value_or(0);
    if (const auto fsdp = draft.text(options, "fsdp")) stage = fsdp->find("full_shard") != std::string::npos ? 3 : fsdp->find("shard_grad_op") != std::string::npos ? 2
                                                                                                                                                                    : stage;
    // Axolotl and Accelerate: an fsdp_config says how much is shared out.
    const auto word = [&](std::initializer_list<const char*> names) {
        std::optional<std::string> value;
        for (const char* name : names)
            if (options.has(name)) value = draft.text(options, name);
        return value;
    };
    const auto sharding = word({"fsdp-config.fsdp-sharding-strategy", "fsdp-config.sharding-strategy"});
    const auto reshards = word({"fsdp-config.fsdp-reshard-after-forward", "fsdp-config.reshard-after-forward"});
    const auto is = [](const std::optional<std::string>& value, const char* lower, const char* upper) { return value && (*value == lower || *value == upper); };
    if (sharding) stage = *sharding == "FULL_SHARD" || *sharding == "1" || sharding->starts_with("HYBRID_SHARD") || *sharding == "4" ? 3 : *sharding == "NO_SHARD" || *sharding == "3" ? 0
                                                                                                                                                                                       : 2;
    else if (reshards) stage = is(reshards, "false", "False") ? 2 : 3;
    const auto again = word({"fsdp-config.fsdp-activation-checkpointing", "fsdp-config.activation-checkpointing"});
    const auto toHost = word({"fsdp-config.fsdp-offload-params", "fsdp-config.offload-params"});
    draft.set("/parallelism/zero_stage", std::min<std::int64_t>(stage, 3));
    draft.assume("/execution/framework", "hf-trainer-2026", "the newest profile of Hugging Face's Trainer", "Set a profile that is nearer, if that is not what trains.");
    draft.set("/execution/recompute", isOn(options, "gradient-checkpointing") || is(again, "true", "True") ? "full" : "none");
    if (const auto attention = draft.text(options, options.has("attn-impl") ? "attn-impl" : "attn-implementation")) draft.set("/execution/attention", *attention == "eager" ? "unfused" : "flash");
    if (isOn(options, "flash-attn") || isOn(options, "use-flash-attn")) draft.set("/execution/attention", "flash");
    if (isOn(options, "torch-compile")) draft.set("/execution/compile", true);
    const bool overlapping = options.flag("overlap-grad-reduce"), waiting = options.flag("no-overlap-grad-reduce");
    draft.set("/execution/overlap/data", overlapping || (stage == 3 && !waiting));
    const bool offload = isOn(options, "offload") || is(toHost, "true", "True");
    const auto share = options.has("optimizer-offload-fraction") ? draft.amount(options, "optimizer-offload-fraction") : std::nullopt;
    if (isOn(options, "optimizer-cpu-offload") || offload) draft.set("/execution/offload/optimizer", std::min(share.value_or(1), 1.0));
    if (options.flag("remote-device") || (offload && stage == 3)) draft.set("/execution/offload/weights", 1);
}

} // namespace

bool looksLikeTrainer(const Launch& launch) {
    return launch.options.has("model-name-or-path") || launch.options.has("per-device-train-batch-size") || launch.options.has("deepspeed-config") ||
           (launch.options.has("deepspeed") && !launch.program.empty());
}

namespace {

/// What `accelerate launch --config_file FILE` starts with; the command's own options count more.
void mergeAccelerateConfig(ScenarioDraft& draft, ImportInput& input) {
    const GivenOption* option = input.launch.launcher.take("config-file");
    if (!option || option->values.empty()) return;
    OptionList& options = input.launch.options;
    const std::string path = option->values.front();
    const int line = option->line;
    std::string error = "files cannot be read here";
    const auto written = input.script.files.find(path);
    auto text = written != input.script.files.end() ? std::optional(written->second.text()) : input.options.readFile ? input.options.readFile(path, error)
                                                                                                                     : std::nullopt;
    Problems problems;
    const auto read = text && text->size() <= largestConfiguration ? readYamlOptions(*text, path, problems) : std::nullopt;
    if (!read) {
        inferFromName(draft, options, path, line);
        draft.warn(line, "file-not-read", "Accelerate's configuration " + path + " was not read" + (text ? "." : ": " + error + "."), "Put it beside the script; ZeRO stage, precision and the number of processes stand there.");
        return;
    }
    const auto put = [&](OptionList& list, const char* name, std::string value) {
        if (list.has(name)) return;
        GivenOption one;
        one.name = name;
        one.written = path;
        one.line = line;
        if (!value.empty()) one.values.push_back(std::move(value));
        list.add(std::move(one));
    };
    for (const GivenOption& one : read->all()) {
        const std::string value = one.value();
        if (one.name == "deepspeed-config.zero-stage") put(options, "zero-stage", value);
        else if (one.name == "deepspeed-config.deepspeed-config-file") put(options, "deepspeed-config", value);
        else if (one.name == "deepspeed-config.gradient-accumulation-steps") put(options, "gradient-accumulation-steps", value);
        else if (one.name == "deepspeed-config.offload-optimizer-device" && value != "none") put(options, "optimizer-cpu-offload", "");
        else if (one.name == "deepspeed-config.offload-param-device" && value != "none") put(options, "remote-device", value);
        else if (one.name == "mixed-precision" && (value == "bf16" || value == "fp16")) put(options, value.c_str(), "");
        else if (one.name == "num-processes") put(input.launch.launcher, "num-processes", value);
        else if (one.name == "num-machines" && value != "1") put(input.launch.launcher, "num-machines", value);
        else if (one.name == "distributed-type" && value == "FSDP") put(options, "fsdp", "full_shard");
        else if (one.name == "fsdp-config.fsdp-sharding-strategy" && value.find("GRAD") != std::string::npos) put(options, "fsdp", "shard_grad_op");
    }
}

} // namespace

void importTrainer(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    mergeAccelerateConfig(draft, input);
    mergeDeepSpeedConfig(draft, input, options);
    for (const char* name : {"deepspeed", "deepspeed-config"}) options.take(name);
    if (!readModel(draft, input, options)) return;
    const LaunchSize size = launchSize(input.launch, input.script.variables);
    PlanDegrees degrees;
    degrees.tensor = draft.number(options, "tensor-model-parallel-size").value_or(1);
    degrees.context = first(draft, options, {"ds-sequence-parallel-size", "context-parallel-size", "sequence-parallel-degree"}).value_or(1);
    if (degrees.tensor > 1) draft.set("/parallelism/tensor", degrees.tensor);
    if (degrees.context > 1) {
        draft.set("/parallelism/context", degrees.context);
        if (options.has("ds-sequence-parallel-size")) draft.set("/parallelism/context_method", "all_to_all"); // Ulysses
    }
    if (!placeOnCluster(draft, size, degrees, input.options)) return;
    readWorkload(draft, options, degrees);
    readExecution(draft, options);
    reportLeftOptions(draft, options, trainerIgnoredOptions(), trainerKnownOptions());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
