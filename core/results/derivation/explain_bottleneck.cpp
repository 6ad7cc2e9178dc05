// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_bottleneck.hpp"

#include "core/results/report/bottleneck.hpp"

namespace orrery {

std::optional<Quantity> explainBottleneck(const Result& result, const std::vector<std::string>& tokens) {
    const auto bottleneck = bottleneckOf(result);
    if (!bottleneck || tokens.size() != 3 || tokens[1] != "time_s") return std::nullopt;
    for (const Bound bound : allBounds) {
        if (tokens[2] != toString(bound)) continue;
        Quantity total{tokens[2], bottleneck->time[static_cast<std::size_t>(bound)], "s", Source::derived, "", "", {}};
        if (const TrainingMetrics* metrics = result.training(); metrics && bound == Bound::network) {
            total.formula = "sum of the closing stage's waits for communication";
            for (std::size_t part = 0; part < timePartCount; ++part)
                if (isExposed(static_cast<TimePart>(part)))
                    total.inputs.push_back({std::string(toString(static_cast<TimePart>(part))), metrics->breakdown[part], "s", Source::derived, "", "discrete-event timeline of the closing stage", {}});
            return total;
        }
        total.formula = "sum of the operators that this bounds, before overlap";
        for (const OperationRow& row : result.operations)
            if (row.bound == bound) total.inputs.push_back({row.kind, row.time, "s", row.source, "", "all instances, mean per accelerator", {}});
        return total;
    }
    return std::nullopt;
}

} // namespace orrery
