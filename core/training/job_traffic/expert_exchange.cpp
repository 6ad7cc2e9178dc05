// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/expert_exchange.hpp"

#include "core/network/transfers/group_layout.hpp"

#include <algorithm>

namespace orrery {

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
