// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/validate.hpp"
#include "core/base/json.hpp"
#include "core/base/parallel.hpp"

#include <algorithm>
#include <exception>

namespace orrery {
namespace {

/// Whatever goes wrong with one case is that case's alone.
ScoredCase scoreSafely(const MeasuredCase& measured, const PredictorOfGroup& predictorOf) {
    Prediction prediction;
    try {
        return score(measured, predictorOf(measured.group)(measured.scenario));
    } catch (const std::exception& error) {
        prediction.message = error.what();
    } catch (...) {
        prediction.message = "Unknown exception.";
    }
    prediction.status = CaseStatus::failed;
    prediction.code = "internal-error";
    return score(measured, prediction);
}

std::vector<ScoredCase> scoreAll(const std::vector<MeasuredCase>& cases, const PredictorOfGroup& predictorOf, int threads) {
    std::vector<ScoredCase> scored(cases.size());
    forEachIndex(cases.size(), threads, [&](std::size_t index) { scored[index] = scoreSafely(cases[index], predictorOf); });
    return scored;
}

/// The entry of `key`, appended when it is new; keeps the order of first appearance.
template <typename Value>
Value& entry(std::vector<std::pair<std::string, Value>>& list, const std::string& key) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& pair) { return pair.first == key; });
    if (found != list.end()) return found->second;
    return list.emplace_back(key, Value{}).second;
}

/// Collects errors by metric before they are summarised.
struct Collected {
    std::vector<std::pair<std::string, std::vector<std::optional<double>>>> errors;
    OutOfMemorySummary outOfMemory;

    void add(const ScoredCase& scored) {
        for (const ScoredRow& row : scored.rows) {
            if (row.metric == "out_of_memory") continue;
            entry(errors, row.metric).push_back(row.errorPercent);
        }
        if (scored.measuredOutOfMemory) outOfMemory.add(*scored.measuredOutOfMemory, scored.predictedOutOfMemory);
    }

    MetricSummaries summaries() const {
        MetricSummaries result;
        for (const auto& [metric, list] : errors) result.metrics.emplace_back(metric, summarise(list));
        result.outOfMemory = outOfMemory;
        return result;
    }
};

} // namespace

Validation validate(const std::vector<MeasuredCase>& cases, const Predictor& predict, const RunControl& control) {
    return validateByGroup(
        cases, [&predict](const std::string&) -> const Predictor& { return predict; }, control);
}

Validation validateByGroup(const std::vector<MeasuredCase>& cases, const PredictorOfGroup& predictorOf, const RunControl& control) {
    std::vector<ScoredCase> scored = scoreAll(cases, predictorOf, control.threads);
    Validation validation;
    validation.cases = cases.size();
    std::vector<std::pair<std::string, Collected>> groups;
    Collected all;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        entry(groups, cases[index].group).add(scored[index]);
        all.add(scored[index]);
        for (ScoredRow& row : scored[index].rows) validation.rows.push_back(std::move(row));
    }
    for (const auto& [group, collected] : groups) validation.groups.emplace_back(group, collected.summaries());
    validation.summary = all.summaries();
    return validation;
}

namespace {

Json orNull(std::optional<double> value) { return value ? Json(*value) : Json(); }

Json document(const ErrorSummary& summary) {
    return Json{{"count", summary.count},
                {"scored", summary.scored},
                {"mean_abs_error_percent", orNull(summary.meanAbs)},
                {"mean_abs_error_percent_strict", orNull(summary.meanAbsStrict)},
                {"median_abs_error_percent", orNull(summary.medianAbs)},
                {"p90_abs_error_percent", orNull(summary.p90Abs)},
                {"max_abs_error_percent", orNull(summary.maxAbs)},
                {"mean_error_percent", orNull(summary.mean)}};
}

Json document(const OutOfMemorySummary& summary) {
    return Json{{"count", summary.count},
                {"true_positive", summary.truePositive},
                {"false_positive", summary.falsePositive},
                {"false_negative", summary.falseNegative},
                {"true_negative", summary.trueNegative}};
}

Json document(const MetricSummaries& summaries) {
    Json object = Json::object();
    for (const auto& [metric, summary] : summaries.metrics) object[metric] = document(summary);
    if (summaries.outOfMemory.count > 0) object["out_of_memory"] = document(summaries.outOfMemory);
    return object;
}

Json document(const ScoredRow& row) {
    Json object{{"id", row.id},
                {"group", row.group},
                {"metric", row.metric},
                {"measured", row.measured},
                {"predicted", row.predicted},
                {"error_percent", orNull(row.errorPercent)},
                {"status", toString(row.status)},
                {"message", row.message}};
    if (!row.code.empty()) object["code"] = row.code;
    return object;
}

Json valuesOf(const ConstantValues& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = value;
    return object;
}

Json listOf(const std::vector<CalibrationEntry>& entries, const ConstantValues& pooled) {
    Json object = Json::object();
    for (const CalibrationEntry& entry : entries)
        if (!entry.constants.empty()) object[entry.id] = valuesOf(entry.constants);
    if (!pooled.empty()) object["default"] = valuesOf(pooled);
    return object;
}

} // namespace

Json constantsDocument(const Calibration& calibration) {
    return Json{{"fitted", listOf(calibration.generations, calibration.pooledGeneration)},
                {"by_profile", listOf(calibration.profiles, calibration.pooledProfile)}};
}

Json toJson(const Validation& validation, const Calibration& calibration) {
    Json cases = Json::array();
    for (const ScoredRow& row : validation.rows) cases.push_back(document(row));
    Json groups = Json::object();
    for (const auto& [group, summaries] : validation.groups) groups[group] = document(summaries);
    return Json{{"format", "orrery-validation/1"},
                {"cases", std::move(cases)},
                {"groups", std::move(groups)},
                {"summary", document(validation.summary)},
                {"constants", constantsDocument(calibration)}};
}

} // namespace orrery
