// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/rank_work/model_chunks.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/stage_memory/unit_buffers.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace orrery {

/// What one piece of work does to a stage's memory, in bytes beside what stays all through the iteration.
struct WorkMemory {
    double kept = 0;      ///< at its peak: kept from forward to backward
    double temporary = 0; ///< at its peak: in use only inside it
    double buffers = 0;   ///< at its peak: see `UnitBuffers`
    double after = 0;     ///< kept when it is done
    double buffersAfter = 0;
    std::array<int, 2> peakOperator{}; ///< by pass: where it is at the peak; -1: not begun

    double peak() const { return kept + temporary + buffers; }
};

/// Segments of two that run together, by the two (`Iteration::pairs`).
using PairedSegments = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>;

/// Memory of a stage as its work runs, by its order alone: no clock enters.
std::vector<WorkMemory> stageMemory(const Scenario& scenario, const RankWork& work, const PairedSegments& pairedSegments,
                                    const std::vector<PlacedWork>& order, const UnitBuffers& buffers);

/// A segment's operators as the host issues them: in the order of the table, whatever their times.
std::vector<std::uint32_t> issueOrder(const Segment& segment);

/// What a pass does to memory.
const PieceMemory& memoryOf(const UnitPass& pass);

} // namespace orrery
