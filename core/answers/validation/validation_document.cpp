// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/validate.hpp"
#include "core/base/json.hpp"

namespace orrery {

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
