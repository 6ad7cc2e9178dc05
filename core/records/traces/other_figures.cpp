// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/model/recorded/chakra.hpp"
#include "core/records/traces/trace_figures.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace orrery {
namespace {

constexpr std::array<std::string_view, 8> chakraTypes{"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};

std::string chakraTypeName(std::uint64_t type) { return type < chakraTypes.size() ? std::string(chakraTypes[type]) : "TYPE_" + std::to_string(type); }

Json counts(const std::map<std::string, std::int64_t>& types) {
    Json document = Json::object();
    for (const auto& [name, count] : types) document[name] = count;
    return document;
}

/// Entries of a repeated integer: packed ones stand in one field.
std::int64_t entriesOf(const WireReader::Field& field) {
    if (!field.isBytes) return 1;
    WireReader reader(field.bytes);
    std::int64_t entries = 0;
    for (std::uint64_t value = 0; !reader.atEnd() && reader.nextVarint(value);) ++entries;
    return entries;
}

/// An attribute's name, and its number where it is a whole one.
std::pair<std::string, std::int64_t> attributeOf(std::string_view bytes) {
    constexpr std::uint32_t nameField = 1;
    std::pair<std::string, std::int64_t> attribute;
    WireReader reader(bytes);
    for (WireReader::Field field; reader.next(field);) {
        if (field.number == nameField && field.isBytes) attribute.first = field.bytes;
        else if (!field.isBytes) attribute.second = static_cast<std::int64_t>(field.value);
    }
    return attribute;
}

/// MLCommons Chakra, et_def.proto.
enum ChakraField : std::uint32_t { type_field = 3,
                                   control_field = 4,
                                   data_field = 5,
                                   duration_field = 7,
                                   attribute_field = 10 };

Json pytorchFigures(const Json& document) {
    std::int64_t communications = 0, ncclNodes = 0, withParent = 0;
    std::set<std::string> names;
    const Json& nodes = document["nodes"];
    for (const Json& node : nodes) {
        if (!node.is_object()) continue;
        const std::string name = node.value("name", Json("")).is_string() ? node.value("name", "") : "";
        names.insert(name);
        communications += name == "record_param_comms";
        ncclNodes += name.starts_with("nccl:");
        const Json parent = node.contains("ctrl_deps") ? node["ctrl_deps"] : node.value("parent", Json());
        withParent += parent.is_number_integer() && parent != node.value("id", Json());
    }
    return {{"kind", "pytorch-et"}, {"schema", document.value("schema", Json())}, {"nodes", nodes.size()}, {"record_param_comms", communications}, {"nccl_nodes", ncclNodes}, {"nodes_with_parent", withParent}, {"distinct_names", names.size()}};
}

std::int64_t lengthOf(const Json& node, const char* name, const char* other) {
    for (const char* key : {name, other})
        if (const auto found = node.find(key); found != node.end() && found->is_array()) return static_cast<std::int64_t>(found->size());
    return 0;
}

Json chakraFigures(const Json& document) {
    std::map<std::string, std::int64_t> types;
    std::int64_t control = 0, data = 0;
    double runtime = 0;
    const Json& nodes = document["workload_graph"];
    for (const Json& node : nodes) {
        if (!node.is_object()) continue;
        const Json type = node.contains("NodeType") ? node["NodeType"] : node.value("type", Json());
        ++types[type.is_number_unsigned() ? chakraTypeName(type.get<std::uint64_t>()) : type.is_string() ? type.get<std::string>()
                                                                                                         : "INVALID_NODE"];
        control += lengthOf(node, "ctrl_deps", "ctrlDeps");
        data += lengthOf(node, "data_deps", "dataDeps");
        const Json time = node.value("runtime", Json());
        if (time.is_number()) runtime += time.get<double>();
    }
    const bool whole = runtime == static_cast<double>(static_cast<std::int64_t>(runtime));
    return {{"kind", "chakra-json"}, {"nodes", nodes.size()}, {"ctrl_deps", control}, {"data_deps", data}, {"types", counts(types)}, {"runtime_sum", whole ? Json(static_cast<std::int64_t>(runtime)) : Json(runtime)}};
}

bool isPrimus(const Json& document) {
    return document.is_object() && !document.empty() && std::all_of(document.begin(), document.end(), [](const Json& iteration) { return iteration.is_object() && iteration.contains("total") && iteration.contains("fwd_start"); });
}

/// Sum of the lengths between two lists of moments; 0 for what is none.
double busyOf(const Json& iteration, const char* starts, const char* ends) {
    const Json from = iteration.value(starts, Json::array()), to = iteration.value(ends, Json::array());
    double busy = 0;
    for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i)
        if (from[i].is_number() && to[i].is_number()) busy += to[i].get<double>() - from[i].get<double>();
    return busy;
}

Json primusFigures(const Json& document) {
    Json iterations = Json::array();
    for (const auto& [number, iteration] : document.items()) {
        const Json total = iteration["total"];
        const double busy = busyOf(iteration, "fwd_start", "fwd_end") + busyOf(iteration, "bwd_start", "bwd_end");
        const bool known = total.is_number() && total.get<double>() > 0;
        iterations.push_back({{"iteration", number}, {"total_ms", total}, {"forwards", iteration["fwd_start"].size()}, {"busy_ms", busy}, {"idle_percent", known ? Json(100 * (1 - busy / total.get<double>())) : Json()}, {"memory_gib", iteration.value("memory", Json())}});
    }
    return {{"kind", "primus-pipeline"}, {"iterations", std::move(iterations)}};
}

/// What lies beside Primus' stages: the plan that they ran.
Json primusConfiguration(const Json& document) {
    Json figures{{"kind", "primus-configuration"}};
    figures.update(document);
    return figures;
}

} // namespace

std::optional<Json> documentFigures(const Json& document) {
    if (document.is_object() && document.contains("workload_graph") && document["workload_graph"].is_array()) return chakraFigures(document);
    if (document.is_object() && document.contains("nodes") && document["nodes"].is_array()) return pytorchFigures(document);
    if (isPrimus(document)) return primusFigures(document);
    if (document.is_object() && document.contains("num_mbs") && document.contains("pp_size")) return primusConfiguration(document);
    return std::nullopt;
}

std::optional<Json> chakraMessageFigures(std::string_view bytes) {
    WireReader messages(bytes);
    std::int64_t count = 0, control = 0, data = 0, duration = 0, communicated = 0;
    std::map<std::string, std::int64_t> types;
    for (std::string_view message; !messages.atEnd(); ++count) {
        if (!messages.nextDelimited(message)) return std::nullopt;
        if (count == 0) continue; // GlobalMetadata
        std::uint64_t type = 0;
        WireReader node(message);
        for (WireReader::Field field; node.next(field);) {
            if (field.number == type_field) type = field.value;
            else if (field.number == control_field) control += entriesOf(field);
            else if (field.number == data_field) data += entriesOf(field);
            else if (field.number == duration_field) duration += static_cast<std::int64_t>(field.value);
            else if (field.number == attribute_field && field.isBytes) {
                const auto [name, value] = attributeOf(field.bytes);
                if (name == "comm_size") communicated += value;
            }
        }
        if (node.broken()) return std::nullopt;
        ++types[chakraTypeName(type)];
    }
    if (count == 0) return std::nullopt;
    return Json{{"kind", "chakra-et"}, {"messages", count}, {"nodes", count - 1}, {"ctrl_deps", control}, {"data_deps", data}, {"types", counts(types)}, {"duration_micros_sum", duration}, {"comm_size_sum_bytes", communicated}};
}

} // namespace orrery
