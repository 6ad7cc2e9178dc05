// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/simulation/simulate.hpp"
#include "core/training/estimate/estimator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace orrery::test {

/// How far estimates lie from the event simulation, in percent of the latter.
class Agreement {
public:
    void add(const std::string& name, const Scenario& scenario) {
        const Outcome outcome = simulate(scenario);
        if (!outcome.result) return;
        Scenario resolved = scenario;
        resolved.execution.recompute = outcome.result->scenario.execution.recompute;
        resolved.execution.recomputeEvery = outcome.result->scenario.execution.recomputeEvery;
        resolved.execution.recomputeModules = outcome.result->scenario.execution.recomputeModules;
        resolved.execution.offload = outcome.result->scenario.execution.offload;
        Estimator estimator(resolved);
        const Estimate estimate = estimator.estimate(choiceOf(resolved));
        const auto error = [](double estimated, double simulated) { return 100 * (estimated / simulated - 1); };
        const MemoryReport& memory = outcome.result->memory;
        rows_.push_back({name, error(estimate.iterationTime, outcome.result->training()->iterationTime), error(estimate.allocatedPeak, memory.allocatedPeakBytes),
                         error(estimate.reservedPeak, memory.reservedPeakBytes), error(estimate.devicePeak, memory.peakBytes), outcome.result->training()->iterationTime});
    }

    struct Row {
        std::string name;
        double time, allocated, reserved, device; ///< errors, percent
        double seconds;
    };

    double median(double Row::*what) const {
        std::vector<double> errors;
        for (const Row& row : rows_) errors.push_back(std::abs(row.*what));
        if (errors.empty()) return 0;
        std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
        return errors[errors.size() / 2];
    }
    /// The row with the largest error; the list must not be empty.
    const Row& worst(double Row::*what) const {
        return *std::max_element(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) { return std::abs(a.*what) < std::abs(b.*what); });
    }
    /// The share of the rows that have a larger error than `limit` percent.
    double shareOver(double Row::*what, double limit) const {
        const auto over = std::count_if(rows_.begin(), rows_.end(), [&](const Row& row) { return std::abs(row.*what) > limit; });
        return static_cast<double>(over) / static_cast<double>(rows_.size());
    }
    std::size_t count() const { return rows_.size(); }

    void print(double Row::*what, const char* title) const {
        std::vector<Row> sorted = rows_;
        std::stable_sort(sorted.begin(), sorted.end(), [&](const Row& a, const Row& b) { return std::abs(a.*what) > std::abs(b.*what); });
        const auto share = [&](double limit) { return 100 * shareOver(what, limit); };
        std::printf("%s: %zu plans, median %.4f %%, worst %.3f %%; over 0.1 %%: %.1f, over 1 %%: %.1f, over 5 %%: %.2f %% of them\n", title, rows_.size(),
                    median(what), sorted.empty() ? 0 : sorted.front().*what, share(0.1), share(1), share(5));
        const char* lines = std::getenv("ORRERY_WORST");
        for (std::size_t i = 0; lines && i < std::min<std::size_t>(sorted.size(), static_cast<std::size_t>(std::atoi(lines))); ++i)
            std::printf("  %8.3f %%  %10.4f s  %s\n", sorted[i].*what, sorted[i].seconds, sorted[i].name.c_str());
    }

private:
    std::vector<Row> rows_;
};

} // namespace orrery::test
