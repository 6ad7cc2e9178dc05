// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/placement.hpp"
#include "core/order/schedule/step.hpp"

#include <vector>

namespace orrery {

/// What every stage of a pipeline does in one iteration, in the order of its compute stream.
struct PipelineSchedule {
    Placement placement;
    std::vector<std::vector<PipelineStep>> stages;
    /// The most activations each stage may hold at once, counted in micro-batches of one chunk from the forward to the end of the
    /// (weight part of the) backward. The schedule's promise, from its closed form; the checker holds the steps against it.
    std::vector<int> mostInFlight;
};

} // namespace orrery
