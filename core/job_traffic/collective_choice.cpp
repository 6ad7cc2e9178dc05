// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/job_traffic/collective_choice.hpp"

#include "core/transfers/group_layout.hpp"

namespace orrery {
namespace {

const char* nameOf(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::all_reduce: return "all_reduce";
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::broadcast: return "broadcast";
    default: return "";
    }
}

} // namespace

PatternRequest chooseCollective(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind,
                                double bytes) {
    const Fabric& fabric = router.fabric();
    const GroupLayout layout = layoutOf(fabric, ranks);
    const CollectiveOverrides& options = scenario.execution.collectives;
    const auto forced = options.algorithm.find(nameOf(kind));

    PatternRequest request;
    request.kind = kind;
    if (forced != options.algorithm.end()) request.algorithm = forced->second;
    if (!options.measured || layout.ranks < 2) return request;

    LibraryRequest asked;
    asked.kind = kind;
    asked.ranks = layout.ranks;
    asked.domains = layout.domainCount();
    asked.membersPerDomain = layout.members;
    asked.bytes = bytes;
    asked.upBandwidth = scenario.cluster.scaleUpBandwidth;
    asked.addedUpLatency = scenario.cluster.scaleUpLatency - scenario.cluster.usualScaleUpLatency;
    if (asked.domains > 1) {
        asked.outBandwidth = interfaceBandwidth(fabric, ranks);
        asked.outLatency = router.way(layout.domains[0].front(), layout.domains[1].front()).latency;
    }
    if (forced != options.algorithm.end()) asked.algorithm = forced->second;
    asked.protocol = options.protocol;
    const LibraryChoice choice = chooseAlgorithm(scenario.library, asked);
    request.algorithm = choice.algorithm == wordOf(CollectiveWay::nvls_tree) ? std::string(wordOf(CollectiveWay::nvls)) : choice.algorithm;
    request.protocol = choice.protocol;
    request.start = choice.start;
    request.upShare = choice.upShare;
    request.outShare = choice.outShare;
    request.stepLatency = false;
    return request;
}

} // namespace orrery
