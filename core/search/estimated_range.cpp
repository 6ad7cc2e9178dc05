// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/estimated_range.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace orrery {
namespace {

/// One over the iteration time, times what a family of plans has in common: tokens, FLOPs, accelerators.
constexpr std::array rates{std::string_view("/tokens_per_s"), std::string_view("/tokens_per_s_per_accelerator"), std::string_view("/model_tflops_per_accelerator"), std::string_view("/mfu"), std::string_view("/mfu_causal")};
/// The iteration time, times what a family has in common.
constexpr std::array durations{std::string_view("/run/days"), std::string_view("/run/accelerator_hours"), std::string_view("/run/cost")};

template <std::size_t Count>
bool isOneOf(const std::array<std::string_view, Count>& names, const std::string& pointer) { return std::find(names.begin(), names.end(), pointer) != names.end(); }

/// Where the simulated figure lies whose estimate differs from it by `most` of it at most.
FigureRange around(double estimate, double most) { return {estimate / (1 + most), estimate / (1 - most)}; }
FigureRange above(double least, double most) { return {least / (1 + most), std::numeric_limits<double>::infinity()}; }

} // namespace

double mostTimeError(const Scenario& scenario) {
    constexpr double equalHosts = 0.08, differentHosts = 0.10; // of 6,000 random plans the worst were 7.1 and 6.3 % off
    return scenario.jitter.any() || !scenario.execution.stragglers.empty() ? differentHosts : equalHosts;
}

PlanRange rangeAround(double iterationTime, double devicePeak, double mostTimeError) {
    return {around(iterationTime, mostTimeError), around(devicePeak, mostPeakError)};
}

PlanRange rangeAbove(double iterationTime, double devicePeak, double mostTimeError) {
    return {above(iterationTime, mostTimeError), above(devicePeak, mostPeakError)};
}

bool FamilyFigures::mustBeLearned(const std::string& pointer) { return isOneOf(rates, pointer) || isOneOf(durations, pointer); }

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
