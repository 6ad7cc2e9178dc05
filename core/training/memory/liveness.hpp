// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/training/memory/static_memory.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery {

/// A buffer that belongs to no operator: gathered weights, gradients not there all the time, what is on its way to or from the
/// host. Its life is counted in slots: work w of the stage has slot 2w for its operators but the last, 2w + 1 for the last.
struct BufferLife {
    MemoryKind kind = MemoryKind::communication_buffers;
    std::string_view name; ///< a literal
    int piece = 0;         ///< index into MemoryDetail::pieces
    std::int32_t layer = -1;
    double bytes = 0;
    std::int32_t first = 0, last = 0; ///< slots
};

/// When a tensor is alive among operators that run in the order of their list. PyTorch frees by what the host has issued, so
/// that order decides, not the clock.
struct TensorLife {
    static constexpr int before = -1; ///< `first` of what is alive when the list begins

    TensorId tensor = 0;
    double bytes = 0;
    int first = before;     ///< the operator that writes it, or 0 for what a neighbour hands in
    int last = 0;           ///< the last operator at which it is alive
    bool keptAfter = false; ///< alive when the list ends, whatever `last` says

    bool isAliveBefore() const { return first == before; }
    bool isAliveAt(int index) const { return first <= index && (keptAfter || index <= last); }
};

/// Lives of all tensors that `operators` touch or pass on. `aliveBefore` are there already, `keptAfter` stay; both by tensor of the graph.
/// What no operator reads is handed to the neighbouring piece: alive to the end.
std::vector<TensorLife> tensorLives(const Graph& graph, const std::vector<Operator>& operators, const std::vector<bool>& aliveBefore,
                                    const std::vector<bool>& keptAfter);

/// By tensor: forward keeps it for backward.
std::vector<bool> savedTensors(const Graph& graph);

/// The highest use among some operators, in bytes relative to the moment before the list.
struct OperatorPeak {
    double bytes = 0;
    double kept = 0; ///< of it, what is kept from one part to another
    int at = 0;      ///< the operator
};

/// How running one piece of the model changes memory, in bytes relative to the moment before.
struct PieceMemory {
    double peak = 0;   ///< highest use while it runs
    double saved = 0;  ///< forward keeps this much for backward; backward gives it back
    double change = 0; ///< what is alive afterwards less what was before
    int operators = 0;
    OperatorPeak beforeLast; ///< of all operators but the last; of a single one, that
    OperatorPeak atLast;
    std::vector<TensorLife> lives;
    std::vector<bool> kept; ///< by tensor: kept from one part to another
};

/// The highest sum of lives of `operators`; kept is what is alive before or after.
PieceMemory pieceMemory(const Graph& graph, const std::vector<Operator>& operators, const std::vector<bool>& aliveBefore,
                        const std::vector<bool>& keptAfter);

/// Liveness of the tensors of a graph's forward operators: alive from the operator that writes it (an input: from the start) to
/// the last that reads it, and beyond when saved.
PieceMemory forwardMemory(const Graph& graph);

/// The same for its backward operators: what forward saved is alive at the start and freed after its last use.
PieceMemory backwardMemory(const Graph& graph);

/// The two parts of a backward that a schedule splits: what the weight part reads stays alive until it has run, gradients that the
/// input part leaves for it included.
struct SplitBackwardMemory {
    PieceMemory input;
    PieceMemory weight;
};
SplitBackwardMemory splitBackwardMemory(const Graph& graph);

} // namespace orrery
