// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/scenario/pass_table.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// A piece of the model as every rank of a tensor group runs it.
struct PlannedGraph {
    Graph graph;
    double frozenElements = 0; ///< parameters that the rank holds and does not train
};

/// Runs the graph passes of the table over a piece as the model states it, in the table's order, with backward derived between
/// `expert_tensor` and `lora`; then drops what does nothing and settles traffic. Embedding and head are never recomputed.
PlannedGraph plannedGraph(Graph piece, const Scenario& scenario, RecomputeKind recompute);

/// Whether what tensor ranks gather and scatter is copied into order by kernels of their own (FrameworkProfile::laysOutGathers).
bool laysOutGathers(const Scenario& scenario);

/// A kind of piece and how many of it the whole model has.
struct PieceUse {
    std::string name; ///< "embedding", "layer", "layer 2" of several kinds, "layer, recomputed", "next_token", "head"
    Graph piece;      ///< as the model states it
    RecomputeKind recompute = RecomputeKind::none;
    int count = 1;
};

/// Embedding, kinds of layers (each in two ways where every n-th is recomputed), modules of multi-token prediction, head.
std::vector<PieceUse> pieceUses(const Scenario& scenario, RecomputeKind recompute);

/// The scenario as graphs see it without the graph pass: the same as reading the document with it off, but for ranks and batch.
void leaveOutOfGraphs(PassId id, Scenario& scenario);

} // namespace orrery
