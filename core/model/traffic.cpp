// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph_builder.hpp"

#include <algorithm>
#include <set>

namespace orrery {
namespace {

double tensorBytes(const Graph& graph, const std::vector<TensorId>& ids) {
    double bytes = 0;
    for (TensorId id : ids) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

/// Bytes an element of kernels that nobody fused; 0: it is one kernel.
double eagerBytes(const Operator& op, const TrafficRules& rules) {
    if (op.kind == OperatorKind::rotary) return rules.rotaryBytes;
    if (op.kind != OperatorKind::norm) return 0;
    return op.phase == Phase::backward ? rules.normBackwardBytes : rules.normForwardBytes;
}

void settle(const Graph& graph, Operator& op, const TrafficRules& rules) {
    const OperatorShape& s = op.shape;
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm:
    case OperatorKind::grouped_gemm: {
        const bool weightGradient = op.name.ends_with(".wgrad");
        op.bytesRead = op.operandBytes * s.batch * (s.m * s.k + s.k * s.n);
        if (op.storage != WeightStorage::as_multiplied)
            op.bytesRead = s.batch * (op.operandBytes * s.m * s.k + storedWeightBytes(op.storage, op.operandBytes) * s.k * s.n);
        if (op.name.starts_with(indexerScoresName)) { // heads' scores are added up on the chip
            op.bytesRead = tensorBytes(graph, op.inputs);
            op.bytesWritten = tensorBytes(graph, op.outputs);
            break;
        }
        const double results = s.batch * s.m * s.n;
        op.bytesWritten = results * op.operandBytes;
        if (weightGradient && rules.accumulatesInPlace) {
            op.bytesWritten = results * rules.gradientBytes;
            op.bytesRead += op.bytesWritten;
            op.bytesAccumulated = std::max(0.0, 2 * op.bytesWritten - results * op.operandBytes);
        }
        break;
    }
    case OperatorKind::embedding:
        // One row of the table a token, not the table.
        op.bytesRead = op.bytesWritten = tensorBytes(graph, op.phase == Phase::backward ? op.inputs : op.outputs);
        break;
    case OperatorKind::cross_entropy: {
        const bool backward = op.phase == Phase::backward;
        const double aLogit = backward ? rules.lossBackwardBytes : rules.lossForwardBytes;
        op.bytesRead = tensorBytes(graph, op.inputs);
        op.bytesWritten = tensorBytes(graph, op.outputs);
        if (aLogit > 0) {
            const auto logits = static_cast<std::size_t>(backward ? op.outputs.front() : op.inputs.front());
            op.trafficCounted = true;
            op.bytesRead = op.bytesWritten = aLogit / 2 * graph.tensors[logits].bytes / op.operandBytes;
        }
        break;
    }
    default:
        op.bytesRead = tensorBytes(graph, op.inputs);
        op.bytesWritten = tensorBytes(graph, op.outputs);
        if (const double anElement = eagerBytes(op, rules); anElement > 0) {
            op.trafficCounted = true;
            op.bytesRead = op.bytesWritten = anElement / 2 * op.bytesWritten / activationBytes;
        }
        break;
    }
    op.bytesRead *= op.repeats;
    op.bytesWritten *= op.repeats;
    op.bytesAccumulated *= op.repeats;
}

} // namespace

void settleTraffic(Graph& graph, const TrafficRules& rules) {
    for (Operator& op : graph.forward) settle(graph, op, rules);
    for (Operator& op : graph.backward) settle(graph, op, rules);
}

double savedBytes(const Graph& graph) {
    std::set<TensorId> saved;
    for (const Operator& op : graph.forward) saved.insert(op.saved.begin(), op.saved.end());
    double bytes = 0;
    for (TensorId id : saved) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

} // namespace orrery
