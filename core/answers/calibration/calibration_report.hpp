// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/calibration/ablation.hpp"
#include "core/answers/calibration/leave_out.hpp"
#include "core/answers/calibration/own_cluster.hpp"
#include "core/base/json_forward.hpp"

namespace orrery {

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
