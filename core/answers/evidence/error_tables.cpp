// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/error_tables.hpp"
#include "core/answers/validation/score.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace orrery {
namespace {

struct Errors {
    std::vector<std::optional<double>> inSample, leftOut;
    bool anyLeftOut = false;

    void add(const MeasuredFigure& figure) {
        inSample.push_back(inSampleError(figure));
        leftOut.push_back(leftOutError(figure));
        anyLeftOut = anyLeftOut || leftOut.back();
    }

    ErrorTableRow row(std::string key) const {
        ErrorTableRow row;
        row.key = std::move(key);
        row.runs = inSample.size();
        row.inSample = summarise(inSample);
        if (anyLeftOut) row.leftOut = summarise(leftOut);
        return row;
    }
};

bool isTrainings(ErrorOf what) { return what == ErrorOf::time || what == ErrorOf::memory; }

bool isFor(const FrameworkProfile& profile, ErrorOf what) {
    return std::find(profile.use.begin(), profile.use.end(), isTrainings(what) ? "training" : "inference") != profile.use.end();
}

template <typename Entries, typename Keep>
std::vector<std::string> idsOf(const Entries& entries, Keep keep) {
    std::vector<std::string> ids;
    for (const auto& entry : entries)
        if (keep(entry)) ids.push_back(entry.id);
    return ids;
}

} // namespace

const char* titleOf(ErrorOf what) {
    switch (what) {
    case ErrorOf::time: return "Training: time";
    case ErrorOf::memory: return "Training: peak memory";
    case ErrorOf::first_token: return "Serving: time to first token";
    case ErrorOf::per_token: return "Serving: time per output token";
    case ErrorOf::output_rate: break;
    }
    return "Serving: output rate";
}

const std::string& keyOf(const MeasuredRun& run, ErrorGrouping grouping) {
    switch (grouping) {
    case ErrorGrouping::accelerator: return run.accelerator;
    case ErrorGrouping::model: return run.model;
    case ErrorGrouping::framework: return run.framework;
    case ErrorGrouping::source: break;
    }
    return run.group;
}

std::optional<double> inSampleError(const MeasuredFigure& figure) {
    return figure.predicted ? std::optional(errorPercent(figure.metric, figure.measured, *figure.predicted)) : std::nullopt;
}

std::optional<double> leftOutError(const MeasuredFigure& figure) {
    return figure.predictedLeftOut ? std::optional(errorPercent(figure.metric, figure.measured, *figure.predictedLeftOut)) : std::nullopt;
}

std::vector<ErrorTableRow> errorTable(const Evidence& evidence, ErrorGrouping grouping, ErrorOf what) {
    std::map<std::string, Errors> errors;
    for (const MeasuredRun& run : evidence.runs)
        if (const MeasuredFigure* figure = measuredFigureOf(run, what)) errors[keyOf(run, grouping)].add(*figure);
    std::vector<ErrorTableRow> rows;
    rows.reserve(errors.size());
    for (const auto& [key, list] : errors) rows.push_back(list.row(key));
    std::stable_sort(rows.begin(), rows.end(), [](const ErrorTableRow& a, const ErrorTableRow& b) {
        return a.inSample.meanAbs.value_or(-1) > b.inSample.meanAbs.value_or(-1);
    });
    return rows;
}

ErrorTableRow errorTotal(const Evidence& evidence, ErrorOf what) {
    Errors errors;
    for (const MeasuredRun& run : evidence.runs)
        if (const MeasuredFigure* figure = measuredFigureOf(run, what)) errors.add(*figure);
    return errors.row("");
}

std::optional<double> neverSeenError(const Evidence& evidence, ErrorOf what) {
    double sum = 0;
    std::size_t count = 0;
    for (const ErrorTableRow& row : errorTable(evidence, ErrorGrouping::source, what)) {
        if (row.leftOut.scored == 0 || !row.leftOut.meanAbs) continue;
        sum += *row.leftOut.meanAbs;
        ++count;
    }
    return count > 0 ? std::optional(sum / double(count)) : std::nullopt;
}

std::vector<std::string> withoutEvidence(const Evidence& evidence, ErrorGrouping grouping, ErrorOf what, const Catalog& catalog) {
    std::set<std::string> measured;
    for (const MeasuredRun& run : evidence.runs)
        if (measuredFigureOf(run, what) != nullptr) measured.insert(keyOf(run, grouping));
    const auto missing = [&measured](const auto& entry) { return measured.count(entry.id) == 0; };
    switch (grouping) {
    case ErrorGrouping::accelerator: return idsOf(catalog.accelerators(), missing);
    case ErrorGrouping::model: return idsOf(catalog.models(), missing);
    case ErrorGrouping::framework:
        return idsOf(catalog.frameworks(), [&missing, what](const FrameworkProfile& profile) { return isFor(profile, what) && missing(profile); });
    case ErrorGrouping::source: break;
    }
    return {};
}

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
