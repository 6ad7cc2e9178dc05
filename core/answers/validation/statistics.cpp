// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace orrery {

namespace {

constexpr double unscoredPercent = 100;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    const double position = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

ErrorSummary summarise(const std::vector<std::optional<double>>& errors) {
    ErrorSummary summary;
    summary.count = errors.size();
    std::vector<double> plain;
    std::vector<double> absolute;
    std::vector<double> strict;
    for (const std::optional<double>& error : errors) {
        strict.push_back(error ? std::abs(*error) : unscoredPercent);
        if (!error) continue;
        plain.push_back(*error);
        absolute.push_back(std::abs(*error));
    }
    summary.scored = plain.size();
    if (!strict.empty()) summary.meanAbsStrict = mean(strict);
    if (plain.empty()) return summary;
    summary.meanAbs = mean(absolute);
    summary.medianAbs = quantile(absolute, 0.5);
    summary.p90Abs = quantile(absolute, 0.9);
    summary.maxAbs = *std::max_element(absolute.begin(), absolute.end());
    summary.mean = mean(plain);
    return summary;
}

void OutOfMemorySummary::add(bool measured, std::optional<bool> predicted) {
    ++count;
    if (!predicted) return;
    if (measured) ++(*predicted ? truePositive : falseNegative);
    else ++(*predicted ? falsePositive : trueNegative);
}

} // namespace orrery
