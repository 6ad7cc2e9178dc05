// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/load_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace orrery {
namespace {

bool isBeyond(double seconds, const std::optional<double>& limit) { return limit && seconds > *limit; }

/// A burst of first requests waits at every load: what more load adds tells what runs out.
std::optional<WaitsFor> grewMost(const Waits& before, const Waits& now) {
    std::optional<WaitsFor> most;
    double longest = 0;
    for (std::size_t kind = 0; kind < now.size(); ++kind) {
        if (now[kind] - before[kind] <= longest) continue;
        longest = now[kind] - before[kind];
        most = static_cast<WaitsFor>(kind);
    }
    return most;
}

std::optional<KneeSign> signOf(const LoadPoint& point, std::optional<WaitsFor> waitsFor, const ServiceLevel& level) {
    const ServingMetrics& served = point.served;
    if (served.completed == 0) return std::nullopt;
    if (isBeyond(served.ttft.p99, level.ttft)) return KneeSign::ttft;
    if (isBeyond(served.tpot.p99, level.tpot)) return KneeSign::tpot;
    if (isBeyond(served.e2e.p99, level.e2e)) return KneeSign::e2e;
    const bool waits = served.queue.p50 > served.ttft.p50 / 2;
    const bool evicts = static_cast<double>(served.preemptions) > 0.01 * static_cast<double>(served.count);
    if (evicts || (waits && waitsFor == WaitsFor::cache)) return KneeSign::cache_full;
    return waits ? std::optional(KneeSign::queueing) : std::nullopt;
}

} // namespace

std::optional<OfferedLoad> offeredLoad(const ServingWorkload& workload) {
    const auto* law = std::get_if<RequestLaw>(&workload.requests);
    if (!law) return std::nullopt;
    switch (law->process) {
    case ArrivalProcess::poisson:
    case ArrivalProcess::uniform:
    case ArrivalProcess::gamma: return OfferedLoad{LoadKind::rate, law->ratePerSecond};
    case ArrivalProcess::closed_loop: return OfferedLoad{LoadKind::users, static_cast<double>(law->concurrency)};
    case ArrivalProcess::all_at_once: return std::nullopt;
    }
    return std::nullopt;
}

ServingWorkload underLoad(ServingWorkload workload, double load) {
    auto& law = std::get<RequestLaw>(workload.requests);
    if (law.process == ArrivalProcess::closed_loop) law.concurrency = std::max(1, static_cast<int>(std::lround(load)));
    else law.ratePerSecond = load;
    return workload;
}

std::optional<Knee> kneeOf(const std::vector<LoadPoint>& points, const ServiceLevel& level) {
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto waitsFor = grewMost(i > 0 ? points[i - 1].waits : Waits{}, points[i].waits);
        if (const auto sign = signOf(points[i], waitsFor, level)) return Knee{i, *sign, waitsFor};
    }
    return std::nullopt;
}

} // namespace orrery
