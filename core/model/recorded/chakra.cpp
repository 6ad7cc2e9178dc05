// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/chakra.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/model/recorded/recording.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace orrery {

bool WireReader::nextVarint(std::uint64_t& value) {
    constexpr unsigned longest = 64; // bits
    value = 0;
    for (unsigned shift = 0; shift < longest && !rest_.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
        if (byte < 0x80) return true;
    }
    return fail();
}

bool WireReader::take(std::size_t count, std::string_view& bytes) {
    if (rest_.size() < count) return fail();
    bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
}

bool WireReader::takeFixed(std::size_t count, std::uint64_t& value) {
    std::string_view bytes;
    if (!take(count, bytes)) return false;
    value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return true;
}

bool WireReader::nextDelimited(std::string_view& message) {
    std::uint64_t length = 0;
    return nextVarint(length) && (length <= rest_.size() ? take(static_cast<std::size_t>(length), message) : fail());
}

bool WireReader::next(Field& field) {
    if (rest_.empty() || broken_) return false;
    std::uint64_t key = 0;
    if (!nextVarint(key) || key >> 3 == 0 || key >> 32 != 0) return fail();
    field = {};
    field.number = static_cast<std::uint32_t>(key >> 3);
    switch (key & 7U) {
    case 0: return nextVarint(field.value);
    case 1: return takeFixed(8, field.value);
    case 2: field.isBytes = true; return nextDelimited(field.bytes);
    case 5: return takeFixed(4, field.value);
    default: return fail();
    }
}

// MLCommons Chakra, schema/protobuf/et_def.proto: the numbers of fields, node types and collectives.
namespace {

enum NodeField : std::uint32_t {
    node_id = 1,
    node_name = 2,
    node_type = 3,
    control_deps = 4,
    data_deps = 5,
    start_micros = 6,
    duration_micros = 7,
    node_inputs = 8,
    node_outputs = 9,
    node_attribute = 10
};
enum AttributeField : std::uint32_t { attribute_name = 1,
                                      double_value = 3,
                                      float_value = 5,
                                      string_value = 29 };

struct Attribute {
    std::string name;
    double number = 0;
    std::string text;
};

RecordingError brokenMessage(const std::string& place) {
    return {place, "The bytes of this message don't hold together.", "Copy the file again, whole: it is cut off or damaged."};
}

Attribute readAttribute(std::string_view bytes, const std::string& place) {
    Attribute attribute;
    WireReader reader(bytes);
    for (WireReader::Field field; reader.next(field);) {
        switch (field.number) {
        case attribute_name: attribute.name = field.bytes; break;
        case double_value: attribute.number = std::bit_cast<double>(field.value); break;
        case float_value: attribute.number = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(field.value))); break;
        case string_value: attribute.text = field.bytes; break;
        default:
            // The integers of all widths, and bool: their values stand as they are (zigzag ones are not used for what is read).
            if (!field.isBytes) attribute.number = static_cast<double>(static_cast<std::int64_t>(field.value));
        }
    }
    if (reader.broken()) throw brokenMessage(place);
    return attribute;
}

std::vector<RecordedArgument> readInputOutput(std::string_view bytes, const std::string& place) {
    std::string_view parts[3]; // values, shapes, types
    WireReader reader(bytes);
    for (WireReader::Field field; reader.next(field);)
        if (field.isBytes && field.number >= 1 && field.number <= 3) parts[field.number - 1] = field.bytes;
    if (reader.broken()) throw brokenMessage(place);
    return readArguments(readLiteral(parts[0]), readLiteral(parts[1]), readLiteral(parts[2]));
}

void addPacked(const WireReader::Field& field, std::vector<std::int64_t>& list, const std::string& place) {
    if (!field.isBytes) {
        list.push_back(static_cast<std::int64_t>(field.value));
        return;
    }
    WireReader reader(field.bytes);
    for (std::uint64_t value = 0; !reader.atEnd();) {
        if (!reader.nextVarint(value)) throw brokenMessage(place);
        list.push_back(static_cast<std::int64_t>(value));
    }
}

/// What a node's attributes say, whichever file they stand in.
struct NodeFacts {
    std::int64_t type = 0;
    std::optional<bool> onHost;
    double communicationBytes = 0;
    std::int64_t communication = 0;
    double operations = 0, tensorBytes = 0, runtime = -1;
    bool backward = false;

    void take(const std::string& name, double number) {
        if (!std::isfinite(number)) return;
        if (name == "is_cpu_op") onHost = number != 0;
        else if (name == "comm_type") communication = static_cast<std::int64_t>(std::clamp(number, -1.0, 1e6));
        else if (name == "comm_size") communicationBytes = std::max(0.0, number);
        else if (name == "num_ops") operations = std::max(0.0, number);
        else if (name == "tensor_size") tensorBytes = std::max(0.0, number);
        else if (name == "runtime") runtime = number;
        else if (name == "fw_parent") backward = number > 0;
    }

    void apply(RecordedNode& node, double durationMicros) const {
        node.kind = chakraKind(type, onHost);
        if (node.kind == RecordedKind::collective) {
            node.collective = chakraCollective(communication);
            // NCCL's kernels name what they do even where the number is missing.
            if (node.collective == CollectiveKind::none && communicationBytes > 0) node.collective = CollectiveKind::all_reduce;
        }
        if (node.kind == RecordedKind::send) node.collective = CollectiveKind::send_receive;
        node.rankBytes = communicationBytes;
        node.flops = operations;
        node.bytes = tensorBytes;
        const double micros = durationMicros > 0 ? durationMicros : runtime;
        if (micros > 0) node.duration = micros * units::microsecond;
        if (backward) node.phase = Phase::backward;
    }
};

struct ChakraParts {
    std::vector<std::vector<std::int64_t>> data, control;
};

RecordedNode readNode(std::string_view bytes, const std::string& place, ChakraParts& parts) {
    RecordedNode node;
    node.place = place;
    NodeFacts facts;
    double duration = -1;
    std::vector<std::int64_t> data, control;
    WireReader reader(bytes);
    for (WireReader::Field field; reader.next(field);) {
        switch (field.number) {
        case node_id: node.id = static_cast<std::int64_t>(field.value); break;
        case node_name: node.name = field.bytes; break;
        case node_type: facts.type = static_cast<std::int64_t>(std::min<std::uint64_t>(field.value, 1000)); break;
        case control_deps: addPacked(field, control, place); break;
        case data_deps: addPacked(field, data, place); break;
        case duration_micros: duration = static_cast<double>(field.value); break;
        case node_inputs: node.inputs = readInputOutput(field.bytes, place); break;
        case node_outputs: node.outputs = readInputOutput(field.bytes, place); break;
        case node_attribute: {
            const Attribute attribute = readAttribute(field.bytes, place);
            if (attribute.name == "tid") node.thread = static_cast<std::int64_t>(std::clamp(attribute.number, -1e15, 1e15));
            facts.take(attribute.name, attribute.number);
            break;
        }
        default: break;
        }
    }
    if (reader.broken()) throw brokenMessage(place);
    facts.apply(node, duration);
    parts.data.push_back(std::move(data));
    parts.control.push_back(std::move(control));
    return node;
}

std::vector<std::int64_t> idList(const Json& node, const char* underscored, const char* camel, const std::string& place) {
    const Json& snake = memberOf(node, underscored);
    const Json& list = snake.is_null() ? memberOf(node, camel) : snake;
    std::vector<std::int64_t> ids;
    if (list.is_null()) return ids;
    if (!list.is_array()) throw RecordingError{place + "/" + underscored, "Dependencies must be a list of ids.", "Write [1, 2]."};
    for (const Json& id : list) {
        if (!id.is_number_integer())
            throw RecordingError{place + "/" + underscored, "Dependencies must be a list of ids.", "Write [1, 2]."};
        ids.push_back(id.get<std::int64_t>());
    }
    return ids;
}

std::int64_t typeNamed(const Json& value) {
    if (value.is_number_integer()) return value.get<std::int64_t>();
    static const char* const names[]{"INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE",
                                     "COMP_NODE", "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
    for (std::int64_t i = 0; i < 8; ++i)
        if (value == names[i]) return i;
    return 0;
}

/// "ncclKernel_AllReduce_RING_LL_Sum_float", "c10d::broadcast_": what a collective without a number does.
CollectiveKind collectiveNamed(std::string name) {
    name = lowered(std::move(name));
    std::erase(name, '_');
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    if (has("allreduce")) return CollectiveKind::all_reduce;
    if (has("reducescatter")) return CollectiveKind::reduce_scatter;
    if (has("allgather")) return CollectiveKind::all_gather;
    if (has("alltoall")) return CollectiveKind::all_to_all;
    if (has("broadcast")) return CollectiveKind::broadcast;
    return CollectiveKind::none;
}

} // namespace

CollectiveKind chakraCollective(std::int64_t type) {
    switch (type) {
    case 0: return CollectiveKind::all_reduce;
    case 1: return CollectiveKind::reduce_scatter; // REDUCE: what moves on a ring is the same
    case 2:
    case 3: return CollectiveKind::all_gather; // GATHER too
    case 4:
    case 5: return CollectiveKind::broadcast; // SCATTER too
    case 6: return CollectiveKind::all_to_all;
    case 7:
    case 8: return CollectiveKind::reduce_scatter;
    default: return CollectiveKind::none;
    }
}

RecordedKind chakraKind(std::int64_t type, std::optional<bool> onHost) {
    switch (type) {
    case 2:
    case 3: return RecordedKind::load_store;
    case 4: return onHost.value_or(false) ? RecordedKind::host : RecordedKind::kernel;
    case 5: return onHost.value_or(false) ? RecordedKind::host : RecordedKind::send;
    case 6: return onHost.value_or(false) ? RecordedKind::host : RecordedKind::receive;
    case 7: return onHost.value_or(false) ? RecordedKind::host : RecordedKind::collective;
    default: return RecordedKind::none;
    }
}

void connectChakra(Recording& recording, const std::vector<std::vector<std::int64_t>>& data,
                   const std::vector<std::vector<std::int64_t>>& control) {
    const NodeIds ids = indexNodes(recording.nodes);
    const auto count = static_cast<std::uint32_t>(recording.nodes.size());
    bool useControl = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const std::int64_t id : control[i]) useControl = useControl && id != recording.nodes[i].id && ids.contains(id);
        for (const std::int64_t id : data[i]) {
            const auto found = ids.find(id);
            if (found == ids.end())
                throw RecordingError{recording.nodes[i].place, "It depends on node " + std::to_string(id) + ", which isn't there.",
                                     "Use the whole recording: every data_deps entry must name a node."};
            recording.nodes[i].after.push_back(found->second);
        }
    }
    const auto acyclic = [&](bool withControl) {
        std::vector<std::vector<std::uint32_t>> next(count);
        std::vector<std::uint32_t> waiting(count, 0), ready;
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto add = [&](std::uint32_t before) {
                next[before].push_back(i);
                ++waiting[i];
            };
            for (const std::uint32_t before : recording.nodes[i].after) add(before);
            if (withControl)
                for (const std::int64_t id : control[i]) add(ids.at(id));
        }
        for (std::uint32_t i = 0; i < count; ++i)
            if (waiting[i] == 0) ready.push_back(i);
        for (std::size_t done = 0; done < ready.size(); ++done)
            for (const std::uint32_t after : next[ready[done]])
                if (--waiting[after] == 0) ready.push_back(after);
        const auto stuck = std::find_if(waiting.begin(), waiting.end(), [](std::uint32_t n) { return n > 0; });
        return std::pair<bool, std::uint32_t>(stuck == waiting.end(), static_cast<std::uint32_t>(stuck - waiting.begin()));
    };
    if (const auto [fine, stuck] = acyclic(false); !fine)
        throw RecordingError{recording.nodes[stuck].place, "It waits for itself: its data dependencies lead in a circle.",
                             "Record it again; nothing can run in a circle."};
    useControl = useControl && acyclic(true).first;
    for (std::uint32_t i = 0; useControl && i < count; ++i)
        for (const std::int64_t id : control[i]) recording.nodes[i].after.push_back(ids.at(id));
    recording.controlIgnored = !useControl;
}

Recording readChakraMessages(std::string_view bytes) {
    Recording recording;
    recording.format = "Chakra execution trace";
    recording.dependencies = true;
    WireReader file(bytes);
    std::string_view message;
    if (!file.nextDelimited(message)) throw brokenMessage("message 0");
    WireReader metadata(message);
    for (WireReader::Field field; metadata.next(field);)
        if (field.number == 1 && field.isBytes && !field.bytes.empty())
            recording.format += ", schema " + std::string(field.bytes.substr(0, 40));
    if (metadata.broken()) throw brokenMessage("message 0");
    ChakraParts parts;
    while (!file.atEnd()) {
        const std::string place = "message " + std::to_string(recording.nodes.size() + 1);
        if (!file.nextDelimited(message)) throw brokenMessage(place);
        recording.nodes.push_back(readNode(message, place, parts));
    }
    for (RecordedNode& node : recording.nodes)
        if (node.kind == RecordedKind::collective)
            if (const CollectiveKind named = collectiveNamed(node.name); named != CollectiveKind::none) node.collective = named;
    connectChakra(recording, parts.data, parts.control);
    return recording;
}

Recording readChakraJson(const Json& document) {
    const Json& list = memberOf(document, "workload_graph");
    if (!list.is_array()) throw RecordingError{"/workload_graph", "It must be a list of nodes.", "Convert the trace again."};
    Recording recording;
    recording.format = "Chakra execution trace, JSON";
    recording.dependencies = true;
    ChakraParts parts;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Json& entry = list[i];
        RecordedNode node;
        node.place = "/workload_graph/" + std::to_string(i);
        if (!entry.is_object()) throw RecordingError{node.place, "A node must be an object.", "Convert the trace again."};
        const char* idKey = entry.contains("Id") ? "Id" : "id";
        if (!memberOf(entry, idKey).is_number_integer())
            throw RecordingError{node.place, "It has no id.", "Give every node an \"Id\" of its own."};
        node.id = integerOf(entry, idKey, 0);
        node.name = textOf(entry, entry.contains("Name") ? "Name" : "name");
        NodeFacts facts;
        facts.type = typeNamed(memberOf(entry, entry.contains("NodeType") ? "NodeType" : "type"));
        for (const auto& [key, value] : entry.items())
            if (value.is_number() || value.is_boolean())
                facts.take(key, value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>());
        for (const char* key : {"attr", "attrs"})
            if (memberOf(entry, key).is_array())
                for (const Json& attribute : memberOf(entry, key))
                    for (const char* valueKey : {"int64_val", "uint64_val", "int32_val", "uint32_val", "double_val", "bool_val", "value"})
                        if (const Json& value = memberOf(attribute, valueKey); value.is_number() || value.is_boolean())
                            facts.take(textOf(attribute, "name"), value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>());
        facts.apply(node, numberOf(entry, "duration_micros", -1));
        if (node.kind == RecordedKind::collective)
            if (const CollectiveKind named = collectiveNamed(node.name); named != CollectiveKind::none) node.collective = named;
        parts.data.push_back(idList(entry, "data_deps", "dataDeps", node.place));
        parts.control.push_back(idList(entry, "ctrl_deps", "ctrlDeps", node.place));
        recording.nodes.push_back(std::move(node));
    }
    connectChakra(recording, parts.data, parts.control);
    return recording;
}

} // namespace orrery
