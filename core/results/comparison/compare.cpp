// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/comparison/compare.hpp"
#include "core/base/json.hpp"
#include "core/results/comparison/accounts.hpp"
#include "core/results/report/result_pointer.hpp"
#include "core/results/report/uncertainty.hpp"
#include "core/scenario/scenario.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

constexpr const char* iterationPointer = "/iteration_time_s";

/// What a result is mostly asked for.
std::string usualMetric(const Json& result) {
    const std::string kind = result.value("kind", "training");
    if (kind == "inference") return "/request_latency_s";
    if (kind == "serving") return "/e2e_s/mean";
    return iterationPointer;
}

bool isResult(const Json& document) { return document.is_object() && document.value("format", "") == "orrery-result/1"; }

void requireResult(const Json& document, const char* which, Problems& problems) {
    if (isResult(document)) return;
    Problem problem;
    problem.code = "not-comparable";
    problem.message = std::string(which) + " is no result.";
    problem.mend = "Compare two scenarios, or two results that \"simulate --json\" printed.";
    problems.push_back(std::move(problem));
}

std::optional<double> figureOf(const Json& result, const char* which, const std::string& metric, Problems& problems) {
    const Json* value = resultAt(result, metric);
    if (value && value->is_number()) return value->get<double>();
    Problem problem = noSuchFigure(result, metric);
    if (value) {
        problem.code = "not-a-number";
        problem.message = "\"" + metric + "\" " + (value->is_null() ? "has no figure: what it is of never ran." : "is no number.");
        if (value->is_null()) problem.mend = "Compare scenarios that run; simulate each to see what stops it.";
    }
    problem.message = std::string(which) + ": " + problem.message;
    problems.push_back(std::move(problem));
    return std::nullopt;
}

/// Tells whether a figure is better when it is larger.
bool isRate(const std::string& pointer) {
    for (const char* rate : {"tokens_per_s", "tflops", "mfu", "hfu", "goodput", "hit_rate"})
        if (pointer.find(rate) != std::string::npos) return true;
    return false;
}

using Deltas = std::vector<Comparison::Part>;

/// Part by part; one that only one side has is 0 on the other.
Deltas differencesOf(const Account& a, const Account& b) {
    const auto valueIn = [](const Account& account, const std::string& name) {
        const auto found = std::find_if(account.parts.begin(), account.parts.end(), [&](const Account::Part& part) { return part.name == name; });
        return found == account.parts.end() ? 0 : found->value;
    };
    Deltas parts;
    for (const Account::Part& part : a.parts) parts.push_back({part.name, valueIn(b, part.name) - part.value});
    for (const Account::Part& part : b.parts) {
        const bool known = std::any_of(a.parts.begin(), a.parts.end(), [&](const Account::Part& other) { return other.name == part.name; });
        if (!known) parts.push_back({part.name, part.value});
    }
    return parts;
}

/// An account whose parts are shares of the whole, as parts of `figure`.
Account sharedOut(const Account& account, double figure) {
    Account shared{figure, account.parts};
    for (Account::Part& part : shared.parts) part.value *= figure / account.value;
    return shared;
}

Deltas partsOf(const Json& a, const Json& b, const Comparison& comparison, const std::string& metric) {
    const auto accountA = accountOf(a, metric), accountB = accountOf(b, metric);
    if (accountA && accountB) return differencesOf(*accountA, *accountB);
    const auto driver = drivenBy(a, metric);
    if (driver && drivenBy(b, metric)) {
        const auto driverA = accountOf(a, driver->pointer), driverB = accountOf(b, driver->pointer);
        if (driverA && driverB && driverA->value > 0 && driverB->value > 0) {
            if (!driver->rate) return differencesOf(sharedOut(*driverA, comparison.a), sharedOut(*driverB, comparison.b));
            // What a part takes of B's time costs A's rate, and the other way round.
            return differencesOf(sharedOut(*driverB, comparison.a), sharedOut(*driverA, comparison.b));
        }
    }
    return {{metric, comparison.difference}};
}

/// Differences of sums round; the largest part takes up what that leaves, so that the parts sum to the difference.
void absorbRounding(Comparison& comparison) {
    if (comparison.parts.empty()) return;
    double sum = 0;
    for (const Comparison::Part& part : comparison.parts) sum += part.delta;
    const auto largest = std::max_element(comparison.parts.begin(), comparison.parts.end(), [](const auto& x, const auto& y) {
        return std::abs(x.delta) < std::abs(y.delta);
    });
    largest->delta += comparison.difference - sum;
}

} // namespace

std::optional<Comparison::Interval> Comparison::interval() const {
    if (!sureness || a == 0 || b / a <= 0) return std::nullopt;
    const double low = b / sureness->factor - a, high = b * sureness->factor - a;
    return a > 0 ? Interval{low, high} : Interval{high, low};
}

std::optional<double> Comparison::probabilityABetter() const {
    if (!sureness || sureness->factor <= 1 || a == 0 || b / a <= 0) return std::nullopt;
    const double bIsLess = chanceBelow(a / b, sureness->factor, sureness->level);
    return lessIsBetter ? 1 - bIsLess : bIsLess;
}

std::optional<Comparison> compareResults(const Json& a, const Json& b, Problems& problems, const std::string& metric) {
    requireResult(a, "A", problems);
    requireResult(b, "B", problems);
    if (hasErrors(problems)) return std::nullopt;
    const std::string asked = metric.empty() ? usualMetric(a) : metric;
    const auto ofA = figureOf(a, "A", asked, problems), ofB = figureOf(b, "B", asked, problems);
    if (!ofA || !ofB) return std::nullopt;
    Comparison comparison;
    comparison.metric = metric.empty() && asked == iterationPointer ? asked.substr(1) : asked;
    comparison.a = *ofA;
    comparison.b = *ofB;
    comparison.difference = comparison.b - comparison.a;
    comparison.lessIsBetter = !isRate(asked);
    comparison.errors = errorsOf(a.value("kind", "training"), asked);
    comparison.parts = partsOf(a, b, comparison, asked);
    absorbRounding(comparison);
    if (std::all_of(comparison.parts.begin(), comparison.parts.end(), [](const Comparison::Part& part) { return part.delta == 0; })) comparison.parts.clear();
    return comparison;
}

void judge(Comparison& comparison, const DifferenceJudge& differences, const Scenario& a, const Scenario& b) {
    if (a.recorded() || b.recorded() || comparison.errors.empty()) return;
    if (comparison.parts.empty() && comparison.difference == 0) {
        comparison.sureness.emplace();
        comparison.sureness->basis = "nothing differs";
    } else {
        comparison.sureness = differences.judge(comparison.errors, a, b);
    }
}

Json toJson(const Comparison& comparison) {
    Json parts = Json::array();
    for (const Comparison::Part& part : comparison.parts) parts.push_back({{"name", part.name}, {"delta", part.delta}});
    const auto interval = comparison.interval();
    const auto better = comparison.probabilityABetter();
    return Json{{"format", "orrery-comparison/1"},
                {"metric", comparison.metric},
                {"a", comparison.a},
                {"b", comparison.b},
                {"difference", comparison.difference},
                {"difference_interval_90", interval ? Json{{"low", interval->low}, {"high", interval->high}} : Json()},
                {"probability_a_better", better ? Json(*better) : Json()},
                {"parts", std::move(parts)}};
}

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
