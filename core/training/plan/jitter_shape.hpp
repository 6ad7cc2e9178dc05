// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/iteration_spread.hpp"
#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <vector>

namespace orrery {

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
