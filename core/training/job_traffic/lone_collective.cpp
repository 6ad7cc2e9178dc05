// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/lone_collective.hpp"

#include "core/network/transfers/flow_transfers.hpp"
#include "core/training/job_traffic/job_traffic.hpp"

#include <array>
#include <utility>

namespace orrery {
namespace {

/// nccl-tests, PERFORMANCE.md: what a link carries over what an application sees.
double busFactor(CollectiveKind kind, double n) {
    switch (kind) {
    case CollectiveKind::all_reduce: return 2 * (n - 1) / n;
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all: return (n - 1) / n;
    default: return 1;
    }
}

/// Beside a second job's traffic only the flows themselves tell.
double timeBeside(const std::vector<FlowDemand>& background, const TransferPattern& pattern, double bytes, const std::vector<double>& capacities) {
    const std::vector<Transfer> transfers{{&pattern, bytes}};
    FlowTransfers model(capacities, transfers, background);
    model.start(0, 0, 0);
    std::vector<TaskId> ended;
    double now = 0;
    while (ended.empty()) {
        now = model.nextEvent();
        model.advance(now, ended);
    }
    return now;
}

} // namespace

LoneCollective runLoneCollective(const Scenario& scenario, const std::vector<int>& ranks, CollectiveKind kind, double bytes) {
    JobTraffic traffic(scenario);
    const LonePattern made = traffic.lonePattern(ranks, kind, bytes);
    LoneCollective result;
    result.algorithm = made.pattern.algorithm;
    result.protocol = made.protocol;
    result.formula = made.pattern.formula;
    if (!made.pattern.connected) {
        result.problems.push_back(traffic.unreachable(made.pattern));
        return result;
    }
    const AloneTime alone = aloneTime(made.pattern, bytes, traffic.capacities());
    result.latency = alone.latency;
    result.transfer = alone.transfer;
    result.time = alone.time;
    const std::vector<FlowDemand> background = traffic.background();
    if (!background.empty() && alone.time > 0) {
        result.time = timeBeside(background, made.pattern, bytes, traffic.capacities());
        result.transfer = result.time - result.latency;
    }
    if (result.time <= 0) return result;
    result.algorithmBandwidth = bytes / result.time;
    result.busBandwidth = result.algorithmBandwidth * busFactor(kind, static_cast<double>(ranks.size()));
    return result;
}

std::optional<CollectiveKind> collectiveNamed(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, CollectiveKind>, 6> operations{{
        {"all_reduce", CollectiveKind::all_reduce},
        {"all_gather", CollectiveKind::all_gather},
        {"reduce_scatter", CollectiveKind::reduce_scatter},
        {"alltoall", CollectiveKind::all_to_all},
        {"sendrecv", CollectiveKind::send_receive},
        {"broadcast", CollectiveKind::broadcast},
    }};
    for (const auto& [word, kind] : operations)
        if (name == word) return kind;
    return std::nullopt;
}

} // namespace orrery
