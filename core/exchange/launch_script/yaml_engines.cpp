// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/yaml_engines.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <sstream>
#include <utility>
#include <yaml-cpp/yaml.h>

namespace orrery {
namespace {

// Aliases may hold themselves: a file is some dozens of levels and some thousands of nodes at most.
constexpr int deepestEngine = 40;
constexpr std::size_t mostEngineNodes = 50'000;

std::string scalarOf(const YAML::Node& node) { return node && node.IsScalar() ? node.Scalar() : std::string(); }
int lineOfNode(const YAML::Node& node) { return node.Mark().line + 1; }

/// What stands at a way of keys; nothing that is defined when a part is missing.
YAML::Node nodeAt(const YAML::Node& from, std::initializer_list<const char*> way) {
    YAML::Node node = from;
    for (const char* key : way) {
        const YAML::Node& here = node; // through a changeable one a missing key would be made
        if (!here || !here.IsMap()) return YAML::Node(YAML::NodeType::Undefined);
        const YAML::Node inside = here[key];
        if (!inside) return YAML::Node(YAML::NodeType::Undefined);
        node.reset(inside);
    }
    return node;
}

std::int64_t countOf(const YAML::Node& node, std::int64_t usual = 1) {
    const auto number = wholeNumber(scalarOf(node));
    return number && *number > 0 && *number <= 1'000'000 ? *number : usual;
}

/// "tensorParallelSize" and "tensor_parallel_size": the same option.
std::string dashed(const std::string& key) {
    std::string result;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const bool capital = std::isupper(static_cast<unsigned char>(key[i]));
        if (capital && i > 0 && std::islower(static_cast<unsigned char>(key[i - 1]))) result += '-';
        result += key[i] == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(key[i])));
    }
    return result;
}

class EngineCollector {
public:
    explicit EngineCollector(std::vector<YamlEngine>& engines) : engines_(engines) {}

    void walk(const YAML::Node& node, const std::string& key, int depth) {
        if (depth > deepestEngine || ++nodes_ > mostEngineNodes) return;
        if (node.IsSequence())
            for (const YAML::Node& element : node) walk(element, key, depth + 1);
        if (!node.IsMap()) return;
        if (rayModel(node, key) || stackModel(node) || inferenceService(node) || modelService(node) || slurmJob(node)) return;
        for (const auto& entry : node)
            if (entry.first.IsScalar()) walk(entry.second, entry.first.Scalar(), depth + 1);
    }

private:
    static void put(OptionList& options, const std::string& name, std::vector<std::string> values, const YAML::Node& from) {
        GivenOption option;
        option.written = name;
        option.name = OptionList::normalised(name);
        option.values = std::move(values);
        option.line = lineOfNode(from);
        options.add(std::move(option));
    }

    /// Every key of a mapping as the option of its name; mappings inside as names with dots.
    void putAll(OptionList& options, const YAML::Node& map, const std::string& prefix, int depth) {
        if (!map || !map.IsMap() || depth > 6) return;
        for (const auto& entry : map) {
            if (!entry.first.IsScalar() || ++nodes_ > mostEngineNodes) continue;
            const std::string name = prefix + dashed(entry.first.Scalar());
            const YAML::Node& value = entry.second;
            if (value.IsMap() && value.size() > 0) {
                putAll(options, value, name + ".", depth + 1);
                continue;
            }
            std::vector<std::string> values;
            if (value.IsSequence())
                for (const YAML::Node& element : value) values.push_back(element.IsScalar() ? element.Scalar() : "{…}");
            else if (value.IsNull()) values.emplace_back("null");
            else if (value.IsScalar()) values.push_back(value.Scalar());
            put(options, name, std::move(values), entry.first);
        }
    }

    /// A list of words, or a text of them, as a command's options.
    static void putWords(OptionList& options, const YAML::Node& words) {
        std::vector<LinedText> list;
        const auto addText = [&](const YAML::Node& node) {
            if (!node.IsScalar()) return;
            const std::string& text = node.Scalar();
            // A word by itself may hold blanks, as JSON does; a text of several options begins with a dash and has more of them.
            if (text.rfind("--", 0) != 0 || text.find(" --") == std::string::npos) return list.emplace_back(text, lineOfNode(node)), void();
            std::istringstream parts(text);
            for (std::string part; parts >> part;) list.emplace_back(part, lineOfNode(node));
        };
        if (words && words.IsSequence())
            for (const YAML::Node& word : words) addText(word);
        else if (words) addText(words);
        options.add(OptionList(list));
    }

    void add(YamlEngine engine, const YAML::Node& at) {
        engine.line = lineOfNode(at);
        engines_.push_back(std::move(engine));
    }

    /// Ray Serve: `model_loading_config` names the model, `engine_kwargs` are vLLM's arguments.
    bool rayModel(const YAML::Node& map, const std::string& key) {
        const YAML::Node loading = map["model_loading_config"];
        if (!loading || !loading.IsMap()) return false;
        YamlEngine engine;
        engine.program = "vllm";
        const YAML::Node source = loading["model_source"];
        std::string name = scalarOf(source);
        if (name.empty()) name = scalarOf(nodeAt(source, {"bucket_uri"}));
        const std::string id = scalarOf(loading["model_id"]);
        if (name.empty()) name = id;
        else if (!id.empty()) put(engine.options, "served-model-name", {id}, loading);
        put(engine.options, "model", {name}, loading);
        putAll(engine.options, map["engine_kwargs"], "", 1);
        const YAML::Node deployment = map["deployment_config"];
        engine.copies = countOf(nodeAt(deployment, {"num_replicas"}), countOf(nodeAt(deployment, {"autoscaling_config", "min_replicas"})));
        if (key.rfind("prefill", 0) == 0) engine.role = "prefill";
        if (key.rfind("decode", 0) == 0) engine.role = "decode";
        add(std::move(engine), map);
        return true;
    }

    /// vLLM's production stack: an element of `servingEngineSpec.modelSpec`.
    bool stackModel(const YAML::Node& map) {
        const YAML::Node model = map["modelURL"];
        if (!model || !model.IsScalar()) return false;
        YamlEngine engine;
        engine.program = "vllm";
        put(engine.options, "model", {model.Scalar()}, model);
        const YAML::Node config = map["vllmConfig"];
        if (config && config.IsMap())
            for (const auto& entry : config) {
                if (!entry.first.IsScalar()) continue;
                if (entry.first.Scalar() == "extraArgs") putWords(engine.options, entry.second);
                else if (entry.second.IsScalar()) putStackKey(engine.options, entry.first.Scalar(), entry.second.Scalar(), entry.first);
            }
        engine.copies = countOf(map["replicaCount"]);
        add(std::move(engine), map);
        return true;
    }

    static void putStackKey(OptionList& options, const std::string& key, const std::string& value, const YAML::Node& at) {
        if (key == "v1" || key == "v0" || key == "env") return;
        put(options, dashed(key), {value}, at);
    }

    /// The model of "hf://ORG/NAME" and of a name beside a volume.
    static std::string modelOf(const std::string& uri, const std::string& name) {
        if (uri.rfind("hf://", 0) == 0 && uri.find("{{") == std::string::npos && uri.find('"') == std::string::npos) return uri.substr(5);
        return name.empty() ? uri : name;
    }

    void putParallelism(OptionList& options, const YAML::Node& parallelism) {
        if (!parallelism || !parallelism.IsMap()) return;
        static constexpr std::pair<const char*, const char*> names[] = {{"tensor", "tensor-parallel-size"}, {"pipeline", "pipeline-parallel-size"}, {"data", "data-parallel-size"}};
        for (const auto& [key, option] : names)
            if (const YAML::Node value = parallelism[key]; value && value.IsScalar()) put(options, option, {value.Scalar()}, value);
        const YAML::Node expert = parallelism["expert"];
        if (scalarOf(expert) == "true") put(options, "enable-expert-parallel", {"true"}, expert);
        const YAML::Node data = parallelism["data"], local = parallelism["dataLocal"];
        if (data && local && countOf(data) % countOf(local) == 0) put(options, "nnodes", {std::to_string(countOf(data) / countOf(local))}, local);
    }

    /// What the containers of a pod give their server: arguments, and KServe's variable for more of them.
    static void putContainers(OptionList& options, const YAML::Node& containers) {
        if (!containers || !containers.IsSequence()) return;
        for (const YAML::Node& container : containers) {
            if (!container.IsMap()) continue;
            putWords(options, container["args"]);
            const YAML::Node variables = container["env"];
            if (!variables || !variables.IsSequence()) continue;
            for (const YAML::Node& variable : variables)
                if (variable.IsMap() && scalarOf(variable["name"]) == "VLLM_ADDITIONAL_ARGS") putText(options, variable["value"]);
        }
    }

    static void putText(OptionList& options, const YAML::Node& node) {
        std::vector<LinedText> words;
        std::istringstream parts(scalarOf(node));
        for (std::string part; parts >> part;) words.emplace_back(part, node ? lineOfNode(node) : 0);
        options.add(OptionList(words));
    }

    /// KServe: LLMInferenceService with its pools, InferenceService with the runtime of Hugging Face's or vLLM's models.
    bool inferenceService(const YAML::Node& map) {
        const std::string kind = scalarOf(map["kind"]);
        const YAML::Node spec = map["spec"];
        if (!spec || !spec.IsMap()) return false;
        if (kind == "LLMInferenceService") {
            const std::string name = modelOf(scalarOf(nodeAt(spec, {"model", "uri"})), scalarOf(nodeAt(spec, {"model", "name"})));
            if (name.empty()) return false;
            const YAML::Node prefill = spec["prefill"];
            const bool pools = prefill && prefill.IsMap();
            if (pools) pool(prefill, name, "prefill");
            pool(spec, name, pools ? "decode" : "");
            return true;
        }
        const YAML::Node model = nodeAt(spec, {"predictor", "model"});
        const std::string format = scalarOf(nodeAt(model, {"modelFormat", "name"}));
        if (kind != "InferenceService" || (format != "huggingface" && format != "vLLM" && format != "vllm")) return false;
        YamlEngine engine;
        engine.program = "vllm";
        putWords(engine.options, model["args"]);
        std::string name = modelOf(scalarOf(model["storageUri"]), {});
        // The runtime's own word for it counts first; `--model_name` is the name under which it answers.
        const GivenOption* given = engine.options.take("model-id");
        if (given && !given->values.empty()) name = given->values.front();
        if (name.empty()) return false;
        for (GivenOption& option : engine.options.all())
            if (option.name == "model-name") option.name = "served-model-name";
        put(engine.options, "model", {name}, model);
        engine.copies = countOf(nodeAt(spec, {"predictor", "minReplicas"}));
        add(std::move(engine), map);
        return true;
    }

    void pool(const YAML::Node& part, const std::string& model, const std::string& role) {
        YamlEngine engine;
        engine.program = "vllm";
        engine.role = role;
        put(engine.options, "model", {model}, part);
        putParallelism(engine.options, part["parallelism"]);
        for (const char* pod : {"template", "worker"}) {
            const YAML::Node containers = nodeAt(part, {pod, "containers"});
            putContainers(engine.options, containers);
        }
        putContainers(engine.options, part["containers"]);
        engine.copies = countOf(part["replicas"]);
        engine.perHost = countOf(nodeAt(part, {"parallelism", "dataLocal"}), 0) * countOf(nodeAt(part, {"parallelism", "tensor"}));
        add(std::move(engine), part);
    }

    /// The values of llm-d's model service: `modelArtifacts`, and `decode` and `prefill` beside it.
    bool modelService(const YAML::Node& map) {
        const YAML::Node artifacts = map["modelArtifacts"];
        if (!artifacts || !artifacts.IsMap()) return false;
        const std::string name = modelOf(scalarOf(artifacts["uri"]), scalarOf(artifacts["name"]));
        const auto runs = [&](const YAML::Node& part) { return part && part.IsMap() && scalarOf(part["create"]) != "false" && scalarOf(part["replicas"]) != "0"; };
        const YAML::Node prefill = map["prefill"], decode = map["decode"];
        if (name.empty() || !runs(decode)) return false;
        const bool pools = runs(prefill);
        if (pools) pool(prefill, name, "prefill");
        pool(decode, name, pools ? "decode" : "");
        return true;
    }

    /// srt-slurm: `backend.vllm_config`, `sglang_config` or `trtllm_config` with the pools, `resources` with their hosts.
    bool slurmJob(const YAML::Node& map) {
        const YAML::Node backend = map["backend"], resources = map["resources"];
        if (!backend || !backend.IsMap() || !resources || !resources.IsMap()) return false;
        static constexpr std::pair<const char*, const char*> programs[] = {{"vllm_config", "vllm"}, {"sglang_config", "sglang"}, {"trtllm_config", "trtllm-serve"}};
        const std::size_t before = engines_.size();
        for (const auto& [key, program] : programs)
            for (const char* name : {"prefill", "decode", "aggregated"})
                if (const YAML::Node part = nodeAt(backend, {key, name}); part && part.IsMap()) slurmPool(map, part, program, name);
        return engines_.size() > before;
    }

    void slurmPool(const YAML::Node& map, const YAML::Node& part, const std::string& program, const std::string& name) {
        YamlEngine engine;
        engine.program = program;
        if (name != "aggregated") engine.role = name;
        putAll(engine.options, part, "", 1);
        const std::string path = scalarOf(nodeAt(map, {"identity", "model", "repo"})), model = path.empty() ? scalarOf(nodeAt(map, {"model", "path"})) : path;
        for (GivenOption& option : engine.options.all())
            if (option.name == "model-path" || option.name == "model") option.used = true, option.name = "slurm-model";
        put(engine.options, program == "sglang" ? "model-path" : "model", {model}, part);
        const std::string word = name == "aggregated" ? "agg" : name;
        const YAML::Node resources = map["resources"];
        engine.copies = countOf(resources[word + "_workers"]);
        engine.perHost = countOf(resources["gpus_per_node"], 0);
        const std::int64_t nodes = countOf(resources[word + "_nodes"], 0);
        if (nodes > 0 && nodes % engine.copies == 0 && !engine.options.has("nnodes")) put(engine.options, "nnodes", {std::to_string(nodes / engine.copies)}, resources);
        const std::string format = scalarOf(nodeAt(map, {"model", "precision"}));
        if (program != "trtllm-serve" && (format == "fp8" || format == "fp4") && !engine.options.has("quantization")) put(engine.options, "quantization", {format == "fp8" ? "fp8" : "modelopt_fp4"}, map["model"]);
        add(std::move(engine), part);
    }

    std::vector<YamlEngine>& engines_;
    std::size_t nodes_ = 0;
};

} // namespace

std::vector<YamlEngine> readYamlEngines(const std::string& text) {
    std::vector<YamlEngine> engines;
    try {
        EngineCollector collector(engines);
        for (const YAML::Node& document : YAML::LoadAll(text)) collector.walk(document, {}, 0);
    } catch (const YAML::Exception&) {
        engines.clear(); // readYamlOptions says what is wrong with it
    }
    return engines;
}

} // namespace orrery
