// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/recompute_ladder.hpp"

namespace orrery {
bool parksActivations(const Scenario& scenario) {
    return scenario.execution.profile.offloadsActivations && scenario.parallelism.zeroStage >= 3 && scenario.execution.offload.activations == 0 &&
           scenario.cluster.accelerator.hostLinkBandwidth >= scenario.kernels.physics.swiftHostLink;
}

std::vector<RecomputeChoice> recomputeLadder(const Scenario& scenario) {
    std::vector<RecomputeChoice> ladder{{RecomputeKind::none}};
    if (scenario.model.experts)
        for (const std::vector<std::string>& modules : scenario.execution.profile.experts.recomputeLadder)
            ladder.push_back({RecomputeKind::modules, 1, 0, modules});
    if (parksActivations(scenario)) {
        for (const double share : {0.125, 0.25, 0.5, 0.75, 1.0}) ladder.push_back({RecomputeKind::none, 1, share});
    } else if (!scenario.execution.profile.recomputesAllOrNothing) {
        ladder.push_back({RecomputeKind::selective});
        for (const int every : {8, 4, 3, 2})
            if (every < scenario.model.layers) ladder.push_back({RecomputeKind::every, every});
    }
    ladder.push_back({RecomputeKind::full});
    return ladder;
}

void takeChoice(const RecomputeChoice& choice, Scenario& scenario) {
    const bool parks = parksActivations(scenario);
    scenario.execution.recompute = choice.kind;
    scenario.execution.recomputeEvery = choice.every;
    scenario.execution.recomputeModules = choice.modules;
    if (parks) scenario.execution.offload.activations = choice.parked;
}

} // namespace orrery
