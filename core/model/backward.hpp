// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"

namespace orrery {

/// Derives the backward operators of a graph from its forward ones, last first: a GEMM (also a grouped one) gives a `.dgrad` and a `.wgrad` of the
/// same FLOP, attention twice its forward FLOP, a collective its conjugate, everything else one kernel over its gradients.
/// A graph that brings backward operators of its own keeps them.
/// An input that forward did not keep whole (sequence parallelism keeps a shard) is gathered again before its `.wgrad`.
Graph deriveBackward(Graph graph);

} // namespace orrery
