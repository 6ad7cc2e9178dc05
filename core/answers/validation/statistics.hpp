// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
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

} // namespace orrery
