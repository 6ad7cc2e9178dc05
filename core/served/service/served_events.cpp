// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/served_events.hpp"

#include "core/scenario/beside_job.hpp"
#include "core/served/service/engine_traffic.hpp"
#include "core/training/estimate/estimated_plan.hpp"
#include "core/training/job_traffic/fabric_traffic.hpp"
#include "core/training/jobs/repeated_iteration.hpp"

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
    settings.fleet = workload.fleet;
    settings.keepSteps = asked.steps;
    settings.keepGaps = asked.gaps;
    settings.caps = asked.caps;
    settings.mostRequests = asked.mostRequests;
    for (const EnginePool& pool : pools) settings.instances.insert(settings.instances.end(), pool.ranks.size(), pool.settings());
    if (workload.frontEnd) {
        const ServingProfile& serving = pools.front().model().engine().profile.serving;
        settings.frontEnd = workload.disaggregation ? serving.splitFrontEnd : serving.frontEnd;
    }
    settings.encoders = pools.front().encoders;
    if (workload.disaggregation) settings.firstToken = workload.disaggregation->firstToken;
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
    CrossedLinks crossed;
    std::vector<SharedLink> shared;
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
    report.shared = job.shared;
    report.tokensPerIteration = double(job.scenario.training().globalBatch) * job.scenario.training().sequenceLength;
    return report;
}

/// Requests and iterations in one order of time. False: stopped.
bool runBeside(ServingRun& served, std::deque<JobBeside>& jobs, std::size_t requests, const RunControl& control) {
    constexpr std::int64_t eventsBetweenLooks = 1024;
    for (std::int64_t event = 0;; ++event) {
        double next = served.nextEvent();
        JobBeside* first = nullptr;
        for (JobBeside& job : jobs) {
            const double own = job.iterations->nextEvent();
            if (own >= next) continue;
            next = own;
            first = &job;
        }
        if (next == never) return true;
        if (first) first->iterations->advance(served.ended() < requests);
        else served.advance();
        if (event % eventsBetweenLooks != 0) continue;
        if (control.stop.stop_requested()) return false;
        if (control.progress) control.progress(double(served.ended()) / std::max(1.0, double(requests)));
    }
}

/// The links that the scenario's own traffic and a job's both cross, those between the same nodes as one.
std::vector<SharedLink> sharedLinks(const Fabric& fabric, const CrossedLinks& own, const CrossedLinks& job) {
    std::vector<SharedLink> shared;
    std::vector<std::size_t> place(fabric.groups().size(), 0); ///< in `shared`, from 1
    for (std::size_t link = 0; link < own.size(); ++link) {
        if (!own[link] || !job[link]) continue;
        const FabricLink& physical = fabric.links()[link];
        std::size_t& at = place[physical.group];
        if (at == 0) {
            const ReportLink& group = fabric.groups()[physical.group];
            shared.push_back({group.from, group.to, physical.capacity, 0});
            at = shared.size();
        }
        ++shared[at - 1].count;
    }
    return shared;
}

/// Everything that instances, transfers and jobs send, on one set of links.
class ServedNetwork {
public:
    ServedNetwork(const Scenario& scenario, const ServingWorkload& workload, const std::vector<EnginePool>& pools, std::shared_ptr<RoutedFabric> fabric, Problems& problems)
        : fabric_(fabric ? std::move(fabric) : std::make_shared<RoutedFabric>(scenario.cluster)), background_(backgroundTraffic(*fabric_)), links_(fabric_->capacities(), background_) {
        CrossedLinks others(fabric_->capacities().size(), false), own = others;
        for (const FlowDemand& demand : background_)
            for (const FlowUse& use : demand.uses) others[use.link] = true;
        const bool sends = EngineTraffic::isNeeded(pools);
        if (workload.disaggregation) {
            const int senders = pools.front().instances(), receivers = pools.back().instances();
            transfers_.emplace(scenario.model, cacheHolders(pools), fabric_->router(), links_.join());
            if (const TransferPattern* cut = transfers_->cut(senders, receivers)) problems.push_back(noWay(fabric_->fabric(), *cut));
            else if (sends || !scenario.beside.empty()) transfers_->mark(senders, receivers, own);
        }
        for (std::size_t link = 0; link < own.size(); ++link) others[link] = others[link] || own[link];
        for (const BesideJob& asked : scenario.beside) {
            addJob(asked, problems);
            const CrossedLinks& crossed = jobs_.back().crossed;
            for (std::size_t link = 0; link < crossed.size(); ++link) others[link] = others[link] || crossed[link];
        }
        if (sends) {
            traffic_.emplace(pools, fabric_->router());
            traffic_->mark(own);
            if (traffic_->findMeetings(others, fabric_->capacities())) traffic_->join(links_.join());
            else traffic_.reset();
        }
        for (JobBeside& job : jobs_) job.shared = sharedLinks(fabric_->fabric(), own, job.crossed);
    }

    CacheTransfers* transfers() { return transfers_ ? &*transfers_ : nullptr; }
    StepTraffic* traffic() { return traffic_ ? &*traffic_ : nullptr; }
    std::deque<JobBeside>& jobs() { return jobs_; }

private:
    void addJob(const BesideJob& asked, Problems& problems) {
        JobBeside& job = jobs_.emplace_back();
        job.asked = &asked;
        job.scenario = *asked.scenario;
        PlanEstimates().settle(job.scenario);
        const PlacedJob placed{&job.scenario, asked.placement};
        job.alone = aloneIteration(placed, fabric_);
        job.iterations.emplace(placed, fabric_, links_.join());
        job.crossed = job.iterations->links(fabric_->capacities().size());
        problems.insert(problems.end(), job.iterations->problems().begin(), job.iterations->problems().end());
    }

    std::shared_ptr<RoutedFabric> fabric_;
    std::vector<FlowDemand> background_;
    SharedLinks links_;
    std::optional<CacheTransfers> transfers_;
    std::optional<EngineTraffic> traffic_; ///< none: no step meets anything
    std::deque<JobBeside> jobs_;
};

/// Whether instances that lie in several domains have anybody to meet: each other, or what the drawing states.
bool mayMeet(const Scenario& scenario, const std::vector<EnginePool>& pools) {
    if (!EngineTraffic::isNeeded(pools)) return false;
    int instances = 0;
    for (const EnginePool& pool : pools) instances += pool.instances();
    return instances > 1 || !scenario.cluster.traffic.empty();
}

/// A step that stops half-way would leave its sends on the links.
Problem fleetMeetsOthers() {
    Problem problem;
    problem.code = "not-supported-yet";
    problem.pointer = "/workload/fleet";
    problem.message = "What replicas send between hosts meets other traffic here; replicas that come and go can't do that yet.";
    problem.mend = "Use replicas that each lie in one scale-up domain, or leave fleet out.";
    return problem;
}

} // namespace

ServedEvents runServed(const Scenario& scenario, const ServingWorkload& workload, const RequestList& requests, const std::vector<EnginePool>& pools, const RunControl& control, const ServedAsked& wanted) {
    ServedEvents events;
    const ServingSettings settings = servingSettings(workload, pools, wanted);
    if (!workload.disaggregation && scenario.beside.empty() && !mayMeet(scenario, pools)) {
        events.outcome = serve(requests, settings, nullptr, control);
        return events;
    }
    ServedNetwork network(scenario, workload, pools, wanted.fabric, events.problems);
    if (workload.fleet && network.traffic() != nullptr) events.problems.push_back(fleetMeetsOthers());
    if (!events.problems.empty()) return events;
    if (network.jobs().empty()) {
        events.outcome = serve(requests, settings, network.transfers(), control, network.traffic());
        return events;
    }
    ServingRun served(requests, settings, network.transfers(), network.traffic());
    if (!runBeside(served, network.jobs(), requests.requests.size(), control)) return events;
    if (served.ended() != requests.requests.size()) throw std::logic_error("a scheduler left requests waiting for ever");
    events.outcome = served.outcome();
    for (const JobBeside& job : network.jobs()) events.beside.push_back(reportOf(job));
    return events;
}

} // namespace orrery
