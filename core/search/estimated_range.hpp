// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <string>

namespace orrery {

/// Between which a figure of the full simulation lies, by an estimate.
struct FigureRange {
    double low = 0, high = 0;
};

/// What an estimate says of a training plan.
struct EstimatedPlan {
    double iterationTime = 0; ///< s
    double devicePeak = 0;    ///< bytes
};

/// How far estimates lie from simulations at most, as shares of the simulated figure (tests/core/estimate/agreement_test.cpp holds them to it).
inline constexpr double mostTimeError = 0.10;
inline constexpr double mostPeakError = 0.02;

/// Figures that follow from the iteration time, where nothing but the plan differs: what a plan of one such family was found to have.
class FamilyFigures {
public:
    /// Takes a figure of a simulated plan.
    void learn(const std::string& pointer, double figure, double iterationTime);

    /// The range of a figure; nothing where estimates say nothing of it, or no plan of this family was simulated yet.
    std::optional<FigureRange> rangeOf(const std::string& pointer, const EstimatedPlan& plan) const;

    /// Whether `rangeOf` needs a simulated plan first.
    static bool mustBeLearned(const std::string& pointer);

private:
    std::map<std::string, double> known_; ///< figure × time of a rate, figure / time of a duration
};

} // namespace orrery
