// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/model/recorded/readers.hpp"

#include <algorithm>
#include <limits>

namespace orrery {
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
