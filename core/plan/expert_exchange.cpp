#include "core/plan/expert_exchange.hpp"

#include "core/transfers/group_layout.hpp"

namespace orrery {

Routing routingOf(const Scenario& scenario) {
    const Experts& experts = *scenario.model.experts;
    return {static_cast<int>(experts.count), static_cast<int>(experts.perToken), static_cast<int>(experts.groups),
            static_cast<int>(experts.groupsPerToken)};
}

bool deduplicatesTokens(const Scenario& scenario) {
    const Execution& execution = scenario.execution;
    return scenario.model.experts && execution.profile.experts.exchange == ExpertExchange::deduplicated && execution.expertCapacity <= 0 &&
           scenario.parallelism.expert > 1 && scenario.parallelism.expertTensor == 1;
}

PatternRequest chooseExchange(const Scenario& scenario, Router& router, const std::vector<int>& ranks) {
    const GroupLayout layout = layoutOf(router.fabric(), ranks);
    const ExchangeForm form = exchangeForm(routingOf(scenario), layout.ranks, layout.domainCount());
    PatternRequest request;
    request.kind = CollectiveKind::all_to_all;
    request.algorithm = "deduplicated";
    request.upPerByte = form.up / form.ranks;
    request.outPerByte = form.out / form.ranks;
    const bool stated = layout.domainCount() > 1 ? scenario.cluster.scaleOutLatencyStated : scenario.cluster.scaleUpLatencyStated;
    const ExchangeLibrary* library = scenario.library.exchange(scenario.execution.profile.experts.library);
    if (!library || !scenario.execution.collectives.measured.value_or(!stated)) return request;
    request.protocol = library->id;
    request.start = library->start;
    request.upShare = upShareOf(*library, form, scenario.cluster.scaleUpBandwidth);
    request.outShare = library->outShare;
    request.stepLatency = false;
    return request;
}

} // namespace orrery
