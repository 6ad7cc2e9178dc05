// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/service/served_events.hpp"

#include "core/estimate/estimated_plan.hpp"
#include "core/job_traffic/fabric_traffic.hpp"
#include "core/jobs/repeated_iteration.hpp"
#include "core/scenario/beside_job.hpp"
#include "core/service/cache_transfers.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace orrery {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

ServingSettings servingSettings(const ServingWorkload& workload, const std::vector<EnginePool>& pools, const ServedAsked& asked) {
    ServingSettings settings;
    settings.router = workload.router;
    settings.keepSteps = asked.steps;
    settings.caps = asked.caps;
    settings.mostRequests = asked.mostRequests;
    for (const EnginePool& pool : pools) settings.instances.insert(settings.instances.end(), pool.ranks.size(), pool.settings());
    if (workload.disaggregation) settings.kvBytesPerToken = pools.back().cacheBytesPerToken();
    return settings;
}

std::vector<CacheHolder> cacheHolders(const std::vector<EnginePool>& pools) {
    std::vector<CacheHolder> holders;
    for (const EnginePool& pool : pools)
        for (int instance = 0; instance < pool.instances(); ++instance) holders.push_back(pool.holder(instance));
    return holders;
}

/// A job beside as it runs here: its own cluster's recomputation is chosen before it meets anybody.
struct JobBeside {
    const BesideJob* asked = nullptr;
    Scenario scenario;
    std::optional<RepeatedIteration> iterations;
    double alone = 0;
};

BesideReport reportOf(const JobBeside& job) {
    BesideReport report;
    report.scenario = job.asked->file;
    report.name = job.scenario.name;
    report.hosts = job.asked->hosts;
    report.accelerators = static_cast<int>(job.asked->placement.size());
    const std::vector<double>& times = job.iterations->times();
    report.iterations = static_cast<int>(times.size());
    for (const double time : times) report.iterationTime += time / static_cast<double>(times.size());
    report.longestIterationTime = *std::max_element(times.begin(), times.end());
    report.aloneIterationTime = job.alone;
    report.tokensPerIteration = double(job.scenario.training().globalBatch) * job.scenario.training().sequenceLength;
    return report;
}

/// Requests and iterations in one order of time. False: stopped.
bool runBeside(ServingRun& served, std::deque<JobBeside>& jobs, double requests, const RunControl& control) {
    constexpr std::int64_t eventsBetweenLooks = 1024;
    for (std::int64_t event = 0;; ++event) {
        const double nextServed = served.nextEvent();
        double next = nextServed;
        JobBeside* first = nullptr;
        for (JobBeside& job : jobs) {
            const double own = job.iterations->nextEvent();
            if (own >= next) continue;
            next = own;
            first = &job;
        }
        if (next == never) return true;
        if (first) first->iterations->advance(nextServed < never);
        else served.advance();
        if (event % eventsBetweenLooks != 0) continue;
        if (control.stop.stop_requested()) return false;
        if (control.progress) control.progress(double(served.ended()) / std::max(1.0, requests));
    }
}

} // namespace

ServedEvents runServed(const Scenario& scenario, const ServingWorkload& workload, const RequestList& requests, const std::vector<EnginePool>& pools, const RunControl& control, const ServedAsked& wanted) {
    ServedEvents events;
    const ServingSettings settings = servingSettings(workload, pools, wanted);
    if (!workload.disaggregation && scenario.beside.empty()) {
        events.outcome = serve(requests, settings, nullptr, control);
        return events;
    }
    const auto fabric = wanted.fabric ? wanted.fabric : std::make_shared<RoutedFabric>(scenario.cluster);
    SharedLinks links(fabric->capacities(), backgroundTraffic(*fabric));
    std::optional<CacheTransfers> transfers;
    if (workload.disaggregation) {
        transfers.emplace(scenario.model, cacheHolders(pools), fabric->router(), links.join());
        if (const TransferPattern* cut = transfers->cut(pools.front().instances(), pools.back().instances())) events.problems.push_back(noWay(fabric->fabric(), *cut));
    }
    std::deque<JobBeside> jobs;
    for (const BesideJob& asked : scenario.beside) {
        JobBeside& job = jobs.emplace_back();
        job.asked = &asked;
        job.scenario = *asked.scenario;
        PlanEstimates().settle(job.scenario);
        const PlacedJob placed{&job.scenario, asked.placement};
        job.alone = aloneIteration(placed, fabric);
        job.iterations.emplace(placed, fabric, links.join());
        events.problems.insert(events.problems.end(), job.iterations->problems().begin(), job.iterations->problems().end());
    }
    if (!events.problems.empty()) return events;
    if (jobs.empty()) {
        events.outcome = serve(requests, settings, &*transfers, control);
        return events;
    }
    ServingRun served(requests, settings, transfers ? &*transfers : nullptr);
    if (!runBeside(served, jobs, double(requests.requests.size()), control)) return events;
    if (served.ended() != requests.requests.size()) throw std::logic_error("a scheduler left requests waiting for ever");
    events.outcome = served.outcome();
    for (const JobBeside& job : jobs) events.beside.push_back(reportOf(job));
    return events;
}

} // namespace orrery
