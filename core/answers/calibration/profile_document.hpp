// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/own_cluster.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// A profile file (`orrery-profile/1`) of constants as they are after a fit: machine, software and constants. What was measured, and how far off
/// predictions were, is the fit's to add. `frameworkVersion`: as the scenario says it; empty: it does not.
Json profileDocument(const Scenario& scenario, const std::string& frameworkVersion, const std::vector<AdjustedConstant>& constants);

} // namespace orrery
