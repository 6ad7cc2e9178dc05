// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/import/served_parts.hpp"

#include "core/base/json.hpp"
#include "core/exchange/import/served_model.hpp"
#include "core/exchange/launch_script/yaml_options.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace orrery {
namespace {

constexpr std::int64_t usualOfNode = 8;

/// A file that the text writes itself, under that path or mounted elsewhere under its name; else one beside it.
std::optional<std::string> fileText(const ShellScript& script, const ImportOptions& options, const std::string& path, std::string& error) {
    const auto written = script.files.find(path);
    if (written != script.files.end()) return written->second.text(); // cat <<EOF > config.yml
    if (options.readFile)
        if (auto text = options.readFile(path, error)) return text;
    for (const auto& [name, text] : script.files)
        if (baseName(name) == baseName(path)) return text.text();
    return std::nullopt;
}

bool isYes(const std::string& word) { return word == "true" || word == "True" || word == "1" || word == "on" || word == "yes"; }
bool isNo(const std::string& word) { return word == "false" || word == "False" || word == "0" || word == "off" || word == "no"; }

} // namespace

std::optional<bool> switchGiven(OptionList& options, const std::string& name) {
    std::optional<bool> given;
    for (GivenOption& option : options.all()) {
        if (option.name != name) continue;
        option.used = true;
        const std::string word = option.values.empty() ? "true" : option.values.front();
        option.isFlag = !isYes(word) && !isNo(word);
        given = !isNo(word);
    }
    return given;
}

std::optional<std::int64_t> firstNumberOf(ScenarioDraft& draft, OptionList& options, std::initializer_list<const char*> names) {
    std::optional<std::int64_t> value;
    for (const char* name : names) {
        const auto given = options.has(name) ? draft.number(options, name) : std::nullopt;
        if (!value) value = given;
    }
    return value;
}

void takeNumbers(ScenarioDraft& draft, OptionList& options, const std::vector<ServedNumber>& table) {
    for (const ServedNumber& one : table) {
        if (!options.has(one.option) || draft.has(one.pointer)) continue;
        if (one.kind == ServedValue::amount) {
            if (const auto value = draft.amount(options, one.option)) draft.set(one.pointer, *value);
        } else if (const auto value = draft.number(options, one.option)) {
            draft.set(one.pointer, *value);
        }
    }
}

void takeSwitches(ScenarioDraft& draft, OptionList& options, const std::vector<ServedSwitch>& table) {
    for (const ServedSwitch& one : table)
        if (const auto on = switchGiven(options, one.option)) draft.set(one.pointer, *on == one.meaning);
}

std::optional<std::string> takeWord(ScenarioDraft& draft, OptionList& options, const std::string& name, const std::vector<ServedWord>& words) {
    const int line = lineOf(options, name);
    const auto given = draft.text(options, name);
    if (!given) return std::nullopt;
    for (const ServedWord& word : words)
        if (*given == word.given) return word.meant;
    draft.warn(line, "option-not-understood", "--" + name + " is \"" + *given + "\", which a scenario has no word for; it has no effect.", "Set what comes nearest in the scenario.");
    return std::nullopt;
}

namespace {

/// The model's name: as given, or the one under which clients ask for it, where only a folder or a variable is given.
std::optional<std::string> nameOfModel(const OptionList& options, const std::optional<std::string>& name) {
    const bool isFolder = name && (name->starts_with("/") || name->starts_with("."));
    if (name && !isFolder) return name;
    for (const GivenOption& option : options.all()) {
        if (option.name != "served-model-name" || option.values.empty() || leftOpen(option.values.front())) continue;
        // "default" or "vllm-model" tell nothing; a publisher's name or one with a version does.
        const std::string& shown = option.values.front();
        if (shown.find('/') != std::string::npos || (!name && shown.find_first_of("0123456789") != std::string::npos)) return shown;
    }
    return name;
}

} // namespace

bool placeServedModel(ScenarioDraft& draft, const ImportInput& input, const std::optional<std::string>& name, const std::optional<std::string>& quantised) {
    const std::optional<std::string> said = nameOfModel(input.launch.options, name);
    ServedModel named = servedModel(said.value_or(std::string()));
    // A folder's name may tell of the weights what the name for clients leaves out.
    if (name && said != name)
        if (const ServedModel folder = servedModel(*name); folder.precision) named.precision = folder.precision;
    if (!input.options.model.empty()) {
        draft.set("/model/preset", input.options.model);
    } else if (said && !named.preset.empty()) {
        draft.assume("/model/preset", named.preset, "the catalogue's name of " + *said, "Name another model if that is not it.");
    } else {
        draft.fail(std::max(1, input.launch.line), "model-missing", "The text names no model.", "Name one of the catalogue with the import (--model), or give the variable that holds it a value (--set NAME=VALUE).");
        return false;
    }
    draft.set("/workload/kind", "serving");
    if (quantised) draft.set("/workload/precision", *quantised);
    else if (named.precision) draft.assume("/workload/precision", *named.precision, "the weights of " + *said, "Set the format of your checkpoint.");
    else draft.assume("/workload/precision", "bf16", "nothing says how the weights are stored", "Set the format of your checkpoint.");
    if (named.blockScaled && (!quantised || *quantised == "fp8")) draft.assume("/workload/fp8_recipe", "block", "the scales of " + *said, "Set what a scale of your checkpoint covers.");
    // What an engine quantises itself as it loads has no scales of inputs, and none of a cache.
    else if (quantised == "fp8" && !named.precision) draft.assume("/workload/activation_scales", "at_run_time", "weights are quantised as they are loaded", "Set calibrated for a checkpoint that holds scales.");
    return true;
}

std::optional<std::string> servedPrecision(ScenarioDraft& draft, OptionList& options) {
    // The words of vLLM's and SGLang's --quantization; of those that only say where to look, the checkpoint's name tells more.
    static const std::vector<ServedWord> methods{{"fp8", "fp8"}, {"w8a8_fp8", "fp8"}, {"modelopt", "fp8"}, {"modelopt_fp8", "fp8"}, {"fbgemm_fp8", "fp8"}, {"ptpc_fp8", "fp8"}, {"modelopt_fp4", "nvfp4"}, {"mxfp4", "mxfp4"}, {"mxfp8", "mxfp8"}, {"awq", "int4"}, {"awq_marlin", "int4"}, {"gptq", "int4"}, {"gptq_marlin", "int4"}, {"moe_wna16", "int4"}, {"bitsandbytes", "int4"}, {"w8a8_int8", "int8"}, {"blockwise_int8", "int8"}, {"deepseek_v4_fp8", "fp8"}, {"deepspeedfp", "fp8"}, {"fp8_per_tensor", "fp8"}, {"fp8_per_block", "fp8"}, {"nvfp4", "nvfp4"}, {"petit_nvfp4", "nvfp4"}, {"w4afp8", "int4"}, {"gptq_marlin_24", "int4"}, {"awq_triton", "int4"}, {"tpu_int8", "int8"}, {"modelopt_mixed", ""}, {"quark", ""}, {"auto-round", ""}, {"auto_round", ""}, {"inc", ""}, {"torchao", ""}, {"ascend", ""}, {"unquant", ""}, {"compressed-tensors", ""}, {"None", ""}, {"none", ""}};
    static const std::vector<ServedWord> types{{"auto", ""}, {"bfloat16", "bf16"}, {"bf16", "bf16"}, {"half", "fp16"}, {"float16", "fp16"}, {"fp16", "fp16"}};
    std::optional<std::string> quantised;
    for (const char* name : {"q", "quantization"})
        if (options.has(name)) quantised = takeWord(draft, options, name, methods);
    const auto type = options.has("dtype") ? takeWord(draft, options, "dtype", types) : std::nullopt;
    if (quantised && !quantised->empty()) return quantised;
    return type && !type->empty() ? type : std::nullopt;
}

void takeCacheFormat(ScenarioDraft& draft, OptionList& options, const std::string& name) {
    if (!options.has(name)) return;
    static const std::vector<ServedWord> formats{{"auto", "auto"}, {"fp8", "fp8"}, {"fp8_e4m3", "fp8"}, {"fp8_e5m2", "fp8"}, {"fp8_ds_mla", "fp8"}, {"fp8_inc", "fp8"}, {"bf16", "bf16"}, {"bfloat16", "bf16"}, {"fp4_e2m1", "nvfp4"}, {"nvfp4", "nvfp4"}, {"int8", "int8"}};
    if (const auto format = takeWord(draft, options, name, formats)) draft.set("/workload/engine/kv_cache_dtype", *format);
}

void placeExpertCopies(ScenarioDraft& draft, const ImportInput& input, std::int64_t copies, int line) {
    if (copies <= 0) return;
    const Json::json_pointer preset("/model/preset");
    const auto experts = input.options.expertsOf && draft.document.contains(preset) ? input.options.expertsOf(draft.document[preset].get<std::string>()) : std::nullopt;
    if (experts) return draft.set("/workload/engine/expert_slots", *experts + copies);
    draft.warn(line, "approximated", "The copies of " + std::to_string(copies) + " experts were left out: how many experts the model has is not known here.", "Set /workload/engine/expert_slots to experts and copies together.");
}

bool placeInstances(ScenarioDraft& draft, const ServedDegrees& degrees, const ImportOptions& options) {
    const struct {
        const char* pointer;
        std::int64_t value;
    } keys[] = {{"/parallelism/tensor", degrees.tensor}, {"/parallelism/pipeline", degrees.pipeline}, {"/parallelism/context", degrees.context}, {"/parallelism/attention_data", degrees.attentionData}, {"/parallelism/expert", degrees.expert}};
    for (const auto& key : keys)
        if (key.value > 1) draft.set(key.pointer, key.value);
    // Each is at most mostNumber; as doubles their product can't overflow before it is refused.
    const double all = double(degrees.tensor) * double(degrees.pipeline) * double(degrees.context) * double(degrees.attentionData) * double(degrees.replicas);
    constexpr double most = 1e8;
    if (all > most || double(degrees.nodes) > most) {
        draft.fail(std::max(1, degrees.line), "too-many-ranks", "The plan asks for more accelerators than any cluster has.", "Check the parallel sizes.");
        return false;
    }
    PlanDegrees instance;
    instance.tensor = degrees.tensor * degrees.attentionData;
    instance.context = degrees.context;
    instance.pipeline = degrees.pipeline;
    LaunchSize size;
    size.line = degrees.line;
    size.world = static_cast<std::int64_t>(all);
    if (degrees.nodes > 0 && *size.world % degrees.nodes == 0) {
        size.nodes = degrees.nodes;
        size.perNode = *size.world / degrees.nodes;
    } else if (degrees.nodes > 0) {
        draft.warn(degrees.line, "cluster-does-not-fit", std::to_string(*size.world) + " accelerators do not spread evenly over " + std::to_string(degrees.nodes) + " nodes; whole nodes were taken.", "Set the nodes of your cluster.");
    }
    if (!size.perNode) size.perNode = std::gcd(*size.world, usualOfNode), size.nodes = *size.world / *size.perNode;
    return placeOnCluster(draft, size, instance, options);
}

void mergeYamlFile(ScenarioDraft& draft, const ImportInput& input, OptionList& options, const std::string& optionName, FileCounts counts) {
    const GivenOption* option = options.take(optionName);
    if (!option || option->values.empty()) return;
    const std::string path = option->values.front();
    const int line = option->line;
    std::string error = "files cannot be read here";
    std::optional<std::string> text = fileText(input.script, input.options, path, error);
    if (text && text->size() > largestConfiguration) {
        error = "no configuration is that long";
        text.reset();
    }
    if (!text) {
        draft.warn(line, "file-not-read", "The configuration " + path + " was not read: " + error + ".", "Put it beside the script; what it says of the engine is left out.");
        return;
    }
    Problems problems;
    const auto read = readYamlOptions(*text, path, problems);
    for (Problem& problem : problems) {
        problem.severity = Severity::warning;
        draft.problems.push_back(std::move(problem));
    }
    if (!read) return;
    OptionList merged; // the last of an option counts
    for (const GivenOption& one : read->all())
        if (counts == FileCounts::above || !options.has(one.name)) merged.add(one);
    options.add(merged);
}

std::string roleInFile(const Launch& launch, const ShellScript& script, const ImportOptions& options) {
    for (const GivenOption& option : launch.options.all()) {
        if ((option.name != "config" && option.name != "extra-engine-args") || option.values.empty()) continue;
        std::string error;
        const auto text = fileText(script, options, option.values.front(), error);
        if (!text || text->size() > largestConfiguration || text->find("disaggregation") == std::string::npos) continue;
        Problems problems;
        const auto read = readYamlOptions(*text, option.values.front(), problems);
        if (!read) continue;
        for (const GivenOption& one : read->all())
            if (one.name == "disaggregation-mode") return one.value() == "prefill" || one.value() == "decode" ? one.value() : std::string();
    }
    return {};
}

std::string servedProgramOf(const OptionList& options) {
    const auto hasAny = [&](std::initializer_list<const char*> names) { return std::any_of(names.begin(), names.end(), [&](const char* name) { return options.has(name); }); };
    const auto hasBelow = [&](const std::string& prefix) {
        return std::any_of(options.all().begin(), options.all().end(), [&](const GivenOption& option) { return option.name.rfind(prefix, 0) == 0; });
    };
    if (hasBelow("kv-cache-config") || hasBelow("cuda-graph-config") || hasBelow("moe-config") || hasAny({"enable-attention-dp", "moe-expert-parallel-size", "disable-overlap-scheduler", "print-iter-log"})) return "TensorRT-LLM";
    if (hasAny({"model-path", "mem-fraction-static", "chunked-prefill-size", "max-running-requests", "tp-size"})) return "SGLang";
    if (hasAny({"tensor-parallel-size", "pipeline-parallel-size", "max-num-seqs", "max-num-batched-tokens", "max-model-len", "gpu-memory-utilization", "served-model-name"})) return "vLLM";
    const bool modelAlone = options.has("model") && std::all_of(options.all().begin(), options.all().end(), [](const GivenOption& option) {
                                return option.name == "model" || option.name == "port" || option.name == "host" || option.name == "dtype" || option.name == "trust-remote-code" || option.name == "quantization";
                            });
    return modelAlone ? "vLLM" : std::string();
}

} // namespace orrery
