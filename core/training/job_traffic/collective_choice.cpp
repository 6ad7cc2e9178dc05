// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/collective_choice.hpp"
#include "core/network/transfers/group_layout.hpp"

#include <algorithm>

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

Routing routingOf(const Scenario& scenario) {
    const Experts& experts = *scenario.model.experts;
    return {static_cast<int>(experts.count), static_cast<int>(experts.perToken), static_cast<int>(experts.groups),
            static_cast<int>(experts.groupsPerToken)};
}

namespace {

bool exchangesBy(ExpertExchange exchange, const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    return scenario.model.experts && execution.profile.experts.exchange == exchange && execution.expertCapacity <= 0 &&
           scenario.parallelism.expert > 1 && scenario.parallelism.expertTensor == 1;
}

} // namespace

bool deduplicatesTokens(const Scenario& scenario) { return exchangesBy(ExpertExchange::deduplicated, scenario); }
bool gathersTokens(const Scenario& scenario) { return exchangesBy(ExpertExchange::gathered, scenario); }

PatternRequest chooseExchange(const Scenario& scenario, Router& router, const std::vector<int>& ranks) {
    const GroupLayout layout = layoutOf(router.fabric(), ranks);
    const ExchangeForm form = exchangeForm(routingOf(scenario), layout.ranks, layout.domainCount());
    PatternRequest request;
    request.kind = CollectiveKind::all_to_all;
    request.algorithm = wordOf(CollectiveWay::deduplicated);
    request.upPerByte = form.up / form.ranks;
    request.outPerByte = form.out / form.ranks;
    const ExchangeLibrary* library = scenario.library.exchange(scenario.execution.profile.experts.library);
    if (!library || !scenario.execution.collectives.measured) return request;
    request.protocol = library->id;
    // Measured inside a domain, on machines as their usual platform joins them.
    const double latency = layout.domainCount() > 1 ? router.way(layout.domains[0].front(), layout.domains[1].front()).latency
                                                    : scenario.cluster.scaleUpLatency - scenario.cluster.usualScaleUpLatency;
    request.start = std::max(0.0, library->start + latency);
    request.upShare = upShareOf(*library, form, scenario.cluster.scaleUpBandwidth);
    request.outShare = library->outShare;
    request.upWire = scenario.library.upWire();
    request.outWire = scenario.library.outShare;
    request.stepLatency = false;
    return request;
}

} // namespace orrery
