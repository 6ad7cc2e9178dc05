// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain_fleet.hpp"

#include "core/base/json.hpp"
#include "core/results/report/serving_report_json.hpp"

#include <algorithm>
#include <iterator>

namespace orrery {

namespace {

struct FleetFigure {
    const char* name;
    const char* unit;
    const char* formula;
};

constexpr FleetFigure fleetFigures[] = {
    {"replica_hours", "h", "replicas that start, serve, drain or are in repair, over the time from the first arrival to the last token"},
    {"mean_replicas", "1", "replica hours over the time from the first arrival to the last token"},
    {"most_replicas", "1", "the most that were paid for at a moment"},
    {"started", "1", "starts that the autoscaler ordered, or that followed a repair, counted"},
    {"stopped", "1", "replicas that it gave back, starts called off among them, counted"},
    {"failures", "1", "failures of replicas that were not off, counted"},
    {"moved", "1", "requests that went on at another replica, each time counted"},
    {"fleet_full", "1", "requests refused because as many waited as may, counted"},
    {"waited_too_long", "1", "requests refused after their time of waiting, counted"},
    {"cost", "$", "what the accelerators of these replica hours cost at the price of an accelerator hour"},
    {"energy_kwh", "kWh", "what accelerators draw while steps run, as if all of their power"},
    {"start_s", "s", "when this part of the run begins"},
    {"duration_s", "s", "the time from the first arrival to the last token, in equal parts"},
    {"replicas", "1", "replicas that were paid for, mean of this part"},
    {"arrived", "1", "requests that arrived in this part, counted"},
    {"completed", "1", "of those, requests that got all their tokens"},
    {"refused", "1", "of those, requests that got none"},
    {"output_tokens_per_s", "1/s", "tokens of those completed, a second of this part"},
    {"goodput_requests_per_s", "1/s", "those completed within all limits, a second of this part"},
};

} // namespace

std::optional<Quantity> explainFleet(const ServingReport& report, const std::vector<std::string>& tokens) {
    Json::json_pointer pointer;
    for (const std::string& token : tokens) pointer /= token;
    const Json document = toJson(report);
    const auto known = std::find_if(std::begin(fleetFigures), std::end(fleetFigures), [&](const FleetFigure& one) { return one.name == tokens.back(); });
    if (known == std::end(fleetFigures) || !document.contains(pointer) || !document.at(pointer).is_number()) return std::nullopt;
    return Quantity{tokens.back(), document.at(pointer).get<double>(), known->unit, Source::derived, known->formula, "requests played through the fleet's router, replicas and autoscaler, event by event", {}};
}

} // namespace orrery
