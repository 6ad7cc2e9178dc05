#include "core/model/graph_builder.hpp"

#include <set>

namespace orrery {
namespace {

double tensorBytes(const Graph& graph, const std::vector<TensorId>& ids) {
    double bytes = 0;
    for (TensorId id : ids) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

void settle(const Graph& graph, Operator& op, double gradientBytes) {
    const OperatorShape& s = op.shape;
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm:
    case OperatorKind::grouped_gemm: {
        const bool weightGradient = op.name.ends_with(".wgrad");
        op.bytesRead = op.operandBytes * s.batch * (s.m * s.k + s.k * s.n);
        op.bytesWritten = s.batch * s.m * s.n * (weightGradient ? gradientBytes : op.operandBytes);
        if (weightGradient) op.bytesRead += op.bytesWritten; // accumulated in place
        break;
    }
    case OperatorKind::embedding:
        // One row of the table a token, not the table.
        op.bytesRead = op.bytesWritten = tensorBytes(graph, op.phase == Phase::backward ? op.inputs : op.outputs);
        break;
    default:
        op.bytesRead = tensorBytes(graph, op.inputs);
        op.bytesWritten = tensorBytes(graph, op.outputs);
        break;
    }
}

} // namespace

void settleTraffic(Graph& graph, double gradientBytes) {
    for (Operator& op : graph.forward) settle(graph, op, gradientBytes);
    for (Operator& op : graph.backward) settle(graph, op, gradientBytes);
}

double savedBytes(const Graph& graph) {
    std::set<TensorId> saved;
    for (const Operator& op : graph.forward) saved.insert(op.saved.begin(), op.saved.end());
    double bytes = 0;
    for (TensorId id : saved) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

} // namespace orrery
