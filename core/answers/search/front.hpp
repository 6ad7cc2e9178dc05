// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A plan by what should be small of it.
struct Costs {
    double first = 0, second = 0;
};

/// Worse in one and better in neither.
inline bool isDominated(const Costs& plan, const Costs& by) {
    return by.first <= plan.first && by.second <= plan.second && (by.first < plan.first || by.second < plan.second);
}

/// Those that no other dominates (the Pareto front), by the first cost and then the second; equal ones in the order given.
std::vector<std::size_t> frontOf(const std::vector<Costs>& plans);

/// A front that grows plan by plan, and says what lies behind it.
class GrowingFront {
public:
    void add(const Costs& plan);
    /// Whether a plan is no worse than this in either.
    bool covers(const Costs& plan) const;

private:
    std::map<double, double> secondByFirst_; ///< the second falls where the first grows
};

/// Between which a figure of the full simulation lies, by an estimate.
struct FigureRange {
    double low = 0, high = 0;
};

/// What an estimate, or its floor, says of the full simulation of a training plan.
struct PlanRange {
    FigureRange iterationTime; ///< s
    FigureRange devicePeak;    ///< bytes
};

/// How far estimates lie from simulations at most, as shares of the simulated figure (tests/core/answers/search/estimated_range_test.cpp holds them to
/// it).
inline constexpr double mostPeakError = 0.02;
struct TimeError {
    double tooLong = 0;
    double tooShort = 0; ///< 1: by any factor
};
/// The same of the iteration time.
TimeError mostTimeError(const Scenario& scenario);

/// The range of a plan with this estimate: both ends are as far off as estimates are at most.
PlanRange rangeAround(double iterationTime, double devicePeak, const TimeError& most);
/// The range of a plan whose estimate says no less than this.
PlanRange rangeAbove(double iterationTime, double devicePeak, const TimeError& most);

/// Figures that follow from the iteration time, where nothing but the plan differs: what a plan of one such family was found to have.
class FamilyFigures {
public:
    /// Takes a figure of a simulated plan.
    void learn(const std::string& pointer, double figure, double iterationTime);

    /// The range of a figure; nothing where estimates say nothing of it, or no plan of this family was simulated yet.
    std::optional<FigureRange> rangeOf(const std::string& pointer, const PlanRange& plan) const;

    /// Whether `rangeOf` needs a simulated plan first.
    static bool mustBeLearned(const std::string& pointer);
    /// Whether estimates say anything of such a figure.
    static bool areOf(const std::string& pointer);

private:
    std::map<std::string, double> known_; ///< figure × time of a rate, figure / time of a duration
};

} // namespace orrery
