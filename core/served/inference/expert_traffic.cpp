// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/expert_traffic.hpp"

#include "core/served/inference/routed_experts.hpp"

namespace orrery {

const ExchangeLibrary* expertExchange(const EngineModel& engine) {
    const Parallelism& plan = engine.parallelism;
    const int ranks = plan.tensor * plan.attentionData;
    if (!engine.model.experts || plan.attentionData < 2 || plan.expert != ranks) return nullptr;
    if (!engine.network.domainSpansHosts || engine.network.domainSize < ranks) return nullptr;
    return engine.network.library.exchange(engine.profile.experts.library);
}

ExchangeTimes exchangeTimes(const EngineModel& engine, const EngineFormats& formats, const ExchangeLibrary& library, double tokens) {
    const Parallelism& plan = engine.parallelism;
    const Experts& experts = *engine.model.experts;
    const Routing routing{static_cast<int>(expertSlots(engine)), // each copy as likely as another
                          static_cast<int>(experts.perToken), static_cast<int>(experts.groups), static_cast<int>(experts.groupsPerToken)};
    const ExchangeForm form = exchangeForm(routing, plan.expert, 1);
    const double own = tokens / plan.tensor; // ranks of a group send a share each
    const double rate = upShareOf(library, form, engine.network.upBandwidth) * engine.network.upBandwidth;
    const auto oneWay = [&](double element) { return library.start + own * form.up * double(engine.model.expertWidth()) * element / rate; };
    constexpr double sixteenBit = 2;
    return {oneWay(formats.sentBytes()), oneWay(sixteenBit)};
}

} // namespace orrery
