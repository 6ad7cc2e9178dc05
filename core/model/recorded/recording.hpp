// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"
#include "core/model/graph.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

} // namespace orrery
