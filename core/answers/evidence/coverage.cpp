// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/coverage.hpp"

#include "core/answers/validation/statistics.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace orrery {

namespace {

struct Collected {
    CoverageRow row;
    std::vector<double> widths, errors;

    void add(double score, const std::optional<ErrorBar>& bar) {
        if (!bar) {
            ++row.without;
            return;
        }
        ++row.runs;
        if (score <= std::log(bar->factor) * (1 + 1e-12)) ++row.covered;
        widths.push_back(bar->halfWidth());
        errors.push_back(std::expm1(score));
    }

    CoverageRow finish() const {
        CoverageRow finished = row;
        if (widths.empty()) return finished;
        finished.meanHalfWidth = std::accumulate(widths.begin(), widths.end(), 0.0) / static_cast<double>(widths.size());
        finished.medianHalfWidth = quantile(widths, 0.5);
        finished.medianError = quantile(errors, 0.5);
        return finished;
    }
};

Json document(const CoverageRow& row) {
    return Json{{"count", row.runs},
                {"covered", row.covered},
                {"without_interval", row.without},
                {"coverage_percent", 100 * row.share()},
                {"mean_half_width_percent", 100 * row.meanHalfWidth},
                {"median_half_width_percent", 100 * row.medianHalfWidth},
                {"median_abs_error_percent", 100 * row.medianError}};
}

} // namespace

Coverage evaluateCoverage(const ErrorBars& bars, ErrorOf what, CoverageFolds folds) {
    constexpr std::size_t pairFolds = 10;
    const auto foldOf = [folds](const CalibrationRun& run) { return folds == CoverageFolds::source ? run.source : run.pair % pairFolds; };
    std::map<std::size_t, ErrorBars> without; ///< by fold
    std::vector<Collected> groups;
    Collected all;
    for (const CalibrationRun& run : bars.runs(what)) {
        const std::size_t fold = foldOf(run);
        auto rest = without.find(fold);
        if (rest == without.end()) rest = without.emplace(fold, bars.without(what, [&](const CalibrationRun& one) { return foldOf(one) == fold; })).first;
        const std::optional<ErrorBar> bar = rest->second.bar(what, run.traits);
        const std::string& group = bars.evidence().runs[run.run].group;
        auto found = std::find_if(groups.begin(), groups.end(), [&group](const Collected& one) { return one.row.group == group; });
        if (found == groups.end()) {
            groups.emplace_back().row.group = group;
            found = groups.end() - 1;
        }
        const double error = folds == CoverageFolds::source ? run.leftOut : run.inSample;
        found->add(error, bar);
        all.add(error, bar);
    }
    Coverage coverage;
    for (const Collected& group : groups) coverage.groups.push_back(group.finish());
    coverage.all = all.finish();
    return coverage;
}

Json toJson(const Coverage& coverage) {
    Json groups = Json::object();
    for (const CoverageRow& row : coverage.groups) groups[row.group] = document(row);
    return Json{{"level_percent", 100 * ErrorBars::level}, {"folds", "source"}, {"groups", std::move(groups)}, {"summary", document(coverage.all)}};
}

} // namespace orrery
