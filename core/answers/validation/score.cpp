// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/score.hpp"

#include "core/base/expect.hpp"
#include "core/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace orrery {
namespace {

constexpr double unscoredPercent = 100;

double mean(const std::vector<double>& values) {
    ORRERY_EXPECT(!values.empty());
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

double quantile(std::vector<double> values, double q) {
    ORRERY_EXPECT(!values.empty() && q >= 0 && q <= 1, values.size(), q);
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

namespace {

/// More is faster. Times and sizes are the other kind.
bool isRate(const std::string& metric) {
    for (const char* mark : {"per_s", "tflops", "mfu", "hfu"}) {
        if (metric.find(mark) != std::string::npos) return true;
    }
    return false;
}

std::string pathInResult(const std::string& metric, MeasuredMemory memoryKind) {
    if (metric != "peak_memory_bytes") return metric;
    switch (memoryKind) {
    case MeasuredMemory::device: return "memory.peak_bytes";
    case MeasuredMemory::allocated: return "memory.allocated_peak_bytes";
    case MeasuredMemory::reserved: return "memory.reserved_peak_bytes";
    }
    return metric;
}

std::optional<double> numberAt(const Json& result, const std::string& dottedPath) {
    const Json* at = &result;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = dottedPath.find('.', begin);
        const std::string key = dottedPath.substr(begin, end == std::string::npos ? end : end - begin);
        if (!at->is_object()) return std::nullopt;
        const auto found = at->find(key);
        if (found == at->end()) return std::nullopt;
        at = &*found;
        if (end == std::string::npos) break;
        begin = end + 1;
    }
    if (!at->is_number() || !std::isfinite(at->get<double>())) return std::nullopt;
    return at->get<double>();
}

std::string notFittingMessage(const Json& result) {
    const auto detail = result.find("out_of_memory");
    if (detail == result.end() || !detail->is_object()) return "Predicted not to fit the memory.";
    char text[160];
    std::snprintf(text, sizeof text, "Predicted not to fit the memory: stage %d needs %.1f of %.1f GiB.",
                  detail->value("stage", 0), detail->value("needed_bytes", 0.0) / units::gibibyte,
                  detail->value("capacity_bytes", 0.0) / units::gibibyte);
    return text;
}

void fail(ScoredRow& row, const char* code, std::string message) {
    row.status = CaseStatus::failed;
    row.code = code;
    row.message = std::move(message);
}

void scoreNumber(ScoredRow& row, const MeasuredCase& measured, double value, const Json& result) {
    const std::string path = pathInResult(row.metric, measured.memoryKind);
    const std::optional<double> predicted = numberAt(result, path);
    if (!predicted) return fail(row, "no-such-metric", "The result has no number at " + path + ".");
    row.predicted = *predicted;
    if (!(*predicted > 0)) return fail(row, "not-positive", "The predicted " + path + " is not above 0.");
    row.errorPercent = errorPercent(row.metric, value, *predicted);
}

} // namespace

std::string_view toString(CaseStatus status) {
    switch (status) {
    case CaseStatus::ok: return "ok";
    case CaseStatus::rejected: return "rejected";
    case CaseStatus::failed: return "failed";
    }
    return "";
}

double errorPercent(const std::string& metric, double measured, double predicted) {
    return 100 * ((isRate(metric) ? measured / predicted : predicted / measured) - 1);
}

ScoredCase score(const MeasuredCase& measured, const Prediction& prediction) {
    ScoredCase scored;
    ScoredRow row;
    row.id = measured.id;
    row.group = measured.group;
    row.status = prediction.status;
    row.code = prediction.code;
    row.message = prediction.message;

    if (measured.outOfMemory) scored.measuredOutOfMemory = measured.outOfMemory;
    else if (measured.ran()) scored.measuredOutOfMemory = false;
    if (prediction.result) {
        scored.predictedOutOfMemory = !prediction.result->value("fits", true);
        if (*scored.predictedOutOfMemory) row.message = notFittingMessage(*prediction.result);
    }

    for (const auto& [metric, value] : measured.measured) {
        ScoredRow one = row;
        one.metric = metric;
        one.measured = value;
        if (prediction.result) scoreNumber(one, measured, value, *prediction.result);
        scored.rows.push_back(std::move(one));
    }
    if (measured.outOfMemory) {
        row.metric = "out_of_memory";
        row.measured = *measured.outOfMemory;
        if (scored.predictedOutOfMemory) row.predicted = *scored.predictedOutOfMemory;
        scored.rows.push_back(std::move(row));
    }
    return scored;
}

} // namespace orrery
