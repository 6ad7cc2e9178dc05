// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/assemble.hpp"
#include "core/results/iteration/network_account.hpp"

namespace orrery {

NetworkReport reportNetwork(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic) {
    NetworkAccount account(iteration.stageElements.size(), iteration.work.operators.size(), traffic);
    // What both ends see is counted once: the embedding's all-reduce is the last stage's too.
    for (const OperatorTraffic& one : iteration.traffic) account.add(one.row, one.op, one.patterns, one.bytes);
    // Collectives of the tensor groups ride inside the segments of computation, the same on all stages.
    for (std::uint32_t op = 0; op < iteration.work.operators.size(); ++op) {
        const Operator& timed = iteration.work.operators[op].op;
        if (timed.kind != OperatorKind::collective || !ridesInSegments(timed.group)) continue;
        for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
            const double bytes = timed.messageBytes / timed.kernels;
            const TrafficKind kind{timed.group, timed.collective, stage, stage};
            account.add(stage, op, traffic.patterns(kind, bytes), timed.messageBytes);
        }
    }
    return account.take();
}

} // namespace orrery
