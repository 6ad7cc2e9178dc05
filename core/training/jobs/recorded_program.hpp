// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/recorded/recorded_workload.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/plan/traffic_program.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// The row of a recording's communication, beside those that every program has.
inline constexpr StreamKind recordedCommunication{2};

/// What a task of a recorded program is.
struct RecordedTask {
    std::uint32_t segment = 0; ///< index into WorkTables::segments; of no meaning for the host's tasks
    RecordedStream stream = RecordedStream::compute;
};

/// A recorded graph as the program of one rank, which stands for all: they do the same at the same time. The host's work, the
/// accelerator's and communication are an in-order stream each, tied by the dependencies of the recording.
struct RecordedProgram : TrafficProgram {
    WorkTables work;
    std::vector<RecordedTask> tasks; ///< by task; results don't show the host's, others only wait for them
    std::vector<TaskId> taskOf;      ///< by step of the recorded graph
};

/// Computation takes its recorded time, or else what core/training/cost says; collectives run over all ranks of the cluster.
RecordedProgram buildRecordedProgram(const Scenario& scenario, const RecordedWorkload& workload, JobTraffic& traffic);

} // namespace orrery
