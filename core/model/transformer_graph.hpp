#pragma once

#include "core/model/architecture.hpp"
#include "core/model/graph.hpp"

namespace orrery {

/// What one micro-batch brings to the model. Activations are 16 bit.
struct TokenShape {
    double sequences = 1;
    double length = 1; ///< tokens of a sequence
    double tokens() const { return sequences * length; }
};

/// The model's three pieces, forward only, unsharded and unfused: as the paper's equations write them, one kernel a step.
/// Passes (core/plan) then fuse, shard and recompute.
struct ModelGraphs {
    Graph embedding;
    Graph layer;
    Graph head;
};

ModelGraphs buildModelGraphs(const Architecture& architecture, const TokenShape& shape);

/// Sets every operator's DRAM traffic from its shape and tensors; to be called after the last pass.
/// A weight gradient is accumulated into a buffer of `gradientBytes` an element (read and written).
void settleTraffic(Graph& graph, double gradientBytes);

/// Bytes that forward keeps for backward: every saved tensor once.
double savedBytes(const Graph& graph);

} // namespace orrery
