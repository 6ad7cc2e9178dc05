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

bool placeServedModel(ScenarioDraft& draft, const ImportInput& input, const std::optional<std::string>& name, const std::optional<std::string>& quantised) {
    const ServedModel named = servedModel(name.value_or(std::string()));
    if (!input.options.model.empty()) {
        draft.set("/model/preset", input.options.model);
    } else if (name && !named.preset.empty()) {
        draft.assume("/model/preset", named.preset, "the catalogue's name of " + *name, "Name another model if that is not it.");
    } else {
        draft.fail(std::max(1, input.launch.line), "model-missing", "The text names no model.", "Name one of the catalogue with the import (--model).");
        return false;
    }
    draft.set("/workload/kind", "serving");
    if (quantised) draft.set("/workload/precision", *quantised);
    else if (named.precision) draft.assume("/workload/precision", *named.precision, "the weights of " + *name, "Set the format of your checkpoint.");
    else draft.assume("/workload/precision", "bf16", "nothing says how the weights are stored", "Set the format of your checkpoint.");
    if (named.blockScaled && (!quantised || *quantised == "fp8")) draft.assume("/workload/fp8_recipe", "block", "the scales of " + *name, "Set what a scale of your checkpoint covers.");
    // What an engine quantises itself as it loads has no scales of inputs, and none of a cache.
    else if (quantised == "fp8" && !named.precision) draft.assume("/workload/activation_scales", "at_run_time", "weights are quantised as they are loaded", "Set calibrated for a checkpoint that holds scales.");
    return true;
}

std::optional<std::string> servedPrecision(ScenarioDraft& draft, OptionList& options) {
    // The words of vLLM's and SGLang's --quantization; of those that only say where to look, the checkpoint's name tells more.
    static const std::vector<ServedWord> methods{{"fp8", "fp8"}, {"w8a8_fp8", "fp8"}, {"modelopt", "fp8"}, {"modelopt_fp8", "fp8"}, {"fbgemm_fp8", "fp8"}, {"ptpc_fp8", "fp8"}, {"modelopt_fp4", "nvfp4"}, {"mxfp4", "mxfp4"}, {"mxfp8", "mxfp8"}, {"awq", "int4"}, {"awq_marlin", "int4"}, {"gptq", "int4"}, {"gptq_marlin", "int4"}, {"moe_wna16", "int4"}, {"bitsandbytes", "int4"}, {"w8a8_int8", "int8"}, {"blockwise_int8", "int8"}, {"compressed-tensors", ""}, {"None", ""}, {"none", ""}};
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
    static const std::vector<ServedWord> formats{{"auto", "auto"}, {"fp8", "fp8"}, {"fp8_e4m3", "fp8"}, {"fp8_e5m2", "fp8"}, {"bf16", "bf16"}, {"bfloat16", "bf16"}, {"fp4_e2m1", "nvfp4"}, {"nvfp4", "nvfp4"}, {"int8", "int8"}};
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
    const auto written = input.script.files.find(path);
    std::string error = "files cannot be read here";
    std::optional<std::string> text;
    if (written != input.script.files.end()) text = written->second.text(); // cat <<EOF > config.yml
    else if (input.options.readFile) text = input.options.readFile(path, error);
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
