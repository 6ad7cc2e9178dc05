// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/replica_policy/host_share.hpp"

#include "core/scenario/rank_groups.hpp"

namespace orrery {

HostStep hostStep(const Scenario& scenario, double elements) {
    const FrameworkProfile& profile = scenario.execution.profile;
    return {elements, profile.gradientBytes, profile.gatheredWeightBytes, elements * acceleratorsPerHost(scenario.cluster) / scenario.kernels.physics.hostAdamParametersPerSecond};
}

double weightsFromHost(const Scenario& scenario, const ReplicaPolicy& policy, const HeldWeights& held) {
    return scenario.execution.offload.weights * policy.ownElements(held) * scenario.execution.profile.gatheredWeightBytes;
}

} // namespace orrery
