// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/comparison/sure_change.hpp"

#include "core/results/comparison/compare.hpp"
#include "core/results/report/figures_with_bars.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

std::optional<SureChange> sureChange(const Result& before, const Result& after, std::string_view pointer, double a, double b) {
    if (!after.differences || a == 0) return std::nullopt;
    Comparison comparison;
    comparison.a = a;
    comparison.b = b;
    comparison.difference = b - a;
    comparison.errors = errorsOf(kindOf(after.metrics), pointer);
    judge(comparison, *after.differences, before.scenario, after.scenario);
    const auto interval = comparison.interval();
    if (!interval || interval->low == interval->high) return std::nullopt;
    const std::pair<double, double> ends = std::minmax({interval->low / a, interval->high / a});
    return SureChange{ends.first, ends.second, comparison.sureness->basis};
}

} // namespace orrery
