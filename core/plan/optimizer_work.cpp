#include "core/plan/optimizer_work.hpp"

#include "core/cost/operator_cost.hpp"

namespace orrery {
namespace {

constexpr double adamFlops = 12; ///< an element: two moments, their correction, root, quotient, decay, update

TimedOperator timed(const Scenario& scenario, Operator op) {
    const CostModel cost = makeCostModel(scenario.cluster.accelerator, scenario.kernels, scenario.workload.precision);
    const OperatorTime time = operatorTime(cost, op);
    return {std::move(op), time.time, time.bound, time.source};
}

} // namespace

TimedOperator optimizerOperator(const Scenario& scenario, double elements) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const double share = elements;
    Operator op;
    op.name = "optimizer.adam";
    op.kind = OperatorKind::optimizer;
    op.phase = Phase::optimizer;
    op.flops = adamFlops * share;
    op.bytesRead = share * (profile.gradientBytes + profile.optimizerBytes);
    op.bytesWritten = share * (profile.optimizerBytes + 2);
    return timed(scenario, std::move(op));
}

TimedOperator gradientNormOperator(const Scenario& scenario, double elements) {
    const double share = elements;
    Operator op;
    op.name = "optimizer.gradient_norm";
    op.kind = OperatorKind::gradient_norm;
    op.phase = Phase::optimizer;
    op.flops = 2 * share;
    op.bytesRead = share * scenario.execution.profile.gradientBytes;
    op.kernels = 2;
    return timed(scenario, std::move(op));
}

double transferBytes(const Scenario& scenario) {
    const double tokens = double(scenario.workload.microBatch) * scenario.workload.sequenceLength;
    return tokens * double(scenario.model.hidden) * 2 / scenario.parallelism.tensor / scenario.parallelism.context;
}

} // namespace orrery
