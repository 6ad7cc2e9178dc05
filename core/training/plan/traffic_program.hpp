// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/training/job_traffic/job_traffic.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// What a transfer of a program sends: indices into the job's traffic.
struct TransferUse {
    JobTraffic::Id patterns = 0;
    int cell = 0;
    double bytes = 0;
};

/// Whose traffic an operator is.
struct OperatorTraffic {
    int row = 0;          ///< of the results: a pipeline's stage, or 0 where nothing has stages
    std::uint32_t op = 0; ///< index into WorkTables::operators
    JobTraffic::Id patterns = 0;
    double bytes = 0; ///< of one execution's one kernel
};

/// What runs on a fabric, planned or recorded: tasks, and what their transfers are of the job's traffic.
struct TrafficProgram {
    Program program;
    std::vector<TransferUse> transfers; ///< by TransferId
    std::vector<OperatorTraffic> traffic;
};

} // namespace orrery
