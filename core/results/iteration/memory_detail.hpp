// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/memory_report.hpp"
#include "core/training/plan/iteration.hpp"
#include "core/training/stage_memory/stage_memory.hpp"

#include <vector>

namespace orrery {

/// What `holdersAt` needs of the whole iteration, but for works, buffers and constants of the stages.
MemoryDetail memoryDetail(const Scenario& scenario, const Iteration& iteration, const ModelChunks& chunks);

std::vector<StageWork> worksOf(const std::vector<PlacedWork>& order);

/// Bytes of a stage's weights and what belongs to them.
struct StateSums {
    double weights = 0, gradients = 0, optimizerStates = 0;
};
StateSums sumOfStates(const MemoryDetail& detail, std::size_t stage);

} // namespace orrery
