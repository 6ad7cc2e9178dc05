// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/bottleneck.hpp"

#include <algorithm>

namespace orrery {

bool isExposed(TimePart part) {
    switch (part) {
    case TimePart::tensor_exposed:
    case TimePart::context_exposed:
    case TimePart::expert_exposed:
    case TimePart::pipeline_exposed:
    case TimePart::data_exposed: return true;
    default: return false;
    }
}

std::optional<Bottleneck> bottleneckOf(const Result& result) {
    if (result.operations.empty() || result.serving() || result.rl()) return std::nullopt;
    Bottleneck found;
    for (const OperationRow& row : result.operations) found.time[static_cast<std::size_t>(row.bound)] += row.time;
    if (const TrainingMetrics* metrics = result.training()) {
        double& network = found.time[static_cast<std::size_t>(Bound::network)];
        network = 0;
        for (std::size_t part = 0; part < timePartCount; ++part)
            if (isExposed(static_cast<TimePart>(part))) network += metrics->breakdown[part];
    }
    const auto largest = std::max_element(found.time.begin(), found.time.end());
    if (*largest <= 0) return std::nullopt;
    found.bound = allBounds[static_cast<std::size_t>(largest - found.time.begin())];
    return found;
}

} // namespace orrery
