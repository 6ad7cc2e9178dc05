// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/validation/score.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/run_control.hpp"
#include "core/catalog/fitted_constants.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// Summaries of the rows of one group, or of all; metrics in order of first appearance.
struct MetricSummaries {
    std::vector<std::pair<std::string, ErrorSummary>> metrics;
    OutOfMemorySummary outOfMemory;
};

struct Validation {
    std::size_t cases = 0;
    std::vector<ScoredRow> rows;                                 ///< in the order of the cases
    std::vector<std::pair<std::string, MetricSummaries>> groups; ///< in order of first appearance
    MetricSummaries summary;
};

/// Predicts every case, several at a time, and scores it. An exception of the predictor makes the case `failed`.
/// The outcome does not depend on `control.threads`. `predict` is called from several threads at once.
Validation validate(const std::vector<MeasuredCase>& cases, const Predictor& predict, const RunControl& control);

/// The same with a predictor of its own for each group: fits that leave groups out are scored so, and nothing else.
using PredictorOfGroup = std::function<const Predictor&(const std::string& group)>;
Validation validateByGroup(const std::vector<MeasuredCase>& cases, const PredictorOfGroup& predictorOf, const RunControl& control);

/// The contract's `orrery-validation/1`, with the fitted constants behind the predictions.
Json toJson(const Validation& validation, const Calibration& calibration = {});
/// `{"fitted": {GENERATION: {CONSTANT: value}}, "by_profile": {PROFILE: …}}`; the pooled ones under "default".
Json constantsDocument(const Calibration& calibration);

} // namespace orrery
