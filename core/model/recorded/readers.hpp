// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/model/recorded/recording.hpp"

#include <string_view>
#include <unordered_map>

namespace orrery {

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
