#pragma once

#include "core/model/graph.hpp"

namespace orrery {

/// How running one piece of the model changes memory, in bytes relative to the moment before.
struct PieceMemory {
    double peak = 0;  ///< highest use while it runs
    double saved = 0; ///< forward keeps this much for backward; backward gives it back
};

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
