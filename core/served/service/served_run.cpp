// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/served_run.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/order/requests/request.hpp"
#include "core/order/serving/run_log.hpp"
#include "core/order/serving/serving_metrics.hpp"
#include "core/scenario/serving_workload.hpp"
#include "core/served/service/engine_causes.hpp"
#include "core/served/service/engine_pool.hpp"
#include "core/served/service/fleet_report.hpp"
#include "core/served/service/run_bounds.hpp"
#include "core/served/service/served_events.hpp"
#include "core/served/service/served_figures.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Up to three digits, so that the limit as it is written is kept.
double roundedUp(double seconds) {
    const double unit = std::pow(10, std::floor(std::log10(seconds)) - 2);
    return std::ceil(seconds / unit) * unit;
}

/// Says that no request keeps the limits, and the nearest limits that one keeps; nothing where some do.
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

std::shared_ptr<const RequestList> requestsOf(const ServingWorkload& workload) {
    if (const auto* log = std::get_if<RequestLog>(&workload.requests)) return log->list;
    return std::make_shared<const RequestList>(generateRequests(std::get<RequestLaw>(workload.requests)));
}

/// The account of the fullest pool; says whether every pool has room for a cache.
void accountPools(Result& result, const std::vector<EnginePool>& pools) {
    const auto fill = [](const std::vector<EngineMemory>& stages) {
        const EngineMemory& fullest = stages[fullestStage(stages)];
        return fullest.needed() / fullest.capacity;
    };
    std::vector<std::vector<EngineMemory>> accounts;
    for (const EnginePool& pool : pools) {
        accounts.push_back(pool.stages);
        if (pool.apartAccelerators > 0) accounts.push_back({pool.apartMemory});
    }
    fillMemory(result, *std::max_element(accounts.begin(), accounts.end(), [&](const auto& a, const auto& b) { return fill(a) < fill(b); }));
    for (const EnginePool& pool : pools) {
        if (pool.blocks >= 1) continue;
        result.fits = false;
        result.outOfMemory = OutOfMemory{static_cast<int>(fullestStage(pool.stages)), pool.memory.needed(), pool.mostMemory(), {}};
    }
}

/// vLLM starts no server whose longest request has no room in an empty cache (vllm-project/vllm, kv_cache_utils.py: "To serve at least one
/// request with the models's max seq len"); SGLang and TensorRT-LLM shorten what they accept.
///
/// A scenario that leaves the length out is served all the same, for its requests are all that is known of what it is for.
Problems contextsBeyondCache(const Scenario& scenario, const ServingWorkload& workload, const std::vector<EnginePool>& pools) {
    Problems problems;
    if (scenario.execution.profile.line != "vllm") return problems;
    const std::string at = "/workload/engine/max_model_len";
    const bool isAssumed = std::any_of(scenario.assumed.begin(), scenario.assumed.end(), [&](const Assumption& assumption) { return assumption.pointer == at; });
    for (const EnginePool& pool : pools) {
        const std::int64_t room = pool.longestContext(), asked = pool.options.settings.maxModelLength;
        if (pool.blocks < 1 || asked <= room) continue;
        Problem problem;
        problem.severity = isAssumed && asked == workload.engine.settings.maxModelLength ? Severity::warning : Severity::error;
        problem.code = "context-beyond-cache";
        problem.pointer = at;
        problem.message = "A request of max_model_len " + std::to_string(asked) + " takes more keys and values than the " + counted(pool.blocks, "block") + " of the cache hold: vLLM does not start.";
        problem.mend = "Use max_model_len " + std::to_string(room) + ", or leave the cache more memory.";
        problem.edits = {{problem.pointer, room}};
        problems.push_back(std::move(problem));
    }
    return problems;
}

/// Tiers that nothing comes to, or that nobody knows how fast they are. No engine keeps pages of layers with windows there, as far as is known here.
Problems idleTiers(const std::vector<EnginePool>& pools) {
    for (const EnginePool& pool : pools) {
        const EngineSettings engine = pool.settings().engine;
        if (engine.tiers.empty() || !engine.prefixCaching) continue;
        Problem problem;
        problem.severity = Severity::warning;
        problem.code = "no-effect";
        problem.pointer = "/workload/engine/kv_tiers";
        if (pool.window.share > 0) {
            problem.message = "Tiers are simulated for models whose layers all look back on every token; this one has layers with windows, and its tiers stay empty.";
            problem.mend = "Leave kv_tiers out.";
            return {problem};
        }
        for (std::size_t i = 0; i < engine.tiers.size(); ++i) {
            if (engine.tiers[i].bandwidth == 0) {
                problem.severity = Severity::error;
                problem.code = "missing-key";
                problem.pointer += "/" + std::to_string(i) + "/bandwidth_gb_s";
                problem.message = "The accelerator's data sheet names no link to its host.";
                problem.mend = "Add \"bandwidth_gb_s\", what you measured.";
                return {problem};
            }
            if (engine.tiers[i].capacity >= engine.blockBytes) continue;
            problem.pointer += "/" + std::to_string(i) + "/capacity_gb";
            problem.message = "This tier has no room for a block of " + formatNumber(engine.blockBytes / units::gigabyte) + " GB.";
            problem.mend = "Give it more room, or leave it out.";
            return {problem};
        }
    }
    return {};
}

Problem stepsNotKept() {
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = "steps-not-kept";
    problem.pointer = "/workload/fleet";
    problem.message = "This run has more steps than its memory may hold one by one: there is no timeline, no gap between tokens (itl_s), and no share of a latency by kernels.";
    problem.mend = "Serve fewer requests, or raise the memory ceiling, to see them.";
    return problem;
}

} // namespace

Outcome simulateServing(const Scenario& scenario, const ServingWorkload& workload, const RunControl& control, const std::function<void(Result&)>& finish) {
    const std::vector<EnginePool> pools = enginePools(scenario, workload);
    Problems contexts = contextsBeyondCache(scenario, workload, pools);
    if (hasErrors(contexts)) return {nullptr, std::move(contexts), false};
    Problems tiers = idleTiers(pools);
    if (hasErrors(tiers)) return {nullptr, std::move(tiers), false};
    if (auto problem = servedBeyondCeiling(workload, pools, control)) return {nullptr, {std::move(*problem)}, false};
    auto result = std::make_shared<Result>();
    describeRun(*result, scenario);
    result->warnings.insert(result->warnings.end(), contexts.begin(), contexts.end());
    for (Problem& problem : tiers) result->warnings.push_back(std::move(problem));
    accountPools(*result, pools);
    ServingReport report;
    report.requests = requestsOf(workload);
    if (result->fits) {
        ServedAsked asked;
        asked.steps = asked.gaps = keepsSteps(workload, sizeOfServing(workload, pools), control);
        if (!asked.steps) result->warnings.push_back(stepsNotKept());
        ServedEvents events = runServed(scenario, workload, *report.requests, pools, control, asked);
        if (!events.problems.empty()) return {nullptr, std::move(events.problems), false};
        if (!events.outcome) return {nullptr, {}, true};
        report.served = metricsOf(*report.requests, *events.outcome, std::exchange(events.outcome->log.gaps, {}), {workload.slo.ttft, workload.slo.tpot, workload.slo.e2e});
        report.steps = std::move(events.outcome->steps);
        if (events.outcome->fleet) report.fleet = fleetReport(*report.requests, *events.outcome, report.served, workload.slo);
        if (auto warning = serviceLevelWarning(workload.slo, *report.requests, events.outcome->log.records)) result->warnings.push_back(std::move(*warning));
        fillServedFigures(report, scenario.economics, pools, *events.outcome);
        report.records = std::move(events.outcome->log.records);
        addServedOperations(*result, pools, report);
        result->timeline = servedTimelineOf(pools, report);
        report.ttftParts = ttftParts(pools, report);
        report.tpotParts = tpotParts(pools, report);
        report.rate = rateParts(pools, report);
        result->causes = engineCauses(scenario, {report.ttftParts, fullCache(pools, report, InstanceRole::decode)}, {report.tpotParts, fullCache(pools, report, InstanceRole::prefill)});
        result->beside = std::move(events.beside);
        for (Cause& cause : besideCauses(result->beside)) result->causes.push_back(std::move(cause));
    } else {
        report.served.count = static_cast<std::int64_t>(report.requests->requests.size());
        report.cache = cacheOf(pools);
    }
    result->metrics = std::move(report);
    if (finish) finish(*result);
    if (control.progress) control.progress(1);
    return {std::move(result), {}, false};
}

} // namespace orrery
