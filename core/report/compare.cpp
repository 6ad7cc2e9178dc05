// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

namespace {

bool isTrainingResult(const Json& document) {
    if (!document.is_object() || document.value("format", "") != "orrery-result/1") return false;
    const auto time = document.find("iteration_time_s");
    const auto breakdown = document.find("time_breakdown_s");
    return time != document.end() && time->is_number() && breakdown != document.end() && breakdown->is_object() &&
           !breakdown->empty();
}

void requireTraining(const Json& document, const char* which, Problems& problems) {
    if (isTrainingResult(document)) return;
    Problem problem;
    problem.code = "not-comparable";
    problem.message = std::string(which) + " is no result of a training iteration.";
    problem.mend = "Compare two training scenarios, or two results that \"simulate --json\" printed.";
    problems.push_back(std::move(problem));
}

double partOf(const Json& breakdown, const std::string& name) {
    const auto found = breakdown.find(name);
    return found != breakdown.end() && found->is_number() ? found->get<double>() : 0;
}

/// Differences of sums round; the largest part takes up what that leaves, so that the parts sum to the difference.
void absorbRounding(Comparison& comparison) {
    double sum = 0;
    for (const Comparison::Part& part : comparison.parts) sum += part.delta;
    const auto largest = std::max_element(comparison.parts.begin(), comparison.parts.end(), [](const auto& x, const auto& y) {
        return std::abs(x.delta) < std::abs(y.delta);
    });
    largest->delta += comparison.difference - sum;
}

} // namespace

std::optional<Comparison> compareResults(const Json& a, const Json& b, Problems& problems) {
    requireTraining(a, "A", problems);
    requireTraining(b, "B", problems);
    if (hasErrors(problems)) return std::nullopt;

    Comparison comparison;
    comparison.a = a["iteration_time_s"].get<double>();
    comparison.b = b["iteration_time_s"].get<double>();
    comparison.difference = comparison.b - comparison.a;
    const Json& before = a["time_breakdown_s"];
    const Json& after = b["time_breakdown_s"];
    for (const auto& [name, value] : before.items()) {
        comparison.parts.push_back({name, partOf(after, name) - partOf(before, name)});
    }
    for (const auto& [name, value] : after.items()) {
        if (!before.contains(name)) comparison.parts.push_back({name, partOf(after, name)});
    }
    absorbRounding(comparison);
    return comparison;
}

Json toJson(const Comparison& comparison) {
    Json parts = Json::array();
    for (const Comparison::Part& part : comparison.parts) parts.push_back({{"name", part.name}, {"delta", part.delta}});
    return Json{{"format", "orrery-comparison/1"}, {"metric", comparison.metric}, {"a", comparison.a}, {"b", comparison.b}, {"difference", comparison.difference}, {"parts", std::move(parts)}};
}

} // namespace orrery
