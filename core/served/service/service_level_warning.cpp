// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/service_level_warning.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/order/serving/nearest_limits.hpp"

#include <cmath>
#include <string>

namespace orrery {
namespace {

/// Up to three digits, so that the limit as it is written is kept.
double roundedUp(double seconds) {
    const double unit = std::pow(10, std::floor(std::log10(seconds)) - 2);
    return std::ceil(seconds / unit) * unit;
}

} // namespace

std::optional<Problem> serviceLevelWarning(const ServiceLevel& level, const RequestList& requests, const std::vector<RequestRecord>& records) {
    const std::optional<ServiceLimits> nearest = nearestLimits(requests, records, {level.ttft, level.tpot, level.e2e});
    if (!nearest) return std::nullopt;
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = "slo-out-of-reach";
    std::string wanted, kept;
    const auto tell = [&](const char* key, const char* name, const std::optional<double>& limit, const std::optional<double>& own) {
        if (!limit) return;
        const auto clause = [&](double seconds) { return std::string(name) + " " + formatNumber(seconds) + " s"; };
        wanted += (wanted.empty() ? "" : ", ") + clause(*limit);
        if (*own <= *limit) return;
        // Through its text: the digits that are shown are those that are put in.
        const double reached = std::stod(formatNumber(roundedUp(*own)));
        const std::string at = std::string("/workload/slo/") + key;
        if (problem.pointer.empty()) problem.pointer = at;
        kept += (kept.empty() ? "" : ", ") + clause(reached);
        problem.edits.push_back({at, reached});
    };
    tell("ttft_s", "TTFT", level.ttft, nearest->ttft);
    tell("tpot_s", "TPOT", level.tpot, nearest->tpot);
    tell("e2e_s", "the whole request", level.e2e, nearest->e2e);
    problem.message = "No request keeps the service level (" + wanted + ").";
    problem.mend = "The nearest that one keeps: " + kept + ".";
    return problem;
}

} // namespace orrery
