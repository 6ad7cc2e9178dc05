// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/optimizer_work.hpp"

#include "core/training/cost/operator_cost.hpp"
#include "core/training/memory/static_memory.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double adamFlops = 12;     ///< an element: two moments, their correction, root, quotient, decay, update
constexpr double momentumFlops = 6;  ///< an element: momentum, decay, update
constexpr int newtonSchulzSteps = 5; ///< Jordan et al. 2024

TimedOperator timed(const Scenario& scenario, Operator op) {
    const CostModel cost = costModelOf(scenario);
    const OperatorTime time = operatorTime(cost, op);
    return {std::move(op), time.time, time.bound, time.source};
}

TimedOperator newtonSchulz(const Scenario& scenario, double flops) {
    Operator op;
    op.name = "optimizer.newton_schulz";
    op.kind = OperatorKind::batched_gemm;
    op.phase = Phase::optimizer;
    op.flops = flops;
    const double side = scenario.kernels.physics.muonMatrixSide;
    op.shape = {side, side, side, flops / (2 * side * side * side)};
    op.bytesRead = 2 * 2 * side * side * op.shape.batch;
    op.bytesWritten = op.bytesRead / 2;
    return timed(scenario, std::move(op));
}

} // namespace

std::vector<TimedOperator> optimizerOperators(const Scenario& scenario, double elements, double orthogonalFlops) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const OptimizerKind kind = scenario.training().optimizer;
    std::vector<TimedOperator> operators;
    if (orthogonalFlops > 0) operators.push_back(newtonSchulz(scenario, orthogonalFlops));
    const double states = optimizerStateBytes(scenario);
    Operator op;
    op.name = kind == OptimizerKind::adam ? "optimizer.adam" : kind == OptimizerKind::sgd ? "optimizer.sgd"
                                                                                          : "optimizer.muon";
    op.kind = OperatorKind::optimizer;
    op.phase = Phase::optimizer;
    op.flops = (kind == OptimizerKind::adam ? adamFlops : momentumFlops) * elements;
    op.bytesRead = elements * (profile.gradientBytes + states);
    op.bytesWritten = elements * (states + 2);
    op.trafficCounted = true; // lists of tensors in one kernel
    operators.push_back(timed(scenario, std::move(op)));
    return operators;
}

double orthogonalFlops(const Graph& graph) {
    if (graph.name == "embedding" || graph.name == "head") return 0;
    double flops = 0;
    for (const Operator& op : graph.forward) {
        if ((op.kind != OperatorKind::gemm && op.kind != OperatorKind::grouped_gemm) || op.weights <= 0) continue;
        // A batch of products: of as many experts.
        const double a = std::min(op.shape.n, op.shape.k), b = std::max(op.shape.n, op.shape.k);
        flops += newtonSchulzSteps * (4 * a * a * b + 2 * a * a * a) * op.shape.batch;
    }
    return flops;
}

TimedOperator gradientNormOperator(const Scenario& scenario, double elements) {
    const double share = elements;
    Operator op;
    op.name = "optimizer.gradient_norm";
    op.kind = OperatorKind::gradient_norm;
    op.phase = Phase::optimizer;
    op.flops = 2 * share;
    op.bytesRead = share * scenario.execution.profile.gradientBytes;
    op.trafficCounted = true;
    op.kernels = 2;
    return timed(scenario, std::move(op));
}

double transferBytes(const Scenario& scenario) {
    const double tokens = double(scenario.training().microBatch) * scenario.training().sequenceLength;
    return tokens * scenario.model.passedWidth() * 2 / scenario.parallelism.tensor / scenario.parallelism.context;
}

} // namespace orrery
