// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/recording.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"

#include <functional>

namespace orrery {
namespace {

constexpr const char* whatToGive = "Give a PyTorch operator list or execution trace, or a Chakra execution trace.";

std::optional<Recording> guarded(const std::function<Recording()>& read, RecordingError& error) {
    try {
        Recording recording = read();
        if (recording.nodes.empty()) throw RecordingError{"", "It has no nodes.", "Record at least one iteration."};
        return recording;
    } catch (const RecordingError& found) {
        error = found;
        return std::nullopt;
    }
}

bool looksLikeTraceNodes(const Json& nodes) {
    return nodes.is_array() && !nodes.empty() && nodes.front().is_object() && memberOf(nodes.front(), "id").is_number_integer() &&
           (nodes.front().contains("parent") || nodes.front().contains("ctrl_deps"));
}

Recording readDocument(const Json& document) {
    if (document.is_array()) return readOperatorList(document, "");
    if (!document.is_object()) throw RecordingError{"", "It is JSON, but no list of operators.", whatToGive};
    if (document.contains("workload_graph")) return readChakraJson(document);
    if (document.contains("traceEvents"))
        throw RecordingError{"/traceEvents", "It is a profiler's timeline, which has kernels but no graph.",
                             "Give the execution trace recorded beside it (torch.profiler.ExecutionTraceObserver)."};
    for (const Json* graph : {&document, &memberOf(document, "graph"), &memberOf(memberOf(document, "graph_module"), "graph")})
        if (memberOf(*graph, "tensor_values").is_object() && memberOf(*graph, "nodes").is_array()) return readExportedProgram(*graph);
    const Json& nodes = memberOf(document, "nodes");
    if (!nodes.is_array()) throw RecordingError{"", "It has no list of nodes.", whatToGive};
    if (document.contains("schema") || looksLikeTraceNodes(nodes)) return readPytorchTrace(document);
    return readOperatorList(nodes, "/nodes");
}

} // namespace

std::optional<Recording> readRecording(const Json& document, RecordingError& error) {
    return guarded([&] { return readDocument(document); }, error);
}

std::optional<Recording> readRecording(std::string_view bytes, RecordingError& error) {
    if (bytes.empty()) {
        error = {"", "It is empty.", whatToGive};
        return std::nullopt;
    }
    if (bytes.starts_with("\x1f\x8b")) {
        error = {"", "It is compressed.", "Unpack it with gunzip."};
        return std::nullopt;
    }
    const std::size_t first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const bool json = first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
    if (json) {
        Problems problems;
        if (const auto document = parseJsonText(bytes, "", problems)) return readRecording(*document, error);
        // A first message of 91 or 123 bytes begins with a bracket too.
        if (auto messages = guarded([&] { return readChakraMessages(bytes); }, error)) return messages;
        const Problem& problem = problems.front();
        error = {"line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column), problem.message, problem.mend};
        return std::nullopt;
    }
    return guarded([&] { return readChakraMessages(bytes); }, error);
}

} // namespace orrery
