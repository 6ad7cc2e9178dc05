// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/exchange/import/import_parts.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <string_view>
#include <utility>

namespace orrery {
namespace {

/// Where a DeepSpeed key goes, as Megatron would name it.
struct KnownKey {
    const char* pointer;
    const char* option;
};

constexpr KnownKey numbers[] = {
    {"/train_batch_size", "global-batch-size"},
    {"/train_micro_batch_size_per_gpu", "micro-batch-size"},
    {"/gradient_accumulation_steps", "gradient-accumulation-steps"},
};

constexpr const char* ignoredKeys[] = {
    "steps_per_print",
    "wall_clock_breakdown",
    "gradient_clipping",
    "prescale_gradients",
    "scheduler",
    "tensorboard",
    "wandb",
    "csv_monitor",
    "dump_state",
    "memory_breakdown",
    "flops_profiler",
    "comms_logger",
    "checkpoint",
    "zero_allow_untested_optimizer",
    "curriculum_learning",
    "data_efficiency",
    "zero_force_ds_cpu_optimizer",
    "aio",
    "elasticity",
    "autotuning",
    "load_universal_checkpoint",
    "amp",
    "sparse_gradients",
    "gradient_predivide_factor",
    "disable_allgather",
    "fp32_allreduce",
    "dataloader_drop_last",
    "use_data_before_expert_parallelism",
    "graph_harvesting",
    "nebula",
    "checkpoint_tag_validation",
    "hybrid_engine",
    "zenflow",
    "timers",
    "comms_config",
    "monitor_config",
    "comet",
    "data_sampling",
    "eigenvalue",
    "pld",
    "weight_quantization",
    "seq_parallel_communication_data_type",
};

/// Keys that change what is simulated and can't be.
constexpr std::pair<const char*, const char*> refusedKeys[] = {
    {"compression_training", "is not simulated: weights and activations stay in their own format"},
    {"progressive_layer_drop", "is not simulated: every layer runs"},
    {"sparse_attention", "is not simulated: attention to all tokens was taken"},
    {"pipeline", "is not simulated: how many stages there are is said by the program; set the scenario's pipeline"},
};

void put(OptionList& options, const std::string& name, std::string value, const std::string& written, int line) {
    if (options.has(name)) return; // the command line says so itself
    GivenOption option;
    option.name = name;
    option.written = written;
    option.line = line;
    if (!value.empty()) option.values.push_back(std::move(value));
    options.add(std::move(option));
}

bool enabled(const Json& section) {
    const auto flag = section.is_object() ? section.find("enabled") : section.end();
    if (!section.is_object()) return section.is_boolean() && section.get<bool>();
    return flag == section.end() || *flag == Json(true) || *flag == Json("auto");
}

class ConfigMerge {
public:
    ConfigMerge(ScenarioDraft& draft, OptionList& options, std::string file, int line)
        : draft_(draft), options_(options), file_(std::move(file)), line_(line) {}

    void merge(const Json& config) {
        for (const KnownKey& known : numbers) {
            const Json::json_pointer place(known.pointer);
            if (!config.contains(place)) continue;
            const Json& value = config.at(place);
            if (value.is_number()) put(options_, known.option, value.dump(), known.pointer + 1, line_);
            else if (value != Json("auto")) warn(std::string(known.pointer), "must be a number");
        }
        for (const auto& [key, value] : config.items()) {
            if (key == "train_batch_size" || key == "train_micro_batch_size_per_gpu" || key == "gradient_accumulation_steps") continue;
            if (key == "zero_optimization") zero(value);
            else if (key == "bf16" || key == "fp16" || key == "bfloat16") precision(key == "fp16" ? "fp16" : "bf16", value);
            else if (key == "optimizer") optimizer(value);
            else if (key == "communication_data_type") format("gradient-reduce-dtype", value, key);
            else if (key == "data_types") {
                if (value.is_object() && value.contains("grad_accum_dtype")) format("gradient-dtype", value.at("grad_accum_dtype"), "data_types/grad_accum_dtype");
            } else if (key == "gradient_accumulation_dtype" || key == "grad_accum_dtype") format("gradient-dtype", value, key);
            else if (key == "torch_autocast") autocast(value);
            else if (key == "tensor_parallel" || key == "autotp") tensor(key, value);
            else if (key == "sequence_parallel_size" || key == "sequence_parallel") number("ds-sequence-parallel-size", value, key);
            else if (key == "compile") compiled(value);
            else if (key == "activation_checkpointing") activations(value);
            else known(key);
        }
    }

private:
    void number(const char* option, const Json& value, const std::string& written) {
        if (value.is_number_integer() && value > 1) put(options_, option, value.dump(), written, line_);
    }

    /// PyTorch's autocast: weights stay in 32 bit, products run in 16.
    void autocast(const Json& section) {
        if (!section.is_object() || section.value("enabled", Json(false)) != Json(true)) return;
        const std::string type = section.contains("dtype") && section["dtype"].is_string() ? section["dtype"].get<std::string>() : "bfloat16";
        put(options_, type.find("float16") == 0 ? "fp16" : "bf16", "", "torch_autocast", line_);
        put(options_, "weight-dtype", "fp32", "torch_autocast", line_);
    }

    void tensor(const std::string& key, const Json& section) {
        if (!section.is_object()) return;
        for (const auto& [name, value] : section.items()) {
            if (name == "autotp_size") number("tensor-model-parallel-size", value, key + "/autotp_size");
            else ignored(key + "/" + name, "it says how layers are found, not how many ranks share them");
        }
    }

    void compiled(const Json& section) {
        if (section.is_object() && (section.value("deepcompile", Json(false)) == Json(true) || section.value("enabled", Json(false)) == Json(true))) put(options_, "torch-compile", "", "compile", line_);
    }

    void activations(const Json& section) {
        if (section.is_object() && section.value("cpu_checkpointing", Json(false)) == Json(true))
            warn("activation_checkpointing/cpu_checkpointing", "is not simulated: inputs of recomputed layers stay on the accelerator");
        ignored("activation_checkpointing", "how activations are recomputed; whether they are, the command line says");
    }

    void zero(const Json& section) {
        if (!section.is_object()) return;
        for (const auto& [key, value] : section.items()) {
            if (key == "stage" && value.is_number()) put(options_, "zero-stage", value.dump(), "zero_optimization/stage", line_);
            else if (key == "offload_optimizer") offload("optimizer-cpu-offload", "", value);
            else if (key == "offload_param") offload("remote-device", "cpu", value);
            else if (key == "cpu_offload" && value == Json(true)) put(options_, "optimizer-cpu-offload", "", "cpu_offload", line_);
            else if (key == "overlap_comm") {
                put(options_, value == Json(true) ? "overlap-grad-reduce" : "no-overlap-grad-reduce", "", "zero_optimization/overlap_comm", line_);
            } else if ((key == "zero_hpz_partition_size" || key == "mics_shard_size") && value.is_number()) {
                // ZeRO++'s second copy within a node, or MiCS's groups: backward gathers from there.
                if (!(value > 1)) continue;
                put(options_, "zero-shard-group", value.dump(), "zero_optimization/" + key, line_);
                if (key == "zero_hpz_partition_size")
                    draft_.note(line_, "approximated", file_ + ": zero_hpz_partition_size was taken as groups that hold everything once: weights are gathered within a group, as there. Optimizer states, which ZeRO++ shares out over all ranks, were taken as held by each group: with more than one group memory will be too large by that.");
            } else if (key == "zero_quantized_weights" || key == "zero_quantized_gradients") {
                if (value == Json(true)) warn("zero_optimization/" + key, "is not simulated: weights and gradients go over the wire in their own format");
            } else ignored("zero_optimization/" + key, "the framework's profile holds what its buffers do");
        }
    }

    void offload(const char* option, const char* value, const Json& section) {
        const std::string device = section.is_object() && section.contains("device") && section["device"].is_string() ? section["device"].get<std::string>() : "none";
        if (device == "none") return;
        put(options_, option, value, "zero_optimization/offload", line_);
        // Twin-Flow: that share of the optimizer's states is on the host.
        if (section.contains("ratio") && section["ratio"].is_number() && std::string_view(option) == "optimizer-cpu-offload") put(options_, "optimizer-offload-fraction", section["ratio"].dump(), "zero_optimization/offload_optimizer/ratio", line_);
        if (device == "nvme")
            draft_.warn(line_, "option-not-understood", file_ + ": offloading to nvme is simulated as offloading to host memory.", "Times will be too short.");
    }

    void precision(const char* option, const Json& section) {
        if (!enabled(section)) return;
        put(options_, option, "", option, line_);
        if (!section.is_object()) return;
        // DeepSpeed's bf16 engine without copies in fp32.
        if (section.value("bf16_master_weights_and_grads", Json(false)) == Json(true)) put(options_, "weight-dtype", "bf16", "bf16/bf16_master_weights_and_grads", line_);
        if (section.value("bf16_optimizer_states", Json(false)) == Json(true)) put(options_, "optimizer-dtype", "bf16", "bf16/bf16_optimizer_states", line_);
    }

    void format(const char* option, const Json& value, const std::string& written) {
        if (value.is_string()) put(options_, option, value.get<std::string>(), written, line_);
    }

    void optimizer(const Json& section) {
        if (!section.is_object() || !section.contains("type") || !section["type"].is_string()) return;
        std::string type = section["type"].get<std::string>();
        for (char& c : type) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        put(options_, "optimizer", type, "optimizer/type", line_);
    }

    void known(const std::string& key) {
        for (const auto& [name, what] : refusedKeys)
            if (key == name) return warn(key, what);
        for (const char* name : ignoredKeys)
            if (key == name) return ignored(key, "it changes no time or memory that is simulated");
        warn(key, "was not understood and has no effect");
    }

    void ignored(const std::string& key, const std::string& why) {
        draft_.note(line_, "option-ignored", file_ + ": \"" + key + "\" was ignored on purpose: " + why + ".");
    }
    void warn(const std::string& key, const std::string& what) {
        draft_.warn(line_, "option-not-understood", file_ + ": \"" + key + "\" " + what + ".", "Set what it does in the scenario, if it matters there.");
    }

    ScenarioDraft& draft_;
    OptionList& options_;
    std::string file_;
    int line_;
};

bool mergeText(ScenarioDraft& draft, const std::string& text, const std::string& name, int line, OptionList& options) {
    Problems problems;
    const auto config = parseJsonText(text, name, problems);
    if (!config || !config->is_object()) {
        for (Problem& problem : problems) {
            problem.severity = Severity::warning;
            draft.problems.push_back(std::move(problem));
        }
        return false;
    }
    ConfigMerge(draft, options, name, line).merge(*config);
    return true;
}

} // namespace

bool mergeDeepSpeedText(ScenarioDraft& draft, const std::string& text, const std::string& name, OptionList& options) {
    return mergeText(draft, text, name, 1, options);
}

void readDeepSpeedStates(ScenarioDraft& draft, OptionList& options) {
    for (const auto& [option, key] : {std::pair{"weight-dtype", "weight_precision"}, std::pair{"optimizer-dtype", "optimizer_precision"},
                                      std::pair{"gradient-dtype", "gradient_precision"}, std::pair{"gradient-reduce-dtype", "gradient_reduce_precision"}}) {
        const int line = lineOf(options, option);
        const auto word = draft.text(options, option);
        if (!word) continue;
        if (const auto known = torchFormat(*word)) draft.set(std::string("/workload/") + key, *known);
        else draft.warn(line, "option-not-understood", std::string("The number format ") + *word + " is not known; it has no effect.", "Use fp32, bf16 or fp16.");
    }
    const auto group = options.has("zero-shard-group") ? draft.number(options, "zero-shard-group") : std::nullopt;
    if (group) draft.set("/parallelism/shard_group", *group);
}

void inferFromName(ScenarioDraft& draft, OptionList& options, const std::string& path, int line) {
    const std::string name = baseName(path);
    for (const char* mark : {"zero", "z", "stage"})
        for (const char* stage : {"1", "2", "3"}) {
            const std::size_t at = name.find(std::string(mark) + stage);
            if (at == std::string::npos || options.has("zero-stage")) continue;
            put(options, "zero-stage", stage, path, line);
            draft.noteAssumed("/parallelism/zero_stage", std::string(stage) + " was taken from the name of " + path + ".", "Put the file beside the text.");
        }
    if (name.find("offload") == std::string::npos) return;
    put(options, "optimizer-cpu-offload", "", path, line);
    draft.noteAssumed("/execution/offload/optimizer", "All of the optimizer was taken as on the host, from the name of " + path + ".", "Put the file beside the text.");
}

void mergeDeepSpeedConfig(ScenarioDraft& draft, ImportInput& input, OptionList& options) {
    // --deepspeed FILE is Hugging Face's way, --deepspeed_config FILE DeepSpeed's own.
    const char* name = options.has("deepspeed-config") ? "deepspeed-config" : "deepspeed";
    const GivenOption* option = options.take(name);
    if (!option || option->values.empty()) return;
    const std::string path = option->values.front();
    const int line = option->line;
    const auto written = input.script.files.find(path);
    std::string error = "files cannot be read here";
    std::optional<std::string> text;
    if (written != input.script.files.end()) text = written->second.text(); // cat <<EOT > ds_config.json
    else if (input.options.readFile) text = input.options.readFile(path, error);
    // ms-swift's own configurations go by these names.
    static constexpr std::string_view builtIn[] = {"zero0", "zero1", "zero2", "zero3", "zero2_offload", "zero3_offload"};
    const bool known = !text && std::find(std::begin(builtIn), std::end(builtIn), path) != std::end(builtIn);
    if (!text) inferFromName(draft, options, path, line);
    if (known) {
        if (path == "zero3_offload") put(options, "remote-device", "cpu", path, line);
        return;
    }
    if (!text) {
        draft.warn(line, "file-not-read", "The DeepSpeed configuration " + path + " was not read: " + error + ".",
                   "Put it beside the script; batch sizes, ZeRO stage and precision stand there.");
        return;
    }
    if (text->size() > largestConfiguration) {
        draft.warn(line, "file-not-read", "The DeepSpeed configuration " + path + " was not read: no configuration is that long.", "Give the right file.");
        return;
    }
    if (!mergeText(draft, *text, path, line, options))
        draft.warn(line, "file-not-read", "The DeepSpeed configuration " + path + " is no JSON object.", "Correct it.");
}

} // namespace orrery
