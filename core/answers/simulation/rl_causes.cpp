// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/rl_causes.hpp"

#include "core/base/text.hpp"
#include "core/results/derivation/explain_rl.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace orrery {
namespace {

constexpr double dust = 1e-3; ///< of the step: what nobody would look for

/// "rollout: the trainer waits 45 % of the step".
std::string textOf(const RlReport& report, RlPart part) {
    const auto percent = [](double share) { return formatNumber(static_cast<int>(100 * share + 0.5)) + " %"; };
    const std::string name(toString(part));
    if (part == RlPart::reward) return name + ": nobody computes until answers are judged";
    if (part == RlPart::sync) return name + ": gathering and sending " + formatNumber(std::round(report.sync.bytes / 1e8) / 10) + " GB of weights";
    if (part == RlPart::offload) return name + ": the trainer's states go to host memory and come back";
    if (report.colocated) return name + ": both halves take turns on the same accelerators";
    if (part == RlPart::rollout && report.trainingIdle > dust) return name + ": the trainer waits " + percent(report.trainingIdle) + " of the step";
    if (part == RlPart::training && report.rolloutIdle > dust) return name + ": the engines wait " + percent(report.rolloutIdle) + " of the step";
    return name;
}

} // namespace

std::vector<Cause> rlCauses(const RlReport& report, const RlWorkload& loop) {
    std::vector<Cause> causes;
    if (!report.ran) return causes;
    for (std::size_t i = 0; i < rlPartCount; ++i) {
        const auto part = static_cast<RlPart>(i);
        const double share = report.waited[i] / report.stepTime;
        if (share < dust) continue;
        Cause cause;
        cause.part = toString(part);
        cause.share = share;
        cause.text = textOf(report, part);
        if (auto why = explainRl(report, {"time_breakdown_s", cause.part})) cause.why = *why;
        causes.push_back(std::move(cause));
    }
    std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) { return a.share > b.share; });
    if (!causes.empty() && !report.colocated && loop.staleness == 0) {
        causes.front().tryLabel = "answers one step ahead";
        causes.front().tryEdits = {{"/workload/staleness", 1}};
    }
    return causes;
}

} // namespace orrery
