// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/in_flight.hpp"

#include <algorithm>

namespace orrery {

std::vector<int> activationsInFlight(const std::vector<PipelineStep>& steps, ActivationRelease release) {
    const PassKind freeing = release == ActivationRelease::with_weight_part ? PassKind::backward_weight : PassKind::backward_input;
    std::vector<int> held;
    held.reserve(steps.size());
    int now = 0;
    for (const PipelineStep& step : steps) {
        if (step.kind == PassKind::forward) ++now;
        if (step.kind == PassKind::backward || step.kind == freeing) --now;
        held.push_back(now);
    }
    return held;
}

std::vector<double> peakActivations(const PipelineSchedule& schedule, ActivationRelease release) {
    std::vector<double> peaks;
    for (const auto& steps : schedule.stages) {
        const std::vector<int> held = activationsInFlight(steps, release);
        const int most = held.empty() ? 0 : *std::max_element(held.begin(), held.end());
        peaks.push_back(most * schedule.placement.chunkShare());
    }
    return peaks;
}

} // namespace orrery
