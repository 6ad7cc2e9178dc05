// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/model/graph.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery {

/// A tensor as a recorded node names it: a view of some storage.
struct RecordedTensor {
    std::string storage;             ///< what tells storages of one recording apart; empty: only the shape is known
    std::vector<std::int64_t> shape; ///< empty: a scalar
    bool shapeKnown = true;
    double elementBytes = 0;
    bool float8 = false;
    bool onDevice = true;
    double storageBytes = 0; ///< of the storage, up to the end of this view

    double elements() const; ///< 0 where the shape isn't known
    /// Beyond any memory; products of such numbers would leave the range of numbers.
    bool isAbsurd() const { return elements() > 1e18 || elementBytes > 64; }
    double bytes() const { return elements() * elementBytes; }
};

/// One argument: no tensor (a number, a flag), one, or a list of them.
struct RecordedArgument {
    std::vector<RecordedTensor> tensors;
    BoxedJson value; ///< as recorded, when it is no tensor
};

enum class RecordedKind : std::uint8_t {
    op,     ///< a PyTorch operator in a list or call tree; whether anything runs is for its name to say
    kernel, ///< ran on the accelerator
    host,   ///< ran on the host
    collective,
    send,
    receive,
    load_store, ///< moved bytes between memories
    none,       ///< metadata
};

struct RecordedNode {
    std::string name;  ///< as recorded: "aten::mm"
    std::string place; ///< in its file: "/nodes/17" or "node 17"
    std::int64_t id = 0;
    RecordedKind kind = RecordedKind::op;
    std::vector<RecordedArgument> inputs, outputs;
    std::int32_t parent = -1;         ///< in the call tree: index of the caller
    std::vector<std::uint32_t> after; ///< indices of nodes that must have ended
    std::optional<double> duration;   ///< s, as recorded
    double flops = 0, bytes = 0;      ///< where the recording states them
    CollectiveKind collective = CollectiveKind::none;
    double rankBytes = 0; ///< what one rank gives to the collective, or sends
    int groupSize = 0;    ///< ranks that took part; 0: not recorded
    std::int64_t thread = 0;
    std::optional<Phase> phase; ///< where the recording says it
    bool userScope = false;     ///< an annotation, not an operator
};

/// What one rank did in an iteration, as its file has it.
struct Recording {
    std::string format;              ///< for people: "PyTorch execution trace, schema 1.0.1"
    bool callTree = false;           ///< operators stand inside operators
    bool dependencies = false;       ///< `after` holds them; otherwise tensors tell
    bool controlIgnored = false;     ///< control dependencies were callers, which order nothing
    std::vector<RecordedNode> nodes; ///< in the order of the recording
};

/// A recording that can't be read: what, where in it, and the mend.
struct RecordingError {
    std::string place, message, mend;
};

/// Reads a recording whichever form it has: a PyTorch FX/ATen operator list, a PyTorch execution trace, or a Chakra execution
/// trace as JSON or in protobuf. Gives nothing, with `error` set, when it is none of them or is broken.
std::optional<Recording> readRecording(std::string_view bytes, RecordingError& error);
std::optional<Recording> readRecording(const Json& document, RecordingError& error);

/// The readers of each form; they throw RecordingError.
Recording readChakraMessages(std::string_view bytes);
Recording readChakraJson(const Json& document);
Recording readPytorchTrace(const Json& document);
Recording readOperatorList(const Json& nodes, const std::string& place);
Recording readExportedProgram(const Json& graph);

/// Nodes by the ids that others name them with. Throws when an id stands twice.
using NodeIds = std::unordered_map<std::int64_t, std::uint32_t>;
NodeIds indexNodes(const std::vector<RecordedNode>& nodes);

/// Chakra's numbers: collectives by `comm_type`, and node types.
CollectiveKind chakraCollective(std::int64_t type);
RecordedKind chakraKind(std::int64_t type, std::optional<bool> onHost);

/// Turns data and control dependencies by id into indices. Callers in a call tree stand among the control dependencies of
/// traces that were made from PyTorch's, some of them left out of the file: such ones order nothing and are dropped.
void connectChakra(Recording& recording, const std::vector<std::vector<std::int64_t>>& data,
                   const std::vector<std::vector<std::int64_t>>& control);

/// Arguments from the three parallel lists of an execution trace: values, shapes and types.
std::vector<RecordedArgument> readArguments(const Json& values, const Json& shapes, const Json& types);

/// Reads what Python prints for lists, numbers, texts, True, False and None (JSON too); null when it is something else.
Json readLiteral(std::string_view text);

/// An integer or text of an object, or the fallback when it isn't there or is something else.
std::int64_t integerOf(const Json& object, const char* key, std::int64_t fallback);
double numberOf(const Json& object, const char* key, double fallback);
std::string textOf(const Json& object, const char* key);
const Json& memberOf(const Json& object, const char* key); ///< null when it isn't there

} // namespace orrery
