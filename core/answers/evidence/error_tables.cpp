// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/evidence/error_tables.hpp"

#include "core/answers/validation/score.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <map>
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

} // namespace orrery
