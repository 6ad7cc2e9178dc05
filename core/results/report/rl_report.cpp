// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/rl_report.hpp"

#include "core/base/json.hpp"
#include "core/results/report/result.hpp"

namespace orrery {
namespace {

Json partsJson(const RlReport& report, const std::array<double, rlPartCount>& seconds) {
    Json parts = Json::object();
    for (std::size_t i = 0; i < rlPartCount; ++i) parts[std::string(toString(static_cast<RlPart>(i)))] = report.ran ? Json(seconds[i]) : Json();
    return parts;
}

} // namespace

std::string_view toString(RlPart part) {
    switch (part) {
    case RlPart::rollout: return "rollout";
    case RlPart::reward: return "reward";
    case RlPart::training: return "training";
    case RlPart::sync: return "sync";
    case RlPart::offload: return "offload";
    }
    return "";
}

void addMetrics(Json& document, const RlReport& report) {
    const auto figure = [&report](double value) { return report.ran ? Json(value) : Json(); };
    document["iteration_time_s"] = figure(report.stepTime);
    document["time_breakdown_s"] = partsJson(report, report.waited);
    document["parts_s"] = partsJson(report, report.whole);
    document["colocated"] = report.colocated;
    document["answers"] = report.answers;
    document["training_iterations"] = report.iterations;
    document["answers_per_s"] = figure(report.answersPerSecond);
    document["output_tokens_per_s"] = figure(report.outputTokensPerSecond);
    document["tokens_per_s"] = figure(report.trainedTokensPerSecond);
    if (report.ran && report.costPerBillionTokens) document["cost_per_billion_tokens"] = *report.costPerBillionTokens;
    document["idle"] = {{"rollout", figure(report.rolloutIdle)}, {"training", figure(report.trainingIdle)}};
    document["sync"] = {{"bytes", report.sync.bytes}, {"gather_s", report.sync.gatherTime}, {"broadcast_s", report.sync.broadcastTime}, {"time_s", report.sync.time()}};
    if (report.colocated) document["shared_memory"] = {{"training_kept_bytes", report.keptBytes}, {"rollout_asleep_bytes", report.asleepBytes}, {"training_parked_bytes", report.parkedBytes}};
    document["rollout"] = toJson(*report.rollout);
    document["training"] = toJson(*report.training);
}

} // namespace orrery
