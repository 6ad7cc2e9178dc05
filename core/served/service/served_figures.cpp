// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/served_figures.hpp"

#include "core/order/requests/generate_requests.hpp"
#include "core/served/service/engine_traffic.hpp"
#include "core/served/service/fleet_report.hpp"
#include "core/served/service/run_bounds.hpp"
#include "core/served/service/served_events.hpp"
#include "core/served/service/served_report.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace orrery {
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
