// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/answers/explore/trials.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A number that a scenario stands on: a link's bandwidth, a latency, a rate of the accelerator, an efficiency.
struct SensitivityInput {
    /// A place that takes it, and what is there.
    struct Place {
        std::string pointer;
        double value = 0;
    };
    std::string pointer;              ///< the place that names it
    double value = 0;                 ///< there
    std::vector<Place> places;        ///< all that change together: equal links, peaks of one accelerator
    std::vector<ScenarioEdit> before; ///< makes the places: a preset written out
    double low = 0, high = 0;         ///< what it may be; 0, 0: any number above zero

    /// The changes that multiply it, within what it may be.
    std::vector<ScenarioEdit> times(double factor) const;
};

/// All of a scenario that can be read: those that the document states and those that are assumed.
std::vector<SensitivityInput> sensitivityInputs(const Trials& trials, const Scenario& scenario);

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
