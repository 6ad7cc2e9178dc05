// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/served_figures.hpp"
#include "core/base/units.hpp"
#include "core/order/requests/generate_requests.hpp"
#include "core/served/inference/static_batch.hpp"
#include "core/served/service/engine_timeline.hpp"
#include "core/served/service/engine_traffic.hpp"
#include "core/served/service/fleet_report.hpp"
#include "core/served/service/run_bounds.hpp"
#include "core/served/service/served_events.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace orrery {

CacheReport cacheOf(const std::vector<EnginePool>& pools) {
    const EnginePool& decoding = pools.back();
    return {decoding.cacheBytesPerToken(), std::max<std::int64_t>(0, decoding.blocks), decoding.options.settings.blockSize};
}

namespace {

LeastTimes leastTimes(const std::vector<EnginePool>& pools, const RequestList& requests) {
    double input = 0, output = 0;
    for (const Request& request : requests.requests) {
        input += request.input;
        output += request.output;
    }
    const double count = std::max<double>(1, static_cast<double>(requests.requests.size()));
    const double tokensOfStep = 1 + pools.back().options.settings.speculative.tokens;
    return {decodeFloor(pools.front().model(), 1, 1), decodeFloor(pools.back().model(), 1, (input + output / 2) / count) / tokensOfStep};
}

} // namespace

void fillServedFigures(ServingReport& report, const Economics& economics, const std::vector<EnginePool>& pools, const ServingOutcome& outcome) {
    double accelerators = 0, energy = 0;
    bool powerKnown = true;
    std::size_t instance = 0;
    for (const EnginePool& pool : pools) {
        accelerators += pool.accelerators();
        double busy = 0;
        for (int i = 0; i < pool.instances(); ++i) busy += outcome.totals[instance++].busySeconds * (pool.plan().ranks() + pool.apartAccelerators);
        const double watts = economics.powerWatts.value_or(pool.watts);
        powerKnown = powerKnown && watts > 0;
        energy += watts * busy;
    }
    const ServingMetrics& served = report.served;
    if (outcome.fleet) accelerators *= paidShare(outcome, served);
    report.outputTokensPerSecondPerAccelerator = served.outputTokensPerSecond / accelerators;
    report.cache = cacheOf(pools);
    report.tiers.clear();
    for (const CacheTierSettings& tier : pools.front().options.settings.tiers) report.tiers.push_back(tier.kind);
    if (report.requests) report.least = leastTimes(pools, *report.requests); // a search keeps figures alone
    if (served.outputTokensPerSecond <= 0) return;
    if (const auto price = economics.pricePerAcceleratorHour)
        report.costPerMillionOutputTokens = *price / 3600 / report.outputTokensPerSecondPerAccelerator * 1e6;
    if (powerKnown && served.duration > 0) report.energyPerOutputToken = energy / (served.outputTokensPerSecond * served.duration);
    if (!report.fleet) return;
    if (const auto price = economics.pricePerAcceleratorHour) report.fleet->cost = *price * report.fleet->replicaHours * pools.front().plan().ranks();
    if (powerKnown) report.fleet->energyKwh = energy / (1000 * units::hour);
}

void addServedOperations(Result& result, const std::vector<EnginePool>& pools, const ServingReport& report) {
    double accelerators = 0, prefillTokens = 0, prefills = 0, decodes = 0, decodeSteps = 0;
    for (const EnginePool& pool : pools) accelerators += pool.accelerators();
    // Rows are the mean over all accelerators: an instance counts by how many it has.
    std::size_t instance = 0;
    for (const EnginePool& pool : pools) {
        const double share = pool.plan().ranks() / accelerators;
        for (int i = 0; i < pool.instances(); ++i)
            for (const StepRecord& step : report.steps[instance++]) {
                prefillTokens += share * step.prefillTokens;
                prefills += share * step.prefills;
                decodes += share * step.decodes;
                decodeSteps += step.decodes > 0 ? share : 0;
            }
    }
    const StepModel& model = pools.back().model();
    if (prefills > 0) {
        StepBatch batch;
        batch.prefills = {{std::max(1, static_cast<int>(std::lround(prefillTokens / prefills))), 0}};
        addOperations(result, model, batch, prefills);
    }
    if (decodeSteps > 0) {
        double context = 0;
        for (const Request& request : report.requests->requests) context += request.input + request.output / 2.0;
        StepBatch batch;
        batch.decodes = std::max(1, static_cast<int>(std::lround(decodes / decodeSteps)));
        batch.decodeContext = context / static_cast<double>(report.requests->requests.size());
        addOperations(result, model, batch, decodeSteps);
    }
}

Timeline servedTimelineOf(const std::vector<EnginePool>& pools, const ServingReport& report) {
    std::vector<ServedInstance> instances;
    for (const EnginePool& pool : pools) {
        ServedInstance instance;
        instance.ranks = pool.plan().ranks();
        instance.role = pool.role;
        instance.fixedBytes = pool.memory.needed() - pool.memory.cache;
        instance.blocks = pool.blocks;
        // Attention groups share the blocks out; each of their accelerators has its part of all.
        instance.blockBytes = pool.blocks > 0 ? pool.memory.cache / static_cast<double>(pool.blocks) : 0;
        for (const std::vector<int>& ranks : pool.ranks) {
            instance.firstRank = ranks.front();
            instance.steps = &report.steps[instances.size()];
            instances.push_back(instance);
        }
    }
    return servedTimeline(instances);
}

namespace {

/// Runs that are kept: those of one number of `otherLimits` come one after the other.
constexpr std::size_t mostRuns = 4096;

bool hasRoom(const EnginePool& pool) { return pool.blocks >= 1 && pool.memory.needed() <= pool.memory.capacity; }

std::vector<EngineSettings> settingsOf(const std::vector<EnginePool>& pools) {
    std::vector<EngineSettings> settings;
    for (const EnginePool& pool : pools) settings.insert(settings.end(), pool.ranks.size(), pool.settings().engine);
    return settings;
}

} // namespace

/// A run in which nobody came up against the limit of sequences is the same with any other limit that nobody would have come up against; what
/// was broken off, up to there. Other settings may follow from that limit where nobody gave them.
bool ServedFigures::isSame(const Run& run, const std::vector<EngineSettings>& settings) {
    if (run.settings.size() != settings.size()) return false;
    for (std::size_t i = 0; i < settings.size(); ++i) {
        EngineSettings known = run.settings[i];
        if (known == settings[i]) continue;
        const int limit = std::min(known.maxSeqs, settings[i].maxSeqs);
        known.maxSeqs = settings[i].maxSeqs;
        if (!(known == settings[i]) || run.most[i] > limit) return false;
    }
    return true;
}

const ServedFigures::Answer* ServedFigures::sameRun(std::size_t otherLimits, const std::vector<EngineSettings>& settings) const {
    const auto known = runs_.find(otherLimits);
    if (known == runs_.end()) return nullptr;
    for (const Run& run : known->second)
        if (isSame(run, settings)) return &run.answer;
    return nullptr;
}

std::optional<ServedFigures::Answer> ServedFigures::of(const Scenario& scenario, const ServingWorkload& workload, const ServedPlace& place, const std::vector<LatencyCap>& caps, bool gaps, const RunControl& control) {
    if (!scenario.beside.empty()) return std::nullopt;
    const std::optional<Disaggregation>& split = workload.disaggregation;
    if (split && (split->experts || split->encode)) return std::nullopt;                     // no engine is known by what lies beside it
    const bool isMixed = split && (split->prefill.accelerator || split->decode.accelerator); // then the cluster too follows from the pools
    const std::vector<EnginePool> pools = isMixed ? enginePools(scenario, workload) : enginePools(scenario, workload, shelf_, place.hardware);
    if (!std::all_of(pools.begin(), pools.end(), hasRoom)) return std::nullopt;
    if (servedBeyondCeiling(workload, pools, control)) return std::nullopt;
    Run run;
    run.settings = settingsOf(pools);
    if (const Answer* const known = sameRun(place.otherLimits, run.settings)) return *known;

    const auto* const log = std::get_if<RequestLog>(&workload.requests);
    const std::shared_ptr<const RequestList> requests = log ? log->list : std::make_shared<const RequestList>(generateRequests(std::get<RequestLaw>(workload.requests)));
    LatencyCaps watched(caps, requests->requests.size());
    ServedAsked asked;
    asked.steps = false;
    asked.caps = &watched;
    asked.mostRequests = &run.most;
    if (!isMixed && (split || EngineTraffic::isNeeded(pools))) {
        std::shared_ptr<OwnedFabric>& fabric = fabrics_[place.hardware];
        if (!fabric) fabric = std::make_shared<OwnedFabric>(scenario.cluster);
        asked.fabric = {fabric, &fabric->routed};
    }
    ServedEvents events = runServed(scenario, workload, *requests, pools, control, asked);
    if (!events.problems.empty() || (!events.outcome && !watched.areBroken())) return std::nullopt;
    if (events.outcome) {
        if (!gaps) events.outcome->log.gaps.clear(); // sorting them would take as long as the run
        ServingReport& report = run.answer.report.emplace();
        report.served = metricsOf(*requests, *events.outcome, {workload.slo.ttft, workload.slo.tpot, workload.slo.e2e});
        if (events.outcome->fleet) report.fleet = fleetReport(*requests, *events.outcome, report.served, workload.slo);
        fillServedFigures(report, scenario.economics, pools, *events.outcome);
    }
    if (runs_.size() >= mostRuns && !runs_.contains(place.otherLimits)) runs_.clear();
    return runs_[place.otherLimits].emplace_back(std::move(run)).answer;
}

} // namespace orrery
