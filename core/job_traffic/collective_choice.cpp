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

PatternRequest chooseCollective(const Scenario& scenario, LibraryRequest question, double bytes) {
    const CollectiveOverrides& options = scenario.execution.collectives;
    const auto forced = options.algorithm.find(nameOf(question.kind));
    PatternRequest request;
    request.kind = question.kind;
    if (forced != options.algorithm.end()) request.algorithm = forced->second;
    if (!options.measured || question.ranks < 2) return request;

    question.bytes = bytes;
    if (forced != options.algorithm.end()) question.algorithm = forced->second;
    question.protocol = options.protocol;
    const LibraryChoice choice = chooseAlgorithm(scenario.library, question);
    request.algorithm = choice.algorithm == wordOf(CollectiveWay::nvls_tree) ? std::string(wordOf(CollectiveWay::nvls)) : choice.algorithm;
    request.protocol = choice.protocol;
    request.start = choice.start;
    request.upShare = choice.upShare;
    request.outShare = choice.outShare;
    request.upWire = choice.upWire;
    request.outWire = choice.outWire;
    request.stepLatency = false;
    return request;
}

PatternRequest chooseCollective(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind,
                                double bytes) {
    return chooseCollective(scenario, libraryQuestion(scenario, router, ranks, kind), bytes);
}

} // namespace orrery
