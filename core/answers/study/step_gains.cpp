// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/study/step_gains.hpp"

#include <algorithm>

namespace orrery {

std::optional<StepGains> stepGains(const StudyResult& result, std::size_t plot) {
    if (!result.study.steps || result.outcomes.empty() || plot >= result.study.plots.size()) return std::nullopt;
    const bool lower = result.study.plots[plot].lowerIsBetter;
    const std::vector<StudyValue>& values = result.study.axes.front().values;
    StepGains gains;
    double first = 0, before = 0;
    for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
        const std::optional<double>& value = result.outcomes[i].numbers[plot].value;
        if (!value || !(*value > 0)) return std::nullopt;
        if (i == 0) first = before = *value;
        const double factor = lower ? before / *value : *value / before;
        const double total = lower ? first / *value : *value / first;
        gains.steps.push_back({values[i].name, i == 0 ? std::string() : values[i].cause, factor, total});
        before = *value;
        if (i == 0) continue;
        const auto known = std::find_if(gains.causes.begin(), gains.causes.end(), [&](const StepGain& one) { return one.name == values[i].cause; });
        if (known != gains.causes.end()) known->factor *= factor;
        else gains.causes.push_back({values[i].cause, values[i].cause, factor, 1});
    }
    for (StepGain& cause : gains.causes) cause.total = gains.total *= cause.factor;
    return gains;
}

} // namespace orrery
