// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

namespace orrery {
namespace {

double weightsOf(const Graph& graph, const Operator& backward) {
    for (const Operator& op : graph.forward)
        if (backward.name == op.name + std::string(weightGradientSuffix) || backward.name == op.name + ".backward") return op.weights + op.replicatedWeights;
    return 0;
}

} // namespace

Graph weightGradientPass(Graph graph, WeightGradients place) {
    if (place == WeightGradients::elsewhere) return graph;
    const bool kept = place == WeightGradients::kept;
    for (Operator& op : graph.backward) {
        const double elements = op.weightPart ? weightsOf(graph, op) : 0;
        if (elements <= 0) continue;
        const double together = kept || op.kind != OperatorKind::grouped_gemm ? elements : elements / op.shape.batch;
        const TensorId gradient = addTensor(graph, op.name.substr(0, op.name.rfind('.')) + ".weight_gradient", sixteenBit * together, TensorRole::whole);
        op.outputs.push_back(gradient);
        if (!kept) op.inputs.push_back(gradient); // added up and dropped
    }
    return graph;
}

} // namespace orrery
