#include "core/simulation/assemble.hpp"

#include <map>
#include <utility>

namespace orrery {

std::vector<OperationRow> listOperations(const Scenario& scenario, const Iteration& iteration) {
    std::vector<double> runs(iteration.work.segments.size(), 0);
    for (const TaskInfo& task : iteration.tasks) runs[task.segment] += 1;

    // One representative rank a stage: the mean over accelerators is the mean over stages.
    const double stages = scenario.parallelism.pipeline;
    std::vector<OperationRow> rows;
    std::map<std::pair<std::string, Phase>, std::size_t> index;
    for (std::size_t segment = 0; segment < runs.size(); ++segment) {
        if (runs[segment] == 0) continue;
        for (const SegmentEntry& entry : iteration.work.segments[segment].entries) {
            const TimedOperator& timed = iteration.work.operators[entry.op];
            const Phase phase = timed.op.kind == OperatorKind::collective ? Phase::communication : timed.op.phase;
            const auto [at, fresh] = index.try_emplace({timed.op.name, phase}, rows.size());
            if (fresh) {
                OperationRow row;
                row.kind = timed.op.name;
                row.phase = toString(phase);
                row.bound = timed.bound;
                row.source = timed.source;
                rows.push_back(std::move(row));
            }
            OperationRow& row = rows[at->second];
            const double count = runs[segment] / stages;
            row.count += count;
            row.time += count * timed.time;
            row.flops += count * timed.op.flops;
            row.bytes += count * (timed.op.messageBytes > 0 ? timed.op.messageBytes
                                                            : timed.op.bytesRead + timed.op.bytesWritten);
        }
    }
    return rows;
}

} // namespace orrery
