// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/generators.hpp"

#include "core/order/schedule/orders.hpp"

#include <stdexcept>

namespace orrery {
namespace {

constexpr int mostChunks = 32767; // PipelineStep::chunk is 16 bits wide

std::optional<ShapeRefusal> refuseNumbers(PipelineOrder order, const PipelineShape& shape) {
    const int chunks = traitsOf(order).chunks.perStage == 0 ? shape.chunksPerStage : 1;
    if (shape.stages < 1 || shape.microBatches < 1 || chunks < 1)
        return ShapeRefusal{"A pipeline needs at least one stage, one micro-batch and one chunk per stage.", "Use positive numbers."};
    if (shape.stages > mostChunks / 2 || chunks > mostChunks / shape.stages)
        return ShapeRefusal{"A schedule holds at most " + std::to_string(mostChunks) + " chunks of a model.", "Use fewer stages or chunks."};
    return std::nullopt;
}

} // namespace

std::optional<ShapeRefusal> refusalOf(PipelineOrder order, const PipelineShape& shape) {
    if (auto refusal = refuseNumbers(order, shape)) return refusal;
    return unmetNeed(traitsOf(order), shape);
}

PipelineSchedule makePipelineSchedule(PipelineOrder order, const PipelineShape& shape) {
    if (const auto refusal = refusalOf(order, shape)) throw std::invalid_argument(refusal->reason);
    if (shape.chunksPerStage == 1) order = traitsOf(order).withOneChunk;
    switch (order) {
    case PipelineOrder::gpipe: return gpipeOrder(shape);
    case PipelineOrder::one_f_one_b: return oneForwardOneBackwardOrder(shape);
    case PipelineOrder::interleaved: return interleavedOrder(shape);
    case PipelineOrder::zb_h1: return zeroBubbleH1Order(shape);
    case PipelineOrder::zb_v: return zeroBubbleVOrder(shape);
    case PipelineOrder::v_half: return vHalfOrder(shape);
    case PipelineOrder::v_min: return vMinOrder(shape);
    case PipelineOrder::dual_pipe: return dualPipeOrder(shape);
    }
    throw std::invalid_argument("There is no such schedule.");
}

} // namespace orrery
