// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/sensitivity_inputs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a figure becomes when one input is less and more.
struct SensitivityRow {
    std::string input;               ///< pointer
    double value = 0;                ///< of the input, as it is
    std::optional<double> low, high; ///< of the figure, with less and with more of the input; nothing: no sound scenario

    double swing(double base) const; ///< the larger of both changes
};

struct Sensitivity {
    Measure measure;
    double base = 0; ///< the figure as it is
    double byPercent = 10;
    std::vector<SensitivityRow> rows; ///< by swing, largest first
};

struct SensitivityRun {
    std::optional<Sensitivity> sensitivity; ///< nothing: see `problems`, or it was stopped
    Problems problems;
};

/// Tries each input of the scenario by itself, `byPercent` less and more (a tornado chart).
SensitivityRun sensitivity(const Trials& trials, const Measure& measure, double byPercent, const RunControl& control = {});

/// The contract's `orrery-sensitivity/1`.
Json sensitivityDocument(const Sensitivity& sensitivity);

} // namespace orrery
