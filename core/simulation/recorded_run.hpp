// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/simulation/assemble.hpp"
#include "core/simulation/simulate.hpp"

#include <memory>

namespace orrery {

/// A recorded graph as the program of one rank, which stands for all: they do the same at the same time. The host's work, the
/// accelerator's and communication are an in-order stream each, tied by the dependencies of the recording.
struct RecordedRun {
    Iteration iteration;        ///< one stage, one lane; the host's tasks are none that results show
    std::vector<TaskId> taskOf; ///< by step of the recorded graph
    std::vector<char> onHost;   ///< by task
};

/// Computation takes its recorded time, or else what core/cost says; collectives run over all ranks of the cluster.
RecordedRun buildRecordedRun(const Scenario& scenario, const RecordedWorkload& workload, JobTraffic& traffic);

/// Wall clock of the rank by cause: what the accelerator computes by phase; in between the chain of tasks that the next one
/// waited for tells communication (`data_exposed`) from the host (`overhead`).
TimeBreakdown recordedBreakdown(const RecordedRun& run, const TaskTimes& times);

/// Memory by liveness of the recorded tensors over the events; writes the samples into the timeline.
MemoryReport recordedMemory(const Scenario& scenario, const RecordedWorkload& workload, const RecordedRun& run, const TaskTimes& times,
                            Timeline& timeline);

/// Simulates a scenario whose model is a recorded graph.
Outcome simulateRecorded(const Scenario& scenario, const RunControl& control);

} // namespace orrery
