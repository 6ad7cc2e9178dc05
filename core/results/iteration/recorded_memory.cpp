// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/recorded_run.hpp"

#include "core/model/recorded/recorded_workload.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace orrery {
namespace {

double& kind(StageMemory& memory, MemoryKind which) { return memory.bytes[static_cast<std::size_t>(which)]; }

/// When a tensor is needed, and whether backward needs what forward made.
struct Need {
    double from = std::numeric_limits<double>::infinity(), to = -1;
    Phase made = Phase::forward;
    bool outlivesForward = false;
};

std::vector<Need> needs(const RecordedWorkload& workload, const RecordedProgram& program, const TaskTimes& times) {
    std::vector<Need> all(workload.graph.tensors.size());
    for (std::size_t step = 0; step < workload.steps.size(); ++step) {
        const Operator& op = workload.graph.forward[step];
        const TaskId task = program.taskOf[step];
        const auto use = [&](TensorId id) {
            Need& need = all[static_cast<std::size_t>(id)];
            if (need.to < 0) need.made = op.phase;
            need.from = std::min(need.from, times.start[task]);
            need.to = std::max(need.to, times.end[task]);
            need.outlivesForward = need.outlivesForward || (need.made == Phase::forward && op.phase != Phase::forward);
        };
        for (const TensorId id : op.inputs) use(id);
        for (const TensorId id : op.outputs) use(id);
    }
    return all;
}

struct Change {
    double activations = 0, temporary = 0;
};

} // namespace

MemoryReport recordedMemory(const Scenario& scenario, const RecordedWorkload& workload, const RecordedProgram& program, const TaskTimes& times,
                            Timeline& timeline) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const std::vector<Need> all = needs(workload, program, times);
    StageMemory account;
    // What one event frees, the next may take: changes of one moment count together.
    std::map<double, Change> changes;
    for (std::size_t id = 0; id < all.size(); ++id) {
        const double bytes = workload.graph.tensors[id].bytes;
        switch (workload.roles[id]) {
        case RecordedTensorRole::weights: kind(account, MemoryKind::weights) += bytes; continue;
        case RecordedTensorRole::gradients: kind(account, MemoryKind::gradients) += bytes; continue;
        case RecordedTensorRole::optimizer_states: kind(account, MemoryKind::optimizer_states) += bytes; continue;
        case RecordedTensorRole::inside: break;
        }
        if (all[id].to <= all[id].from) continue;
        double Change::*which = all[id].outlivesForward ? &Change::activations : &Change::temporary;
        changes[all[id].from].*which += bytes;
        changes[all[id].to].*which -= bytes;
    }
    StageTimeline& stage = timeline.stages.front();
    MemorySample now, peak;
    for (const auto& [time, change] : changes) {
        now.time = time;
        now.activations += change.activations;
        now.temporary += change.temporary;
        stage.memory.push_back(now);
        if (now.activations + now.temporary > peak.activations + peak.temporary) peak = now;
    }
    account.peakTime = peak.time;
    kind(account, MemoryKind::activations) = peak.activations;
    kind(account, MemoryKind::temporary) = peak.temporary;
    double allocated = 0;
    for (const double bytes : account.bytes) allocated += bytes;
    kind(account, MemoryKind::fragmentation) = profile.fragmentationFraction * allocated;
    kind(account, MemoryKind::communication_buffers) = scenario.parallelism.data > 1 ? profile.communicatorBytes : 0;
    kind(account, MemoryKind::framework) = profile.frameworkBytes;
    for (const double bytes : account.bytes) account.peakBytes += bytes;
    stage.staticBytes = account.peakBytes - peak.activations - peak.temporary;

    MemoryReport report;
    report.capacityBytes = scenario.cluster.accelerator.memoryBytes;
    report.peakBytes = account.peakBytes;
    report.allocatedPeakBytes = allocated;
    report.reservedPeakBytes = allocated + kind(account, MemoryKind::fragmentation);
    report.stages.push_back(account);
    return report;
}

} // namespace orrery
