// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/bridge_launch.hpp"
#include "core/base/json.hpp"
#include "core/exchange/import/bridge_recipes.hpp"
#include "core/exchange/import/megatron_parts.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/launch_script/shell_script.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

struct BridgeName {
    std::string_view option;
    std::string_view key;
    bool opposite = false; ///< the key is true where the argument is not given
};

/// Where the two differ in more than dashes, or the key is not the model's (megatron/bridge/training/config.py).
constexpr BridgeName bridgeNames[] = {
    {"micro-batch-size", "train.micro_batch_size"},
    {"global-batch-size", "train.global_batch_size"},
    {"seq-length", "model.seq_length"},
    {"num-experts", "model.num_moe_experts"},
    {"padded-vocab-size", "model.vocab_size"},
    {"num-virtual-stages-per-pipeline-rank", "model.virtual_pipeline_model_parallel_size"},
    {"swiglu", "model.gated_linear_unit"},
    {"disable-bias-linear", "model.add_bias_linear", true},
    {"untie-embeddings-and-output-weights", "model.share_embeddings_and_output_weights", true},
    {"num-distributed-optimizer-instances", "ddp.num_distributed_optimizer_instances"},
    {"grad-reduce-in-bf16", "mixed_precision.grad_reduce_in_bf16"},
    {"grad-reduce-in-bf16", "ddp.grad_reduce_in_bf16"},
    {"fp8-param-gather", "mixed_precision.fp8_param_gather"},
    {"fp8-param-gather", "ddp.fp8_param_gather"},
    {"outer-dp-sharding-strategy", "ddp.outer_dp_sharding_strategy"},
    {"expert-model-parallel-size", "model.expert_model_parallel_size"},
    {"use-distributed-optimizer", "ddp.use_distributed_optimizer"},
    {"use-megatron-fsdp", "ddp.use_megatron_fsdp"},
    {"data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy"},
    {"overlap-grad-reduce", "ddp.overlap_grad_reduce"},
    {"overlap-param-gather", "ddp.overlap_param_gather"},
    {"tp-comm-overlap", "comm_overlap.tp_comm_overlap"},
    {"overlap-moe-expert-parallel-comm", "comm_overlap.overlap_moe_expert_parallel_comm"},
    {"overlap-p2p-communication", "comm_overlap.overlap_p2p_comm"},
    {"no-overlap-p2p-communication", "comm_overlap.overlap_p2p_comm", true},
    {"overlap-p2p-communication", "model.overlap_p2p_comm"},
    {"no-overlap-p2p-communication", "model.overlap_p2p_comm", true},
    {"overlap-p2p-communication-warmup-flush", "model.overlap_p2p_comm_warmup_flush"},
    {"accumulate-allreduce-grads-in-fp32", "mixed_precision.grad_reduce_in_fp32"},
    {"accumulate-allreduce-grads-in-fp32", "ddp.grad_reduce_in_fp32"},
    {"fp8-format", "model.fp8"},
    {"fp4-format", "model.fp4"},
    {"optimizer", "optimizer.optimizer"},
    {"optimizer-cpu-offload", "optimizer.optimizer_cpu_offload"},
    {"optimizer-offload-fraction", "optimizer.optimizer_offload_fraction"},
    {"use-precision-aware-optimizer", "optimizer.use_precision_aware_optimizer"},
    {"main-grads-dtype", "optimizer.main_grads_dtype"},
    {"main-params-dtype", "optimizer.main_params_dtype"},
    {"exp-avg-dtype", "optimizer.exp_avg_dtype"},
    {"exp-avg-sq-dtype", "optimizer.exp_avg_sq_dtype"},
    {"bf16", "mixed_precision.bf16"},
    {"fp16", "mixed_precision.fp16"},
    {"fp8-format", "mixed_precision.fp8"},
    {"fp8-recipe", "mixed_precision.fp8_recipe"},
    {"fp4-format", "mixed_precision.fp4"},
    {"use-tp-pp-dp-mapping", "dist.use_tp_pp_dp_mapping"},
};

constexpr std::string_view ofModel = "model.";

std::string with(std::string text, char from, char to) {
    std::replace(text.begin(), text.end(), from, to);
    return text;
}

} // namespace

std::string bridgeKeyOf(const std::string& megatronOption) {
    const auto* found = std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& name) { return name.option == megatronOption; });
    return found != std::end(bridgeNames) ? std::string(found->key) : std::string(ofModel) + with(megatronOption, '-', '_');
}

std::optional<std::string> megatronOptionOf(const std::string& bridgeKey) {
    const auto* found = std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& name) { return name.key == bridgeKey; });
    if (found != std::end(bridgeNames)) return std::string(found->option);
    // Sections whose keys are called as the arguments are.
    for (const std::string_view section : {"ddp.", "optimizer.", "train.", "mixed_precision.", "comm_overlap.", "dist.", "rng.", "rerun_state_machine.", "validation."})
        if (bridgeKey.rfind(section, 0) == 0 && bridgeKey.size() > section.size()) return with(bridgeKey.substr(section.size()), '_', '-');
    if (bridgeKey.rfind(ofModel, 0) != 0 || bridgeKey.size() == ofModel.size()) return std::nullopt;
    return with(bridgeKey.substr(ofModel.size()), '_', '-');
}

bool bridgeKeyIsOpposite(const std::string& megatronOption) {
    const auto* found = std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& name) { return name.option == megatronOption; });
    return found != std::end(bridgeNames) && found->opposite;
}

std::optional<GivenOption> bridgeOption(const std::string& key, const std::string& value) {
    const auto is = [&](const char* word, const char* capital) { return value == word || value == capital; };
    const bool on = is("true", "True"), off = is("false", "False") || is("null", "None");
    // A key with an argument for either value: the one for this value.
    const auto rowFor = [&](bool opposite) { return std::find_if(std::begin(bridgeNames), std::end(bridgeNames), [&](const BridgeName& one) { return one.key == key && one.opposite == opposite; }); };
    const auto* known = rowFor(off);
    if (known == std::end(bridgeNames)) known = rowFor(!off);
    const auto name = known != std::end(bridgeNames) ? std::optional(std::string(known->option)) : megatronOptionOf(key);
    if (!name) return std::nullopt;
    const bool opposite = known != std::end(bridgeNames) && known->opposite;
    GivenOption option;
    option.written = key;
    if (opposite ? on : off) return option; // as if it were not given
    option.name = *name;
    if (!on && !off) option.values.push_back(value);
    return option;
}

} // namespace orrery

// Megatron-Bridge's launchers: a recipe by name, short options and KEY=VALUE overrides, as the arguments of Megatron-LM that they stand for.

namespace orrery {
namespace {

/// Options of scripts/training/train.sh and scripts/performance/setup_experiment.py, and Megatron-LM's.
constexpr std::pair<std::string_view, std::string_view> launcherNames[] = {
    {"tp", "tensor-model-parallel-size"}, {"pp", "pipeline-model-parallel-size"}, {"cp", "context-parallel-size"}, {"vp", "num-virtual-stages-per-pipeline-rank"}, {"ep", "expert-model-parallel-size"}, {"et", "expert-tensor-parallel-size"}, {"mb", "micro-batch-size"}, {"gb", "global-batch-size"}, {"sl", "seq-length"}, {"virtual-pipeline-model-parallel-size", "num-virtual-stages-per-pipeline-rank"}, {"expert-model-parallel-size", "expert-model-parallel-size"}, {"expert-tensor-parallel-size", "expert-tensor-parallel-size"}, {"cuda-graph-impl", "cuda-graph-impl"}, {"use-megatron-fsdp", "use-megatron-fsdp"}};

constexpr std::pair<std::string_view, const char*> recipeAccelerators[] = {
    {"a100", "a100-sxm4-80gb"}, {"h100", "h100-sxm5-80gb"}, {"h200", "h200-sxm-141gb"}, {"b200", "b200-sxm-180gb"}, {"b300", "b300-sxm"}, {"gb200", "gb200"}, {"gb300", "gb300"}};

constexpr std::string_view recipeModes[] = {"pretrain", "sft", "lora", "dora", "peft", "finetune"};

/// The words between underscores.
std::vector<std::string> partsOf(const std::string& name) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('_', begin), name.size());
        if (end > begin) parts.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

void put(OptionList& options, std::string_view name, const std::string& value, int line, const std::string& written) {
    GivenOption option;
    option.name = std::string(name);
    option.written = written;
    option.line = line;
    if (!value.empty()) option.values.push_back(value);
    options.add(std::move(option));
}

void putPrecision(OptionList& options, const std::string& word, int line) {
    if (options.has("fp8-format") || options.has("fp4-format")) return;
    put(options, "bf16", "", line, word);
    if (word.rfind("nvfp4", 0) == 0) put(options, "fp4-format", "e2m1", line, word);
    if (word.rfind("fp8", 0) != 0) return;
    put(options, "fp8-format", "hybrid", line, word);
    put(options, "fp8-recipe", word == "fp8_mx" ? "mxfp8" : word == "fp8_sc" ? "blockwise"
                                                                             : "tensorwise",
        line, word);
}

void placeAccelerator(ScenarioDraft& draft, const ImportInput& input, const std::string& word) {
    for (const auto& [name, id] : recipeAccelerators)
        if (word == name && input.options.accelerator.empty()) draft.assume("/cluster/accelerator", id, "the recipe is for it", "Name yours.");
}

/// What the recipe sets and the text does not, as the options that would.
void putRecipe(ScenarioDraft& draft, ImportInput& input, const BridgeRecipe& recipe, int line) {
    OptionList& options = input.launch.options;
    const std::string written = "--recipe";
    const auto putNumber = [&](const char* option, std::int64_t value) {
        if (value > 0 && !options.has(option)) put(options, option, std::to_string(value), line, written);
    };
    putNumber("tensor-model-parallel-size", recipe.tensor);
    putNumber("pipeline-model-parallel-size", recipe.pipeline);
    putNumber("context-parallel-size", recipe.context);
    putNumber("expert-model-parallel-size", recipe.expert);
    putNumber("expert-tensor-parallel-size", recipe.expertTensor);
    if (!options.has("num-layers-per-virtual-pipeline-stage") && !options.has("pipeline-model-parallel-layout")) putNumber("num-virtual-stages-per-pipeline-rank", recipe.chunks);
    putNumber("seq-length", recipe.length);
    putNumber("micro-batch-size", recipe.micro);
    putNumber("global-batch-size", recipe.global);
    if (recipe.sequence && !options.has("sequence-parallel")) put(options, "sequence-parallel", "", line, written);
    if (!options.has("num-processes") && !input.launch.launcher.has("nnodes") && !input.launch.launcher.has("nproc-per-node")) putNumber("num-processes", recipe.accelerators);
    if (!recipe.recompute.empty() && !options.has("recompute-granularity")) {
        const bool whole = recipe.recompute == "full";
        put(options, "recompute-granularity", whole ? "full" : "selective", line, written);
        if (whole) put(options, "recompute-method", "uniform", line, written), put(options, "recompute-num-layers", "1", line, written);
        else put(options, "recompute-modules", std::string(recipe.recompute), line, written);
    }
    for (const char* hidden : {"overlap-grad-reduce", "overlap-param-gather"}) // recipes/common.py
        if (!options.has(hidden)) put(options, hidden, "", line, written);
    draft.note(line, "assumed", "What the recipe sets beside the model was taken from its release of November 2026: degrees, batches, sequence length, recomputation.", "Give other values as overrides.");
}

/// "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config": model, task, accelerators, their kind, number format; of a family and a task alone the model.
void readRecipeName(ScenarioDraft& draft, ImportInput& input, bool isRecipe, const std::string& name, int line) {
    OptionList& options = input.launch.options;
    const std::vector<std::string> parts = partsOf(name);
    const auto mode = std::find_if(parts.begin(), parts.end(), [](const std::string& part) { return std::find(std::begin(recipeModes), std::end(recipeModes), part) != std::end(recipeModes); });
    const BridgeRecipe* recipe = isRecipe ? bridgeRecipe(name) : nullptr; // scripts/performance has sizes of its own for a family
    std::string model;
    for (auto part = parts.begin(); part != mode; ++part)
        if (*part != "config") model += (model.empty() ? "" : "_") + *part;
    if (recipe) model = servedModel(std::string(recipe->model)).preset;
    put(options, "named-model", model, line, "--recipe");
    if (mode != parts.end() && (*mode == "lora" || *mode == "dora" || *mode == "peft")) draft.set("/workload/task", "lora");
    else if (mode != parts.end() && *mode != "pretrain") draft.set("/workload/task", "sft");
    std::string format;
    for (auto part = mode; part != parts.end(); ++part) {
        const auto count = part->ends_with("gpu") ? wholeNumber(part->substr(0, part->size() - 3)) : std::nullopt;
        if (count && *count > 0 && !options.has("num-processes") && !input.launch.launcher.has("nnodes")) put(options, "num-processes", std::to_string(*count), line, "--recipe");
        placeAccelerator(draft, input, *part);
        if (*part == "bf16" || *part == "nvfp4" || part->rfind("fp8", 0) == 0) format = *part;
        else if (format == "fp8" && (*part == "mx" || *part == "cs" || *part == "sc")) format += "_" + *part;
    }
    for (const char* scaling : {"mx", "cs", "sc"})
        if (format == std::string("fp8") + scaling) format.insert(3, "_");
    if (!format.empty()) putPrecision(options, format, line);
    if (recipe) return putRecipe(draft, input, *recipe, line);
    draft.warn(line, "recipe-not-read", "What the recipe " + name + " sets beyond its name (parallel degrees, batch sizes, recomputation) is not known here.",
               "Add them as overrides: model.tensor_model_parallel_size=2 train.global_batch_size=256.");
}

bool isOverride(const std::string& word) {
    const std::size_t equals = word.find('='), dot = word.find('.');
    return equals != std::string::npos && dot < equals && word.find_first_of(" /") > equals;
}

/// KEY=VALUE words, wherever they stand: behind an option they look like its values.
void takeOverrides(Launch& launch) {
    OptionList& options = launch.options;
    std::vector<std::pair<std::string, int>> words;
    for (const LinedText& stray : options.strays()) words.emplace_back(stray.text(), stray.line());
    for (GivenOption& option : options.all())
        std::erase_if(option.values, [&](const std::string& value) {
            if (!isOverride(value)) return false;
            words.emplace_back(value, option.line);
            return true;
        });
    while (options.takeStray()) {}
    for (const auto& [text, line] : words) {
        const std::size_t equals = text.find('=');
        std::string key = text.substr(0, equals);
        key.erase(0, std::min(key.find_first_not_of('+'), key.size()));
        GivenOption option;
        option.written = key;
        option.line = line;
        const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
        if (const auto known = bridgeOption(key, value)) {
            if (!known->name.empty()) options.add(*known);
            continue;
        }
        option.name = OptionList::normalised(key);
        option.values.push_back(value);
        options.add(std::move(option));
    }
}

} // namespace

bool looksLikeBridge(const Launch& launch) {
    const std::string program = baseName(launch.program);
    const bool starts = program == "run_recipe.py" || program == "train.sh" || program == "setup_experiment.py" || program == "launch_with_nemo_run.py" || program == "run_script.py";
    const auto& strays = launch.options.strays();
    const bool overrides = std::any_of(strays.begin(), strays.end(), [](const LinedText& word) { return isOverride(word.text()); });
    return starts && (overrides || launch.options.has("recipe") || launch.options.has("model-recipe-name") || launch.options.has("mr") || launch.options.has("model-name") || (launch.options.has("m") && launch.options.has("s")) || (launch.options.has("model") && launch.options.has("mode")));
}

void importBridge(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    takeOverrides(input.launch);
    const auto taken = [&](std::initializer_list<const char*> names) -> const GivenOption* {
        const GivenOption* found = nullptr;
        for (const char* name : names)
            if (const GivenOption* option = options.take(name); option && !option->values.empty() && !found) found = option;
        return found;
    };
    const auto textOf = [&](std::initializer_list<const char*> names) {
        const GivenOption* option = taken(names);
        return option ? std::pair(option->values.front(), option->line) : std::pair(std::string(), input.launch.line);
    };
    const auto [recipe, line] = textOf({"recipe", "mr", "model-recipe-name"});
    const std::string mode = textOf({"mode", "task"}).first;
    std::string family = textOf({"model", "m", "model-name", "model-family-name"}).first;
    if (const std::string size = textOf({"s", "model-size"}).first; !size.empty()) family += "_" + size; // releases up to 25.11
    const std::string precision = textOf({"c", "compute-dtype"}).first, accelerator = textOf({"g", "gpu"}).first;
    const std::string count = textOf({"ng", "num-gpus"}).first, perNode = textOf({"gn", "gpus-per-node"}).first;
    for (const auto& [name, meant] : launcherNames)
        if (name != meant)
            if (const GivenOption* option = options.take(std::string(name)); option && !option->values.empty()) {
                const GivenOption copy = *option;
                put(options, meant, copy.values.front(), copy.line, copy.written);
            }
    if (!count.empty()) put(options, "num-processes", count, input.launch.line, "--num_gpus");
    if (!perNode.empty()) put(input.launch.launcher, "gpus-per-node", perNode, input.launch.line, "--gpus_per_node");
    placeAccelerator(draft, input, accelerator);
    if (!precision.empty()) putPrecision(options, precision, input.launch.line);
    put(options, "bridge-launch", "", line, "--recipe");
    if (recipe.empty() && family.empty()) return importMegatron(draft, input); // its overrides say everything
    readRecipeName(draft, input, !recipe.empty(), recipe.empty() ? family + "_" + mode : recipe, line);
    if (!options.has("bf16") && !options.has("fp16")) put(options, "bf16", "", line, "--recipe");
    if (!options.has("use-distributed-optimizer") && !options.has("use-megatron-fsdp")) put(options, "use-distributed-optimizer", "", line, "--recipe"); // its recipes all have it
    importMegatron(draft, input);
}

} // namespace orrery
