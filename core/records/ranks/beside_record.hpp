// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/records/traces/kineto_reader.hpp"
#include "core/results/report/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orrery {

/// Which events of the device were launched before the record began: the last of a step that it doesn't have. Where launches are recorded,
/// these have none and stand before the first in their stream that has one.
std::vector<bool> launchedBefore(const KinetoTrace& trace);

/// What a class of operators takes of an iteration, simulated and recorded; s, sums over kernels, of a recorded collective waiting included.
struct OperatorClassTimes {
    std::string name; ///< "matrix products", "attention", "optimizer", "communication", "other kernels"
    double recorded = 0, simulated = 0;
    std::size_t recordedKernels = 0, simulatedKernels = 0;
};

/// A simulated iteration beside the record of one of its ranks.
struct BesideRecord {
    int stage = 0;            ///< of the pipeline, whose rank was recorded; 0 where the record doesn't say its rank
    std::size_t steps = 1;    ///< of the profiler that the record holds: its times are divided by them
    double recordedSpan = 0;  ///< s, from the first work of the device to the last
    double simulatedSpan = 0; ///< s, the iteration
    std::vector<OperatorClassTimes> classes;
    const OperatorClassTimes& of(const std::string& name) const;
};

/// A kernel's class is its operator's where it has the name of one in the simulation, otherwise what its own name tells. `result` is of a training or a static batch.
BesideRecord besideRecord(const Result& result, const KinetoTrace& trace);

/// Errors are of the simulation, as shares of the record in percent; null where nothing was recorded.
Json besideDocument(const BesideRecord& beside);

} // namespace orrery
