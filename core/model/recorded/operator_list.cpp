// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/model/recorded/operator_map.hpp"
#include "core/model/recorded/recording.hpp"

#include <map>
#include <set>

namespace orrery {
namespace {

/// Bytes an element by PyTorch's names and the short ones; 0 when it is none.
double elementBytes(std::string name) {
    static const std::map<std::string, double, std::less<>> sizes{
        {"float32", 4}, {"float", 4}, {"fp32", 4}, {"f32", 4}, {"bfloat16", 2}, {"bf16", 2}, {"float16", 2}, {"half", 2}, {"fp16", 2}, {"f16", 2}, {"float64", 8}, {"double", 8}, {"int64", 8}, {"long", 8}, {"i64", 8}, {"int32", 4}, {"int", 4}, {"i32", 4}, {"int16", 2}, {"short", 2}, {"int8", 1}, {"uint8", 1}, {"char", 1}, {"byte", 1}, {"bool", 1}, {"uint16", 2}, {"uint32", 4}, {"complex64", 8}, {"complex128", 16}};
    if (name.starts_with("torch.")) name.erase(0, 6);
    if (name.starts_with("float8")) return 1;
    const auto found = sizes.find(name);
    return found == sizes.end() ? 0 : found->second;
}

class ListReader {
public:
    explicit ListReader(const Json& nodes) : nodes_(nodes) {
        for (const Json& node : nodes) names_.insert(textOf(node, "name"));
    }

    Recording run(const std::string& place) {
        recording_.format = "PyTorch operator list";
        for (std::size_t i = 0; i < nodes_.size(); ++i) add(nodes_[i], place + "/" + std::to_string(i), static_cast<std::int64_t>(i));
        return std::move(recording_);
    }

private:
    RecordedTensor tensor(const Json& given, const std::string& place) const {
        RecordedTensor tensor;
        const Json& shape = memberOf(given, "shape");
        const std::string type = textOf(given, "dtype");
        if (!shape.is_array())
            throw RecordingError{place, "A tensor needs a shape.", "Write {\"shape\": [8, 16], \"dtype\": \"bfloat16\"}."};
        for (const Json& dimension : shape) {
            if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 0)
                throw RecordingError{place + "/shape",
                                     "A dimension must be a whole number, but is " +
                                         dimension.dump(-1, ' ', false, Json::error_handler_t::replace) + ".",
                                     "Trace with fixed sizes; symbolic ones have no time."};
            tensor.shape.push_back(dimension.get<std::int64_t>());
        }
        tensor.elementBytes = elementBytes(type);
        if (tensor.elementBytes == 0)
            throw RecordingError{place + "/dtype",
                                 type.empty() ? "A tensor needs a dtype." : "No number format is called \"" + type + "\".",
                                 "Use PyTorch's name, such as bfloat16."};
        if (tensor.isAbsurd()) throw RecordingError{place + "/shape", "No memory holds such a tensor.", "Check its dimensions."};
        tensor.float8 = type.find("float8") != std::string::npos;
        const std::string device = textOf(given, "device");
        tensor.onDevice = !device.starts_with("cpu");
        tensor.storage = textOf(given, "name");
        tensor.storageBytes = tensor.bytes();
        return tensor;
    }

    const std::vector<RecordedTensor>* made(const std::string& text) const {
        const auto found = made_.find(text.starts_with("%") ? text.substr(1) : text);
        return found == made_.end() ? nullptr : &found->second;
    }

    void addInput(const Json& given, const std::string& place, RecordedArgument& argument) const {
        if (given.is_string()) {
            const auto& text = given.get_ref<const std::string&>();
            if (const auto* tensors = made(text)) argument.tensors.insert(argument.tensors.end(), tensors->begin(), tensors->end());
            else if (text.starts_with("%") || names_.contains(text) || made(text.substr(0, text.rfind(':'))))
                throw RecordingError{place, "\"" + text + "\" is used, but no node before makes it.",
                                     "Put the nodes into the order in which they run; \"a:1\" is the second output of a."};
        } else if (given.is_object() && given.contains("shape")) {
            argument.tensors.push_back(tensor(given, place));
        } else if (given.is_array()) {
            for (std::size_t i = 0; i < given.size(); ++i) addInput(given[i], place + "/" + std::to_string(i), argument);
        }
    }

    static const Json& firstOf(const Json& object, std::initializer_list<const char*> keys) {
        for (const char* key : keys)
            if (const Json& value = memberOf(object, key); !value.is_null()) return value;
        return memberOf(object, "");
    }

    std::vector<RecordedArgument> inputsOf(const Json& entry, const std::string& place) const {
        std::vector<RecordedArgument> inputs;
        const Json& list = firstOf(entry, {"inputs", "args"});
        if (list.is_null()) return inputs;
        if (!list.is_array())
            throw RecordingError{place + "/inputs", "Inputs must be a list.",
                                 "Write the names of the nodes whose results they are, or tensors."};
        for (std::size_t i = 0; i < list.size(); ++i) {
            RecordedArgument argument;
            addInput(list[i], place + "/inputs/" + std::to_string(i), argument);
            if (argument.tensors.empty()) argument.value = list[i];
            inputs.push_back(std::move(argument));
        }
        return inputs;
    }

    std::vector<RecordedTensor> outputsOf(const Json& entry, const std::string& name, const std::string& place) const {
        std::vector<RecordedTensor> outputs;
        const Json& list = firstOf(entry, {"outputs", "output"});
        if (list.is_array())
            for (std::size_t i = 0; i < list.size(); ++i) outputs.push_back(tensor(list[i], place + "/outputs/" + std::to_string(i)));
        else if (list.is_object()) outputs.push_back(tensor(list, place + "/output"));
        else if (entry.contains("shape")) outputs.push_back(tensor(entry, place));
        else if (!list.is_null())
            throw RecordingError{place + "/outputs", "Outputs must be a list of tensors.",
                                 "Write [{\"shape\": [8, 16], \"dtype\": \"bfloat16\"}]."};
        for (std::size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i].storage.empty() || outputs[i].storage == name)
                outputs[i].storage = i == 0 ? name : name + ":" + std::to_string(i);
        return outputs;
    }

    static std::optional<Phase> phaseOf(const Json& entry, const std::string& place) {
        const Json& phase = memberOf(entry, "phase");
        if (phase.is_null()) return std::nullopt;
        for (const Phase known : {Phase::forward, Phase::backward, Phase::recompute, Phase::optimizer})
            if (phase == Json(std::string(toString(known)))) return known;
        throw RecordingError{place + "/phase",
                             "No phase is called " + phase.dump(-1, ' ', false, Json::error_handler_t::replace) + ".",
                             "Use forward, backward, recompute or optimizer."};
    }

    void add(const Json& entry, const std::string& place, std::int64_t id) {
        if (!entry.is_object())
            throw RecordingError{place, "A node must be an object.", "Write {\"name\", \"target\", \"inputs\", \"outputs\"}."};
        RecordedNode node;
        node.place = place;
        node.id = id;
        std::string name = textOf(entry, "name");
        if (name.empty()) name = "#" + std::to_string(id);
        if (made_.contains(name))
            throw RecordingError{place + "/name", "Two nodes are called \"" + name + "\".", "Give every node a name of its own."};
        const std::string op = textOf(entry, "op");
        std::string target = textOf(entry, "target");
        // A list may do without FX's kinds of node: {"op": "aten::mm"}.
        const bool kindOfNode = op == "placeholder" || op == "get_attr" || op == "output" || op == "call_function" ||
                                op == "call_method" || op == "call_module";
        if (target.empty() && !kindOfNode) target = op;
        if (target.find("getitem") != std::string::npos) target = "operator.getitem";
        const bool runs = op != "placeholder" && op != "get_attr" && op != "output";
        if (runs && target.empty()) throw RecordingError{place, "It has no target.", "Name the operator, such as \"aten.mm.default\"."};
        if (target.find('.') == std::string::npos && target.find("::") == std::string::npos) target = "aten." + target;
        node.name = runs ? plainOperatorName(target) : op;
        node.kind = runs ? RecordedKind::op : RecordedKind::none;
        node.phase = phaseOf(entry, place);
        node.groupSize = static_cast<int>(std::max<std::int64_t>(0, std::min<std::int64_t>(integerOf(entry, "group_size", 0), 1 << 30)));
        const Json& duration = memberOf(entry, "duration_us");
        if (!duration.is_null() && !(duration.is_number() && duration.get<double>() >= 0))
            throw RecordingError{place + "/duration_us", "A duration must be a number from 0.", "Give microseconds, or leave it out."};
        if (duration.is_number()) node.duration = duration.get<double>() * units::microsecond;
        node.inputs = inputsOf(entry, place);
        std::vector<RecordedTensor> outputs = op == "output" ? std::vector<RecordedTensor>{} : outputsOf(entry, name, place);
        const OperatorFacts facts = runs ? operatorFacts(node.name) : OperatorFacts{};
        const bool sees = facts.what == OperatorClass::view || facts.what == OperatorClass::composite;
        if ((sees || facts.inPlace) && !node.inputs.empty() && !node.inputs.front().tensors.empty()) {
            const std::vector<RecordedTensor>& seen = node.inputs.front().tensors;
            // getitem takes one of a list; other views and operators in place give back what they were given.
            std::size_t which = 0;
            if (node.name == "operator::getitem" && node.inputs.size() > 1 && node.inputs[1].value->is_number_integer())
                which = static_cast<std::size_t>(
                    std::max<std::int64_t>(0, std::min<std::int64_t>(node.inputs[1].value->get<std::int64_t>(),
                                                                     static_cast<std::int64_t>(seen.size()) - 1)));
            if (outputs.empty()) outputs.push_back(seen[which]);
            for (RecordedTensor& output : outputs) {
                output.storage = seen[which].storage;
                output.storageBytes = seen[which].storageBytes;
            }
        }
        const Json& listed = firstOf(entry, {"outputs"});
        for (std::size_t i = 0; listed.is_array() && i < outputs.size() && i < listed.size(); ++i)
            if (const std::string own = textOf(listed[i], "name"); !own.empty()) made_[own] = {outputs[i]};
        for (std::size_t i = 0; outputs.size() > 1 && i < outputs.size(); ++i) made_[name + ":" + std::to_string(i)] = {outputs[i]};
        made_[name] = outputs;
        for (RecordedTensor& output : outputs) node.outputs.push_back({{std::move(output)}, Json()});
        recording_.nodes.push_back(std::move(node));
    }

    const Json& nodes_;
    std::set<std::string> names_;
    std::map<std::string, std::vector<RecordedTensor>> made_; ///< what each name stands for
    Recording recording_;
};

/// torch.export's numbers for number formats (torch/_export/serde/schema.py, ScalarType).
std::string scalarType(std::int64_t number) {
    static const std::map<std::int64_t, const char*> names{
        {1, "uint8"}, {2, "int8"}, {3, "int16"}, {4, "int32"}, {5, "int64"}, {6, "float16"}, {7, "float32"}, {8, "float64"}, {10, "complex64"}, {11, "complex128"}, {12, "bool"}, {13, "bfloat16"}, {28, "uint16"}, {29, "float8_e4m3fn"}, {30, "float8_e5m2"}};
    const auto found = names.find(number);
    return found == names.end() ? "" : found->second;
}

} // namespace

Recording readOperatorList(const Json& nodes, const std::string& place) { return ListReader(nodes).run(place); }

Recording readExportedProgram(const Json& graph) {
    const Json& values = memberOf(graph, "tensor_values");
    const auto described = [&](const std::string& name) {
        const Json& value = memberOf(values, name.c_str());
        Json tensor{{"name", name}, {"shape", Json::array()}, {"dtype", scalarType(integerOf(value, "dtype", 0))}};
        const Json& sizes = memberOf(value, "sizes");
        if (sizes.is_array())
            for (const Json& size : sizes) tensor["shape"].push_back(size.is_object() ? memberOf(size, "as_int") : size);
        return tensor;
    };
    Json list = Json::array();
    const auto addMade = [&](const std::string& name) {
        list.push_back({{"name", name}, {"op", "placeholder"}, {"output", described(name)}});
    };
    const Json& inputs = memberOf(graph, "inputs");
    if (inputs.is_array())
        for (const Json& input : inputs)
            if (const std::string name = textOf(memberOf(input, "as_tensor"), "name"); !name.empty()) addMade(name);
    std::size_t index = 0;
    for (const Json& node : memberOf(graph, "nodes")) {
        Json entry{{"name", "#" + std::to_string(index++)},
                   {"target", textOf(node, "target")},
                   {"inputs", Json::array()},
                   {"outputs", Json::array()}};
        const Json& arguments = memberOf(node, "inputs");
        if (arguments.is_array())
            for (const Json& input : arguments) {
                const Json& value = memberOf(input, "arg");
                Json argument;
                if (const std::string name = textOf(memberOf(value, "as_tensor"), "name"); !name.empty()) argument = name;
                else if (value.is_object() && value.size() == 1) argument = value.begin().value();
                if (argument.is_array() && value.contains("as_tensors"))
                    for (Json& one : argument) one = textOf(one, "name");
                entry["inputs"].push_back(std::move(argument));
            }
        const Json& outputs = memberOf(node, "outputs");
        if (outputs.is_array())
            for (const Json& output : outputs) {
                if (const std::string name = textOf(memberOf(output, "as_tensor"), "name"); !name.empty())
                    entry["outputs"].push_back(described(name));
                const Json& several = memberOf(output, "as_tensors");
                if (several.is_array())
                    for (const Json& one : several) entry["outputs"].push_back(described(textOf(one, "name")));
            }
        list.push_back(std::move(entry));
    }
    Recording recording = readOperatorList(list, "/graph/nodes");
    recording.format = "PyTorch exported program";
    return recording;
}

} // namespace orrery
