// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/trials.hpp"

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

} // namespace orrery
