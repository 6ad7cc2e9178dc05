// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/scenario/scenario.hpp"

#include <algorithm>

namespace orrery {

/// What a framework's profile says about the traffic between ranks that hold the same weights, in one place for the program of tasks
/// (replica_traffic.hpp) and for the estimate (core/estimate).

/// ZeRO-1 as some frameworks do it beside gradients in fp32: nothing is reduced before the last backward has ended, and whole gradients
/// are all-reduced although a rank steps over its share alone (FrameworkProfile::shardedStepWaits).
inline bool reducesAfterBackward(const Scenario& scenario) {
    return scenario.execution.profile.shardedStepWaits && scenario.parallelism.zeroStage == 1;
}

/// Whether that traffic runs beside the computation at all.
inline bool overlapsReplicas(const Scenario& scenario) { return scenario.execution.overlap.data && !reducesAfterBackward(scenario); }

/// Whether a unit's sharded weights are asked for while the unit before it runs.
inline bool gathersAhead(const Scenario& scenario) { return overlapsReplicas(scenario) && scenario.execution.profile.prefetchesWeights; }

inline CollectiveKind gradientCollective(const Scenario& scenario) {
    const bool scattered = scenario.parallelism.zeroStage >= 1 && !reducesAfterBackward(scenario);
    return scattered ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
}

/// Collectives that so many weight tensors take: one together, or one each. After the backward they lie in one buffer.
inline int collectivesFor(const Scenario& scenario, int tensors, bool gather) {
    const bool each = scenario.execution.profile.reducesEachTensor && (gather ? scenario.parallelism.zeroStage >= 3 : !reducesAfterBackward(scenario));
    return each ? std::max(1, tensors) : 1;
}

/// s in which every rank's share of so many tensors is copied out of what was gathered, or into what is scattered: lists of tensors that
/// c10d's list collectives flatten, one kernel a share.
inline double shareCopies(const Scenario& scenario, int tensors) {
    return scenario.execution.profile.shareCopy * tensors * scenario.parallelism.sharders();
}

} // namespace orrery
