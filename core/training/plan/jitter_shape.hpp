// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/iteration_spread.hpp"
#include "core/engine/order_statistics.hpp"
#include "core/model/graph.hpp"
#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/training/rank_work/rank_work.hpp"

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

/// A job as jitter sees it: what a pipeline computes, and who waits for whom.
struct JitterShape {
    ReplicaShape replica;
    TeamPlaces places;
    std::vector<Moments> segments; ///< by WorkTables::segments, with waits in layers: of one that has none, its duration
    int hosts = 1;                 ///< of the whole job
    int cellsOfTeam = 1;           ///< of one stage

    /// The same with so many of a stage's cells alone.
    TeamPlaces placesOf(int cells) const;
};

/// The class of an operator: products and attention compute, collectives and sends communicate, everything else moves memory.
JitterClass jitterClassOf(OperatorKind kind);

/// Within a layer the members of a group meet at each of its collectives: what lies between two of them takes as long as the slowest
/// member (`largestOf`; sums of kernels by Fenton–Wilkinson), then the collective as long as its slowest member's part. Where weights are
/// gathered layer by layer (ZeRO-3) all who share them meet after every layer, or with gathers under way beside computation, which run one
/// layer ahead, after every second. Where delayed scaling shares the largest values of 8-bit tensors, all replicas meet after every pass of a chunk.
///
/// `data` replaces the plan's data ranks: the same work on more or fewer machines.
JitterShape jitterShape(const Scenario& scenario, const RankWork& work, int data);

/// Expected slowest of what a group's members take for their part of a collective or transfer.
double expectedTransferStretch(const Scenario& scenario, RankGroup group, int data);

} // namespace orrery
