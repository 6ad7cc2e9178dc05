// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/front.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>

namespace orrery {

std::vector<std::size_t> frontOf(const std::vector<Costs>& plans) {
    std::vector<std::size_t> order(plans.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::tuple(plans[a].first, plans[a].second, a) < std::tuple(plans[b].first, plans[b].second, b); });
    std::vector<std::size_t> front;
    Costs last{0, std::numeric_limits<double>::infinity()};
    for (const std::size_t plan : order) {
        const bool equal = !front.empty() && plans[plan].first == last.first && plans[plan].second == last.second;
        if (!equal && !(plans[plan].second < last.second)) continue;
        last = plans[plan];
        front.push_back(plan);
    }
    return front;
}

bool GrowingFront::covers(const Costs& plan) const {
    auto next = secondByFirst_.upper_bound(plan.first);
    return next != secondByFirst_.begin() && std::prev(next)->second <= plan.second;
}

void GrowingFront::add(const Costs& plan) {
    if (covers(plan)) return;
    auto next = secondByFirst_.lower_bound(plan.first);
    while (next != secondByFirst_.end() && next->second >= plan.second) next = secondByFirst_.erase(next);
    secondByFirst_.emplace(plan.first, plan.second);
}

namespace {

/// One over the iteration time, times what a family of plans has in common: tokens, FLOPs, accelerators.
constexpr std::array rates{std::string_view("/tokens_per_s"), std::string_view("/tokens_per_s_per_accelerator"), std::string_view("/model_tflops_per_accelerator"), std::string_view("/mfu"), std::string_view("/mfu_causal")};
/// The iteration time, times what a family has in common.
constexpr std::array durations{std::string_view("/run/days"), std::string_view("/run/accelerator_hours"), std::string_view("/run/cost"), std::string_view("/cost_per_billion_tokens")};

template <std::size_t Count>
bool isOneOf(const std::array<std::string_view, Count>& names, const std::string& pointer) { return std::find(names.begin(), names.end(), pointer) != names.end(); }

double highest(double estimate, double tooShort) { return tooShort < 1 ? estimate / (1 - tooShort) : std::numeric_limits<double>::infinity(); }
/// Where the simulated figure lies whose estimate differs from it by so much of it at most.
FigureRange around(double estimate, const TimeError& most) { return {estimate / (1 + most.tooLong), highest(estimate, most.tooShort)}; }
FigureRange above(double least, const TimeError& most) { return {least / (1 + most.tooLong), std::numeric_limits<double>::infinity()}; }

constexpr TimeError peakError{mostPeakError, mostPeakError};

} // namespace

/// The bounds stand above the largest errors of random plans. 36,500 plans had equal hosts and networks of full bisection: usual ones were 2.1 % too long at
/// most, the others 3.9 %, all 6.2 % too short at most. 5,000 plans had oversubscribed networks: they were 5.4 % too long at most, and up to 77 % too short,
/// for estimates leave out how stages that share links hold each other back.
TimeError mostTimeError(const Scenario& scenario) {
    const bool hostsDiffer = scenario.jitter.any() || !scenario.execution.stragglers.empty();
    const Cluster& cluster = scenario.cluster;
    const bool stagesMayShare = cluster.drawn || cluster.oversubscription > 1 || !cluster.changes.empty() || !cluster.traffic.empty();
    if (hostsDiffer) return {0.10, stagesMayShare ? 1 : 0.10};
    if (stagesMayShare) return {0.08, 1};
    const bool isUsual = scenario.parallelism.context == 1 && scenario.parallelism.zeroStage <= 1;
    return {isUsual ? 0.035 : 0.06, 0.08};
}

PlanRange rangeAround(double iterationTime, double devicePeak, const TimeError& most) { return {around(iterationTime, most), around(devicePeak, peakError)}; }

PlanRange rangeAbove(double iterationTime, double devicePeak, const TimeError& most) { return {above(iterationTime, most), above(devicePeak, peakError)}; }

bool FamilyFigures::mustBeLearned(const std::string& pointer) { return isOneOf(rates, pointer) || isOneOf(durations, pointer); }

bool FamilyFigures::areOf(const std::string& pointer) { return pointer == "/memory/peak_bytes" || pointer == "/iteration_time_s" || mustBeLearned(pointer); }

void FamilyFigures::learn(const std::string& pointer, double figure, double iterationTime) {
    if (isOneOf(rates, pointer)) known_.emplace(pointer, figure * iterationTime);
    if (isOneOf(durations, pointer)) known_.emplace(pointer, figure / iterationTime);
}

std::optional<FigureRange> FamilyFigures::rangeOf(const std::string& pointer, const PlanRange& plan) const {
    if (pointer == "/memory/peak_bytes") return plan.devicePeak;
    const FigureRange& time = plan.iterationTime;
    if (pointer == "/iteration_time_s") return time;
    const auto known = known_.find(pointer);
    if (known == known_.end()) return std::nullopt;
    if (isOneOf(rates, pointer)) return FigureRange{known->second / time.high, known->second / time.low};
    return FigureRange{known->second * time.low, known->second * time.high};
}

} // namespace orrery
