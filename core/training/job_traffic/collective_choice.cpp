// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/collective_choice.hpp"

#include "core/network/transfers/group_layout.hpp"

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

LibraryRequest libraryQuestion(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind) {
    const Fabric& fabric = router.fabric();
    const GroupLayout layout = layoutOf(fabric, ranks);
    LibraryRequest question;
    question.kind = kind;
    question.ranks = layout.ranks;
    if (!scenario.execution.collectives.measured || layout.ranks < 2) return question;
    question.domains = layout.domainCount();
    question.membersPerDomain = layout.members;
    question.upBandwidth = scenario.cluster.scaleUpBandwidth;
    question.addedUpLatency = scenario.cluster.scaleUpLatency - scenario.cluster.usualScaleUpLatency;
    if (question.domains > 1) {
        question.outBandwidth = interfaceBandwidth(fabric, ranks);
        question.outLatency = router.way(layout.domains[0].front(), layout.domains[1].front()).latency;
    }
    return question;
}

std::vector<CollectiveOption> collectiveOptions(const Scenario& scenario, LibraryRequest question, double bytes) {
    const CollectiveOverrides& settings = scenario.execution.collectives;
    const auto forced = settings.algorithm.find(nameOf(question.kind));
    PatternRequest request;
    request.kind = question.kind;
    if (forced != settings.algorithm.end()) request.algorithm = forced->second;
    if (!settings.measured || question.ranks < 2) return {{std::move(request)}};

    question.bytes = bytes;
    if (forced != settings.algorithm.end()) question.algorithm = forced->second;
    question.protocol = settings.protocol;
    request.stepLatency = false;
    std::vector<CollectiveOption> options;
    for (const LibraryChoice& choice : allowedOptions(scenario.library, question)) {
        request.algorithm = choice.algorithm == wordOf(CollectiveWay::nvls_tree) ? std::string(wordOf(CollectiveWay::nvls)) : choice.algorithm;
        request.protocol = choice.protocol;
        request.start = choice.start;
        request.upShare = choice.upShare;
        request.outShare = choice.outShare;
        request.upWire = choice.upWire;
        request.outWire = choice.outWire;
        options.push_back({request, choice.time});
    }
    if (options.empty()) {
        request.algorithm = wordOf(CollectiveWay::none);
        options.push_back({std::move(request)});
    }
    return options;
}

} // namespace orrery
