// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/fit.hpp"
#include "core/answers/calibration/leave_out.hpp"
#include "core/answers/calibration/own_cluster.hpp"
#include "core/base/json_forward.hpp"

#include <string>
#include <utility>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Something that is taken away before everything else is fitted anew.
struct Ablation {
    std::string name;                  ///< "no launch cost on the device"
    std::string meaning;               ///< what is left out, and how
    std::vector<std::string> unfitted; ///< constants that stay as the catalogue says
    ConstantValues held;               ///< constants that are this everywhere: so that the effect vanishes
    bool withoutTables = false;        ///< operators by roofline alone
    std::string pass{};                ///< of `execution.passes`, switched off in every case
};

/// Every constant as the catalogue says it, one at a time; then every physical effect that constants can switch off.
std::vector<Ablation> ablations();

struct AblationRow {
    Ablation ablation;                                  ///< without a name: nothing taken away
    std::vector<std::pair<std::string, double>> groups; ///< mean absolute error of the estimates, percent
    double all = 0;                                     ///< mean over the groups
};

/// The first row is the fit with nothing taken away.
std::vector<AblationRow> ablate(const std::vector<MeasuredCase>& measured, const Catalog& catalog, const FileReader& readFile,
                                const FitOptions& options, const RunControl& control);

/// Every constant that may be fitted, with its unit, range and meaning.
Json constantDefinitions();

/// `{"format": "orrery-calibration-report/1", "constants", "definitions", "before", "after"}`; the last two as `orrery-validation/1` has its groups.
Json fitDocument(const Calibration& fitted, const Validation& before, const Validation& after);
/// `orrery-validation/1` with `constants.left_out`, the same of every fold, and `mean_over_groups_percent`.
Json leaveOutDocument(const LeaveOutValidation& leaveOut);
/// `{"format": "orrery-ablation/1", "rows": [{"name", "meaning", "mean_abs_error_percent", "groups"}]}`.
Json ablationDocument(const std::vector<AblationRow>& rows);
/// `{"format": "orrery-cluster-calibration/1", "constants", "cases", "execution": {"calibration"}}`.
Json ownClusterDocument(const OwnClusterFit& fit);

} // namespace orrery
