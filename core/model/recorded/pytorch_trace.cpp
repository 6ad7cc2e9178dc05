// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/model/recorded/recording.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace orrery {
namespace {

class LiteralReader {
public:
    explicit LiteralReader(std::string_view text) : rest_(text) {}

    bool whole(Json& value) {
        if (!read(value, 0)) return false;
        skip();
        return rest_.empty();
    }

private:
    void skip() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t' || rest_.front() == '\r'))
            rest_.remove_prefix(1);
    }
    bool accept(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    bool read(Json& value, int depth) {
        skip();
        if (rest_.empty() || depth > deepestJson) return false;
        const char first = rest_.front();
        if (first == '[' || first == '(') return readList(value, first == '[' ? ']' : ')', depth);
        if (first == '\'' || first == '"') return readText(value, first);
        for (const std::string_view word : {"True", "true"})
            if (accept(word)) return (value = true, true);
        for (const std::string_view word : {"False", "false"})
            if (accept(word)) return (value = false, true);
        for (const std::string_view word : {"None", "null", "nan", "NaN"})
            if (accept(word)) return (value = nullptr, true);
        return readNumber(value);
    }

    bool readList(Json& value, char end, int depth) {
        rest_.remove_prefix(1);
        value = Json::array();
        while (true) {
            skip();
            if (rest_.empty()) return false;
            if (rest_.front() == end) break;
            Json element;
            if (!read(element, depth + 1)) return false;
            value.push_back(std::move(element));
            skip();
            if (!accept(",") && (rest_.empty() || rest_.front() != end)) return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    bool readText(Json& value, char quote) {
        std::string text;
        rest_.remove_prefix(1);
        while (!rest_.empty() && rest_.front() != quote) {
            if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
            text += rest_.front();
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return false;
        rest_.remove_prefix(1);
        value = std::move(text);
        return true;
    }

    bool readNumber(Json& value) {
        const std::size_t end = std::min(rest_.find_first_not_of("+-0123456789.eEinf"), rest_.size());
        const std::string_view digits = rest_.substr(0, end);
        std::int64_t whole = 0;
        double number = 0;
        const auto parsed = [&](auto& target) {
            const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), target);
            return problem == std::errc{} && stop == digits.data() + digits.size();
        };
        if (parsed(whole)) value = whole;
        else if (parsed(number)) value = number;
        else return false;
        rest_.remove_prefix(end);
        return true;
    }

    std::string_view rest_;
};

} // namespace

Json readLiteral(std::string_view text) {
    Json value;
    return LiteralReader(text).whole(value) ? value : Json();
}

namespace {

const Json nothing;

const Json& element(const Json& list, std::size_t index) { return list.is_array() && index < list.size() ? list[index] : nothing; }

/// [tensor id, storage id, offset, elements, bytes an element, device]; PyTorch 2.6 and later put the strides elsewhere.
bool isTensor(const Json& value) {
    if (!value.is_array() || value.size() < 6 || !value[5].is_string()) return false;
    return std::all_of(value.begin(), value.begin() + 5, [](const Json& number) { return number.is_number_integer(); });
}

void readShape(const Json& shape, RecordedTensor& tensor) {
    tensor.shapeKnown = shape.is_array();
    if (!tensor.shapeKnown) return;
    for (const Json& dimension : shape) {
        if (!dimension.is_number_integer() || dimension.get<std::int64_t>() < 0) {
            tensor.shapeKnown = false;
            return;
        }
        tensor.shape.push_back(dimension.get<std::int64_t>());
    }
}

RecordedTensor tensorFrom(const Json& value, const Json& shape, const std::string& type) {
    RecordedTensor tensor;
    tensor.storage = std::to_string(value[1].get<std::int64_t>());
    const auto number = [&](std::size_t index) { return std::max(0.0, value[index].get<double>()); };
    tensor.elementBytes = number(4);
    tensor.storageBytes = (number(2) + number(3)) * number(4);
    tensor.onDevice = !value[5].get_ref<const std::string&>().starts_with("cpu");
    tensor.float8 = type.find("Float8") != std::string::npos || type.find("float8") != std::string::npos;
    readShape(shape, tensor);
    // A shape that doesn't have the elements that the value counts belongs to something else.
    if (tensor.shapeKnown && tensor.shape.empty() && number(3) > 1) tensor.shapeKnown = false;
    if (tensor.isAbsurd()) {
        tensor.shapeKnown = false;
        tensor.storageBytes = 0;
    }
    return tensor;
}

void collect(const Json& value, const Json& shape, const std::string& type, RecordedArgument& argument) {
    if (isTensor(value)) {
        argument.tensors.push_back(tensorFrom(value, shape, type));
        return;
    }
    if (!value.is_array()) return;
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], element(shape, i), type, argument);
}

} // namespace

double RecordedTensor::elements() const {
    double product = shapeKnown ? 1 : 0;
    for (const std::int64_t dimension : shape) product *= static_cast<double>(dimension);
    return product;
}

std::vector<RecordedArgument> readArguments(const Json& values, const Json& shapes, const Json& types) {
    std::vector<RecordedArgument> arguments;
    if (!values.is_array()) return arguments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        RecordedArgument argument;
        const Json& type = element(types, i);
        collect(values[i], element(shapes, i), type.is_string() ? type.get<std::string>() : std::string(), argument);
        if (argument.tensors.empty()) argument.value = values[i];
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

const Json& memberOf(const Json& object, const char* key) {
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

std::int64_t integerOf(const Json& object, const char* key, std::int64_t fallback) {
    const Json& value = memberOf(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

double numberOf(const Json& object, const char* key, double fallback) {
    const Json& value = memberOf(object, key);
    return value.is_number() ? value.get<double>() : fallback;
}

std::string textOf(const Json& object, const char* key) {
    const Json& value = memberOf(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

NodeIds indexNodes(const std::vector<RecordedNode>& nodes) {
    NodeIds ids;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        if (!ids.emplace(nodes[i].id, i).second)
            throw RecordingError{nodes[i].place, "Two nodes have the id " + std::to_string(nodes[i].id) + ".",
                                 "Record it again; ids must differ."};
    return ids;
}

namespace {

struct Attributes {
    std::int64_t scope = 0, thread = 0, forwardParent = 0, groupSize = 0;
};

/// Up to schema 1.0.1 they are keys of the node; later a list of {name, value}.
Attributes attributesOf(const Json& node) {
    Attributes found;
    const auto take = [&](const std::string& name, const Json& value) {
        if (!value.is_number_integer()) return;
        const auto number = value.get<std::int64_t>();
        if (name == "scope") found.scope = number;
        else if (name == "tid") found.thread = number;
        else if (name == "fw_parent") found.forwardParent = number;
        else if (name == "group_size") found.groupSize = number;
    };
    for (const auto& [key, value] : node.items()) take(key, value);
    if (memberOf(node, "attrs").is_array())
        for (const Json& attribute : memberOf(node, "attrs")) take(textOf(attribute, "name"), memberOf(attribute, "value"));
    return found;
}

std::vector<RecordedArgument> argumentsOf(const Json& node, const char* key) {
    const Json& part = memberOf(node, key);
    if (part.is_object()) return readArguments(memberOf(part, "values"), memberOf(part, "shapes"), memberOf(part, "types"));
    const std::string stem(key, std::string(key).size() - 1); // "inputs" → "input_shapes"
    return readArguments(part, memberOf(node, (stem + "_shapes").c_str()), memberOf(node, (stem + "_types").c_str()));
}

/// "## process_group:init ##" holds [{"group_size": 2, …}] as a text; 0 when there are several groups or none.
int onlyGroupSize(const RecordedNode& node) {
    if (node.inputs.empty() || !node.inputs.front().value->is_string()) return 0;
    const Json groups = Json::parse(node.inputs.front().value->get<std::string>(), nullptr, false);
    if (!groups.is_array() || groups.size() != 1) return 0;
    return static_cast<int>(std::clamp<std::int64_t>(integerOf(groups.front(), "group_size", 0), 0, std::numeric_limits<int>::max()));
}

} // namespace

Recording readPytorchTrace(const Json& document) {
    const Json& list = memberOf(document, "nodes");
    Recording recording;
    recording.format = "PyTorch execution trace, schema " + textOf(document, "schema");
    recording.callTree = true;
    std::vector<std::int64_t> callers;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Json& entry = list[i];
        RecordedNode node;
        node.place = "/nodes/" + std::to_string(i);
        if (!entry.is_object()) throw RecordingError{node.place, "A node must be an object.", "Record the trace again."};
        if (!memberOf(entry, "id").is_number_integer())
            throw RecordingError{node.place, "It has no id.", "Record the trace again; every node has an \"id\"."};
        node.id = integerOf(entry, "id", 0);
        node.name = textOf(entry, "name");
        const Attributes attributes = attributesOf(entry);
        constexpr std::int64_t backwardScope = 1; // at::RecordScope::BACKWARD_FUNCTION
        if (attributes.scope == backwardScope || attributes.forwardParent > 0) node.phase = Phase::backward;
        node.userScope = attributes.scope > backwardScope;
        node.thread = attributes.thread;
        node.groupSize = static_cast<int>(std::clamp<std::int64_t>(attributes.groupSize, 0, std::numeric_limits<int>::max()));
        node.inputs = argumentsOf(entry, "inputs");
        node.outputs = argumentsOf(entry, "outputs");
        callers.push_back(integerOf(entry, entry.contains("parent") ? "parent" : "ctrl_deps", node.id));
        recording.nodes.push_back(std::move(node));
    }
    // Nodes are written as they end; they began in the order of their ids.
    std::vector<std::uint32_t> order(recording.nodes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return recording.nodes[a].id < recording.nodes[b].id; });
    std::vector<RecordedNode> sorted;
    std::vector<std::int64_t> sortedCallers;
    for (const std::uint32_t i : order) {
        sorted.push_back(std::move(recording.nodes[i]));
        sortedCallers.push_back(callers[i]);
    }
    recording.nodes = std::move(sorted);
    int groupSize = 0;
    for (RecordedNode& node : recording.nodes) {
        if (node.name == "## process_group:init ##") groupSize = onlyGroupSize(node);
        if (node.groupSize == 0) node.groupSize = groupSize;
    }
    const NodeIds ids = indexNodes(recording.nodes);
    for (std::uint32_t i = 0; i < recording.nodes.size(); ++i) {
        const auto caller = ids.find(sortedCallers[i]);
        if (caller != ids.end() && caller->second != i) recording.nodes[i].parent = static_cast<std::int32_t>(caller->second);
    }
    return recording;
}

} // namespace orrery
