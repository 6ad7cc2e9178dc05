// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/fit.hpp"
#include "core/answers/validation/validate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Constants fitted without one group's cases. Profiles and generations that no other group uses have none of their own there.
struct LeftOutFit {
    std::string group;
    Calibration calibration;
};

/// One fit for each group of the cases, in order of first appearance. `whole` was fitted to all of them; its slopes serve every fit.
std::vector<LeftOutFit> fitWithoutEachGroup(std::vector<CaseModel>& cases, const ConstantFit& whole, const FitOptions& options,
                                            const RunControl& control);

struct LeaveOutValidation {
    Validation validation; ///< each case simulated under the constants of the fit without its group
    ConstantFit whole;     ///< to all groups, for comparison
    std::vector<LeftOutFit> folds;
};

/// Mean over groups of the mean absolute error of all times and rates, percent: what a stack or machine without
/// constants of its own has to expect. Zero when nothing was scored.
double meanOverGroups(const Validation& validation);

/// Fits, leaves out, simulates and scores: training's constants (fitWithoutEachGroup) and what hosts of serving do
/// (fitServingWithoutEachGroup), which take the shipped constants of machines. A case whose group is in no fold (nothing of it ran) is
/// simulated under the constants of all.
LeaveOutValidation validateLeavingOutGroups(const std::vector<MeasuredCase>& cases, const Catalog& catalog, const FileReader& readFile,
                                            const FitOptions& options, const RunControl& control);

} // namespace orrery
