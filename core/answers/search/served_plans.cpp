// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/served_plans.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/parallel.hpp"
#include "core/results/report/serving_report.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace orrery {
namespace {

constexpr std::string_view sequencesKey = "/workload/engine/max_num_seqs";

/// Keys that leave the hardware and what runs on an engine's accelerators as they are.
bool isOfServedPlan(const std::string& pointer) {
    constexpr std::array places{std::string_view("/parallelism"), sequencesKey, std::string_view("/workload/engine/max_num_batched_tokens"), std::string_view("/workload/engine/disaggregation"),
                                std::string_view("/workload/engine/router"), std::string_view("/workload/engine/block_size"), std::string_view("/workload/engine/gpu_memory_utilization"),
                                std::string_view("/workload/engine/scheduler_policy"), std::string_view("/workload/engine/enable_prefix_caching"), std::string_view("/workload/engine/enable_chunked_prefill"),
                                std::string_view("/workload/requests"), std::string_view("/workload/slo")};
    return std::any_of(places.begin(), places.end(), [&](std::string_view place) { return pointer.starts_with(place); });
}

/// Figures that a report of served requests has without its steps, by the first step of their pointer. What latency is made of is found from
/// the steps.
bool isServedFigure(const std::string& pointer) {
    constexpr std::array ofSteps{std::string_view("ttft_breakdown_s"), std::string_view("tpot_breakdown_s")};
    static const Json figures = toJson(ServingReport{});
    constexpr std::array optional{std::string_view("cost_per_million_output_tokens"), std::string_view("energy_j_per_output_token"), std::string_view("goodput_requests_per_s")};
    const std::vector<std::string> steps = pointerParts(pointer);
    if (steps.empty() || std::find(ofSteps.begin(), ofSteps.end(), steps.front()) != ofSteps.end()) return false;
    return figures.contains(steps.front()) || std::find(optional.begin(), optional.end(), steps.front()) != optional.end();
}

/// The constraint as a limit of a percentile that a run can look at; nothing: it is another.
std::optional<LatencyCap> capOf(const Constraint& constraint) {
    constexpr std::array latencies{std::pair{"ttft_s", Latency::ttft}, std::pair{"tpot_s", Latency::tpot}, std::pair{"e2e_s", Latency::e2e}};
    constexpr std::array percentiles{std::pair{"p50", 0.5}, std::pair{"p90", 0.9}, std::pair{"p95", 0.95}, std::pair{"p99", 0.99}};
    const std::vector<std::string> steps = pointerParts(constraint.measure.pointer);
    if (steps.size() != 2 || (constraint.op != "<" && constraint.op != "<=") || !constraint.value->is_number()) return std::nullopt;
    const auto latency = std::find_if(latencies.begin(), latencies.end(), [&](const auto& known) { return steps[0] == known.first; });
    const auto percentile = std::find_if(percentiles.begin(), percentiles.end(), [&](const auto& known) { return steps[1] == known.first; });
    if (latency == latencies.end() || percentile == percentiles.end()) return std::nullopt;
    return LatencyCap{latency->second, percentile->second, constraint.value->get<double>(), constraint.op == "<="};
}

} // namespace

std::unique_ptr<ServedPlans> ServedPlans::of(const Trials& trials, const SearchQuestion& question) {
    const Json* kind = valueAt(trials.document(), "/workload/kind");
    if (!kind || *kind != Json("serving")) return nullptr;
    for (const SweptKey& axis : question.space.axes)
        if (axis.pointer == "/workload" || axis.pointer == "/workload/kind") return nullptr;
    std::unique_ptr<ServedPlans> plans(new ServedPlans(trials, question));
    for (const Measure& measure : question.space.measures) {
        if (!isServedFigure(measure.pointer)) return nullptr;
        plans->gaps_ = plans->gaps_ || measure.pointer.starts_with("/itl_s");
    }
    for (const Constraint& constraint : question.constraints)
        if (const auto cap = capOf(constraint)) plans->caps_.push_back(*cap);
    return plans;
}

ServedPlace ServedPlans::placeOf(std::size_t index) const {
    ServedPlace place;
    std::size_t hardwareRadix = 1, limitsRadix = 1;
    for (std::size_t i = question_.space.axes.size(); i-- > 0;) {
        const SweptKey& axis = question_.space.axes[i];
        const std::size_t count = axis.values.size(), value = index % count;
        index /= count;
        if (!isOfServedPlan(axis.pointer)) {
            place.hardware += hardwareRadix * value;
            hardwareRadix *= count;
        }
        if (axis.pointer == sequencesKey) continue;
        place.otherLimits += limitsRadix * value;
        limitsRadix *= count;
    }
    return place;
}

std::vector<std::vector<std::size_t>> ServedPlans::groups() const {
    std::map<std::size_t, std::vector<std::size_t>> byLimits;
    const auto count = static_cast<std::size_t>(question_.space.points());
    for (std::size_t index = 0; index < count; ++index) byLimits[placeOf(index).otherLimits].push_back(index);
    std::vector<std::vector<std::size_t>> groups;
    groups.reserve(byLimits.size());
    for (auto& [limits, indices] : byLimits) groups.push_back(std::move(indices));
    return groups;
}

std::unique_ptr<ServedFigures> ServedPlans::takeFigures() {
    const std::lock_guard lock(guard_);
    if (idle_.empty()) return std::make_unique<ServedFigures>();
    std::unique_ptr<ServedFigures> figures = std::move(idle_.back());
    idle_.pop_back();
    return figures;
}

void ServedPlans::giveBack(std::unique_ptr<ServedFigures> figures) {
    const std::lock_guard lock(guard_);
    idle_.push_back(std::move(figures));
}

std::vector<std::vector<ServedPlans::Found>> ServedPlans::all(const std::vector<std::vector<std::size_t>>& groups, std::vector<PrunedCounts>& pruned, const RunControl& control, const OnSweptPoint& onPoint) {
    std::vector<std::vector<Found>> all(groups.size());
    RunControl single;
    single.stop = control.stop;
    single.memoryCeiling = control.memoryCeiling;
    std::mutex one;
    std::size_t done = 0;
    forEachIndex(groups.size(), control.threads, [&](std::size_t group) {
        for (const std::size_t index : groups[group]) {
            if (control.stop.stop_requested()) return;
            const Found& found = all[group].emplace_back(find(index, single, pruned[group]));
            const std::lock_guard lock(one);
            if (found.point) onPoint(index, *found.point);
        }
        const std::lock_guard lock(one);
        if (control.progress) control.progress(double(++done) / double(groups.size()));
    });
    return all;
}

ServedPlans::Found ServedPlans::find(std::size_t index, const RunControl& control, PrunedCounts& pruned) {
    Found found;
    Problems problems;
    const std::optional<Scenario> scenario = trials_.read(question_.space.changes(index), problems);
    if (!scenario) {
        pruned.add(problems.front().code, problems.front().message);
        return found;
    }
    const auto* const workload = std::get_if<ServingWorkload>(&scenario->workload);
    std::unique_ptr<ServedFigures> figures = takeFigures();
    const std::optional<ServedFigures::Answer> answer = workload ? figures->of(*scenario, *workload, placeOf(index), caps_, gaps_, control) : std::nullopt;
    giveBack(std::move(figures));
    found.needsWhole = !answer;
    if (!answer) return found;
    found.isBroken = !answer->report;
    if (found.isBroken) return found;
    SweptPoint& point = found.point.emplace();
    point.fits = true;
    const Json document = toJson(*answer->report);
    for (const Measure& measure : question_.space.measures) point.metrics.emplace_back(measured(document, measure));
    return found;
}

} // namespace orrery
