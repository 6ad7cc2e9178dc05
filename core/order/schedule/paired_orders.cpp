// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/paired_orders.hpp"

#include "core/order/schedule/orders.hpp"

#include <algorithm>
#include <stdexcept>

namespace orrery {
namespace {

/// One forward ahead of the backwards, so that each has a stranger beside it; holds one micro-batch more than 1F1B would.
PipelineSchedule oneAhead(const PipelineShape& shape) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::loop, 1, 1, shape.microBatches};
    std::vector<PipelineStep>& steps = schedule.stages.emplace_back();
    for (int i = 0; i < shape.microBatches; ++i) {
        steps.push_back({PassKind::forward, i > 0, 0, i});
        if (i > 0) steps.push_back({PassKind::backward, false, 0, i - 1});
    }
    steps.push_back({PassKind::backward, false, 0, shape.microBatches - 1});
    schedule.mostInFlight.push_back(std::min(2, shape.microBatches));
    return schedule;
}

} // namespace

bool canRunPaired(PipelineOrder order, const PipelineShape& shape) {
    switch (traitsOf(order).pairRoom) {
    case PairRoom::none: return false;
    case PairRoom::single_stage: return shape.stages == 1 && shape.chunksPerStage == 1;
    case PairRoom::several_chunks: return shape.chunksPerStage > 1;
    }
    return false;
}

PipelineSchedule pairedOrder(PipelineOrder order, const PipelineShape& shape) {
    if (const auto refusal = refusalOf(order, shape)) throw std::invalid_argument(refusal->reason);
    return shape.chunksPerStage == 1 ? oneAhead(shape) : interleavedOrder(shape, true);
}

} // namespace orrery
