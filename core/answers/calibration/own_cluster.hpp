// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/fit.hpp"
#include "core/base/boxed_json.hpp"
#include "core/base/json.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// A constant as it was and as measured iterations of one's own cluster would have it, in the unit of its name.
struct AdjustedConstant {
    std::string name, unit, meaning;
    double low = 0, high = 0;
    double before = 0, after = 0;
    double determined = 0; ///< 0 to 1: how much the measurements say of it
};

struct OwnClusterFit {
    std::vector<AdjustedConstant> constants;     ///< those that the measurements say something of
    Json fragment;                               ///< `execution.calibration` with them, and what the scenario stated besides
    BoxedJson profile;                           ///< the same as a document of the format orrery-profile/1
    std::vector<double> measured, before, after; ///< s an iteration, by case that runs; before and after simulated
    Problems problems;                           ///< nothing to go by
};

/// Adjusts the constants of the scenario's accelerator and profile within their ranges to a few measured runs on the same machine:
/// as far from what the catalogue says as the measurements demand, given that iterations repeat to about 3 %.
OwnClusterFit calibrateToCluster(const std::vector<MeasuredCase>& measured, const Json& scenario, const Catalog& catalog,
                                 const FileReader& readFile, const RunControl& control);

/// A profile file (`orrery-profile/1`) of constants as they are after a fit: machine, software and constants. What was measured, and how far off
/// predictions were, is the fit's to add. `frameworkVersion`: as the scenario says it; empty: it does not.
Json profileDocument(const Scenario& scenario, const std::string& frameworkVersion, const std::vector<AdjustedConstant>& constants);

} // namespace orrery
