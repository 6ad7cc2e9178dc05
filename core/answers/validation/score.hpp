// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/validation/cases.hpp"
#include "core/base/json.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// The q-quantile (0 to 1) by linear interpolation between the closest order statistics: of n sorted values it lies at
/// position q (n − 1), counted from 0 (type 7 of Hyndman and Fan 1996; what NumPy does). `values` is not empty.
double quantile(std::vector<double> values, double q);

/// The contract's SUMMARY of one metric. All in percent; nothing where there is nothing to average.
struct ErrorSummary {
    std::size_t count = 0;  ///< rows
    std::size_t scored = 0; ///< rows with a prediction
    std::optional<double> meanAbs;
    std::optional<double> meanAbsStrict; ///< a row without a prediction counts as 100 %
    std::optional<double> medianAbs;
    std::optional<double> p90Abs;
    std::optional<double> maxAbs;
    std::optional<double> mean;
};

/// `errors`: one entry a row; nothing for a row that was rejected or failed.
ErrorSummary summarise(const std::vector<std::optional<double>>& errors);

/// Predicted against measured out-of-memory. Cases that could not run are in `count` alone.
struct OutOfMemorySummary {
    std::size_t count = 0;
    std::size_t truePositive = 0;
    std::size_t falsePositive = 0;
    std::size_t falseNegative = 0;
    std::size_t trueNegative = 0;

    void add(bool measured, std::optional<bool> predicted);
};

enum class CaseStatus { ok,
                        rejected,
                        failed };
std::string_view toString(CaseStatus status);

/// What a predictor says to one scenario: a result document, or why there is none.
struct Prediction {
    std::optional<Json> result; ///< the contract's `orrery-result/1`
    CaseStatus status = CaseStatus::ok;
    std::string code;    ///< of the problem that prevents a result
    std::string message; ///< one sentence; empty when all is well
};

/// Sees a scenario and nothing else of its case, so that no id, group, source or measured value can leak into a number.
using Predictor = std::function<Prediction(const Json& scenario)>;

/// One case and metric, as the contract lists it.
struct ScoredRow {
    std::string id;
    std::string group;
    std::string metric;
    Json measured;                      ///< number, or bool for out_of_memory
    Json predicted;                     ///< the same, or null
    std::optional<double> errorPercent; ///< nothing for out_of_memory and where nothing was predicted
    CaseStatus status = CaseStatus::ok;
    std::string code;
    std::string message;
};

struct ScoredCase {
    std::vector<ScoredRow> rows;
    /// What counts for the out-of-memory table: measured (a case that ran counts as false) and predicted.
    std::optional<bool> measuredOutOfMemory;
    std::optional<bool> predictedOutOfMemory;
};

/// + is always too slow or too big: 100 (predicted/measured − 1) for times and bytes, 100 (measured/predicted − 1) for rates.
double errorPercent(const std::string& metric, double measured, double predicted);

/// Holds a prediction against what was measured.
ScoredCase score(const MeasuredCase& measured, const Prediction& prediction);

} // namespace orrery
