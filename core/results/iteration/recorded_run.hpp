// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"
#include "core/training/jobs/recorded_program.hpp"

#include <vector>

namespace orrery {

/// The spans of the rank's streams: one row.
Timeline recordedTimeline(const Scenario& scenario, const RecordedProgram& program, const TaskTimes& times);

/// The contract's `operations`.
std::vector<OperationRow> recordedOperations(const RecordedProgram& program, const TaskTimes& times);

/// Wall clock of the rank by cause: what the accelerator computes by phase; in between the chain of tasks that the next one
/// waited for tells communication (`data_exposed`) from the host (`overhead`).
TimeBreakdown recordedBreakdown(const RecordedProgram& program, const TaskTimes& times);

/// Memory by liveness of the recorded tensors over the events; writes the samples into the timeline.
MemoryReport recordedMemory(const Scenario& scenario, const RecordedWorkload& workload, const RecordedProgram& program, const TaskTimes& times,
                            Timeline& timeline);

/// Simulates a scenario whose model is a recorded graph.
Outcome simulateRecorded(const Scenario& scenario, const RunControl& control);

} // namespace orrery
