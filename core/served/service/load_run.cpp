// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/service/load_run.hpp"

#include "core/order/requests/generate_requests.hpp"
#include "core/served/service/latency_parts.hpp"
#include "core/served/service/run_bounds.hpp"
#include "core/served/service/served_events.hpp"
#include "core/served/service/served_figures.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>

namespace orrery {
namespace {

/// Shares of what the engine can do at most: even steps, and beyond it enough to see requests pile up.
constexpr double rateShares[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0};
/// Shares of the most requests that run at a time. Few users already gain much from one more.
constexpr double userShares[] = {1.0 / 32, 1.0 / 16, 1.0 / 8, 1.0 / 4, 3.0 / 8, 1.0 / 2, 5.0 / 8, 3.0 / 4, 7.0 / 8, 1.0, 1.25, 1.5};
/// Two loads as near as this are one to who reads the knee off a curve.
constexpr double nearLoads = 1.04;

/// Rounds to as many digits as a person says: the double that a scenario with these digits has.
double roundLoad(double load, int digits) {
    const int places = digits - 1 - static_cast<int>(std::floor(std::log10(load)));
    const double scale = std::pow(10, std::abs(places));
    return places > 0 ? std::round(load * scale) / scale : std::round(load / scale) * scale;
}

void putInOrder(std::vector<double>& loads) {
    std::sort(loads.begin(), loads.end());
    loads.erase(std::unique(loads.begin(), loads.end()), loads.end());
}

Waits waitsOf(const LatencyParts& ttft) {
    Waits waits{};
    for (const auto& [kind, part] : {std::pair(WaitsFor::cache, LatencyPart::queue_cache), std::pair(WaitsFor::sequences, LatencyPart::queue_sequences),
                                     std::pair(WaitsFor::tokens, LatencyPart::queue_tokens), std::pair(WaitsFor::step, LatencyPart::queue_step)})
        waits[static_cast<std::size_t>(kind)] = ttft[part];
    return waits;
}

} // namespace

/// A run, and the most requests of which each instance had a step.
struct LoadRun::Served {
    ServingReport report;
    int mostRunning = 0;
};

LoadRun::LoadRun(const Scenario& scenario) : scenario_(scenario), workload_(std::get<ServingWorkload>(scenario.workload)), pools_(enginePools(scenario, workload_)) {
    const bool hasRoom = std::all_of(pools_.begin(), pools_.end(), [](const EnginePool& pool) { return pool.blocks >= 1; });
    if (hasRoom) present_ = offeredLoad(workload_);
}

std::optional<LoadRun::Served> LoadRun::serve(const ServingWorkload& workload, const RunControl& control) const {
    if (servedBeyondCeiling(workload, pools_, control)) return std::nullopt;
    Served served;
    ServingReport& report = served.report;
    report.requests = std::make_shared<const RequestList>(generateRequests(std::get<RequestLaw>(workload.requests)));
    ServedEvents events = runServed(scenario_, workload, *report.requests, pools_, control);
    if (!events.outcome) return std::nullopt;
    report.served = metricsOf(*report.requests, *events.outcome, std::exchange(events.outcome->log.gaps, {}), {workload.slo.ttft, workload.slo.tpot, workload.slo.e2e});
    report.steps = std::move(events.outcome->steps);
    fillServedFigures(report, scenario_.economics, pools_, *events.outcome);
    report.records = std::move(events.outcome->log.records);
    for (const std::vector<StepRecord>& steps : report.steps) {
        int most = 0;
        for (const StepRecord& step : steps) most = std::max(most, step.running);
        served.mostRunning += most;
    }
    return served;
}

std::optional<LoadPoint> LoadRun::at(double load, const RunControl& control) const {
    if (!present_) return std::nullopt;
    const auto served = serve(underLoad(workload_, load), control);
    if (!served) return std::nullopt;
    const ServingReport& report = served->report;
    LoadPoint point;
    point.load = load;
    point.outputTokensPerSecondPerAccelerator = report.outputTokensPerSecondPerAccelerator;
    point.served = report.served;
    const EnginePool& decoding = pools_.back();
    std::int64_t fewestFree = decoding.blocks;
    for (std::size_t i = report.steps.size() - decoding.ranks.size(); i < report.steps.size(); ++i)
        for (const StepRecord& step : report.steps[i]) fewestFree = std::min<std::int64_t>(fewestFree, step.freeBlocks);
    point.cachePeak = 1 - static_cast<double>(fewestFree) / static_cast<double>(decoding.blocks);
    const LatencyParts ttft = ttftParts(pools_, report);
    point.waits = waitsOf(ttft);
    const double waiting = std::accumulate(point.waits.begin(), point.waits.end(), ttft[LatencyPart::preempted]);
    if (ttft.total() > 0) point.waitingShare = waiting / ttft.total();
    return point;
}

std::optional<std::vector<double>> LoadRun::loadsToTry(const RunControl& control) const {
    if (!present_) return std::nullopt;
    ServingWorkload atOnce = workload_;
    auto& law = std::get<RequestLaw>(atOnce.requests);
    law.process = ArrivalProcess::all_at_once;
    const auto served = serve(atOnce, control);
    if (!served || served->report.served.completed == 0 || !(served->report.served.duration > 0)) return std::nullopt;
    std::vector<double> loads{present_->value};
    if (present_->kind == LoadKind::rate) {
        const double most = static_cast<double>(served->report.served.completed) / served->report.served.duration;
        for (const double share : rateShares) loads.push_back(roundLoad(share * most, 2));
    } else {
        // More users than requests are no more load.
        for (const double share : userShares) loads.push_back(std::min(std::max(1.0, std::round(share * served->mostRunning)), static_cast<double>(law.count)));
    }
    putInOrder(loads);
    return loads;
}

LoadSweep::LoadSweep(OfferedLoad present, const ServiceLevel& level, std::vector<double> loads) : loads_(std::move(loads)) {
    curve_.present = present;
    curve_.level = level;
    curve_.complete = !next();
}

std::optional<double> LoadSweep::between() const {
    if (!curve_.knee || curve_.knee->point == 0) return std::nullopt;
    const double well = curve_.points[curve_.knee->point - 1].load, tooMuch = curve_.points[curve_.knee->point].load;
    if (tooMuch <= well * nearLoads) return std::nullopt;
    const double middle = (well + tooMuch) / 2;
    if (curve_.present.kind == LoadKind::users) {
        const double whole = std::floor(middle);
        return whole > well && whole < tooMuch ? std::optional(whole) : std::nullopt;
    }
    // Three digits tell it from both: they are more than four percent apart.
    return roundLoad(middle, 3);
}

std::optional<double> LoadSweep::next() const { return given_ < loads_.size() ? std::optional(loads_[given_]) : between(); }

void LoadSweep::add(LoadPoint point) {
    if (given_ < loads_.size()) ++given_;
    std::vector<LoadPoint>& points = curve_.points;
    const auto place = std::upper_bound(points.begin(), points.end(), point.load, [](double load, const LoadPoint& other) { return load < other.load; });
    points.insert(place, point);
    curve_.knee = kneeOf(points, curve_.level);
    curve_.complete = !next();
}

double LoadSweep::share() const { return loads_.empty() ? 1 : static_cast<double>(given_) / static_cast<double>(loads_.size()); }

std::optional<LoadCurve> loadCurve(const LoadRun& run, const RunControl& control) {
    RunControl quiet = control;
    quiet.progress = {};
    std::optional<std::vector<double>> loads = run.loadsToTry(quiet);
    if (!loads) return std::nullopt;
    LoadSweep sweep(*run.present(), run.level(), std::move(*loads));
    while (const auto load = sweep.next()) {
        std::optional<LoadPoint> point = run.at(*load, quiet);
        if (!point) return std::nullopt;
        sweep.add(*point);
        if (control.progress) control.progress(sweep.share());
    }
    return sweep.curve();
}

} // namespace orrery
