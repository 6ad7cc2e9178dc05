// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/order_statistics.hpp"
#include "core/model/graph.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace orrery {

inline constexpr std::size_t rankGroupCount = static_cast<std::size_t>(RankGroup::embedding) + 1;

/// What jitter makes of a program's durations where the slowest of those that wait for each other stand for all (core/engine): all
/// lanes run as the slowest pipeline does.
struct StepStretch {
    /// Times everything the stage's lanes compute, by how slow named stragglers make the lane: it is the slowest of those that are at least so slow.
    std::map<double, std::vector<double>> ofStage;
    std::vector<LogNormal> ofSegment; ///< each task draws its factor from its segment's; empty: none draws
    std::uint64_t seed = 0;
    /// Times what a group's collective or transfer takes; of the tensor and context group where they stand beside the segment they belong to.
    std::array<double, rankGroupCount> ofTransfers{};

    /// What the `index`-th task that computes on a lane of the stage is stretched by, beyond the lane's own `slowdown`.
    double ofTask(int stage, double slowdown, std::uint32_t segment, std::uint64_t index) const;
};

} // namespace orrery
