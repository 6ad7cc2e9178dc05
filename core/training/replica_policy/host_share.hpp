// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/replica_policy/replica_policy.hpp"

namespace orrery {

/// The part of an optimizer's step that a rank leaves to its host: gradients go there, it steps, new weights come back.
struct HostStep {
    double elements = 0;             ///< parameters
    double gradientElementBytes = 0; ///< of each, sent there
    double weightElementBytes = 0;   ///< of each, sent back
    double seconds = 0;              ///< of the step itself; the host's ranks share its processors
};

/// `elements`: parameters of the rank that its host steps over.
HostStep hostStep(const Scenario& scenario, double elements);

/// Bytes that come from the host before a pass reads the weights (`execution.offload.weights`); 0: none.
double weightsFromHost(const Scenario& scenario, const ReplicaPolicy& policy, const HeldWeights& held);

} // namespace orrery
