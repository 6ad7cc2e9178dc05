// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/schedule/generators.hpp"

#include "core/schedule/orders.hpp"

#include <stdexcept>

namespace orrery {
namespace {

constexpr int mostChunks = 32767; // PipelineStep::chunk is 16 bits wide

std::optional<ShapeRefusal> refuseNumbers(PipelineOrder order, const PipelineShape& shape) {
    const int chunks = order == PipelineOrder::interleaved ? shape.chunksPerStage : 1;
    if (shape.stages < 1 || shape.microBatches < 1 || chunks < 1)
        return ShapeRefusal{"A pipeline needs at least one stage, one micro-batch and one chunk per stage.", "Use positive numbers."};
    if (shape.stages > mostChunks / 2 || chunks > mostChunks / shape.stages)
        return ShapeRefusal{"A schedule holds at most " + std::to_string(mostChunks) + " chunks of a model.", "Use fewer stages or chunks."};
    return std::nullopt;
}

} // namespace

std::optional<ShapeRefusal> refusalOf(PipelineOrder order, const PipelineShape& shape) {
    if (auto refusal = refuseNumbers(order, shape)) return refusal;
    const std::string stages = std::to_string(shape.stages);
    const std::string microBatches = std::to_string(shape.microBatches);
    if (order == PipelineOrder::interleaved && shape.chunksPerStage > 1 && shape.microBatches % shape.stages != 0)
        return ShapeRefusal{"The interleaved schedule runs micro-batches in groups of " + stages + ", one per stage, and " + microBatches +
                                " do not make whole groups.",
                            "Use a multiple of " + stages + " micro-batches, or one chunk per stage."};
    if (order != PipelineOrder::dual_pipe) return std::nullopt;
    if (shape.stages % 2 != 0)
        return ShapeRefusal{"DualPipe sends micro-batches in from both ends and needs an even number of stages, not " + stages + ".",
                            "Use " + std::to_string(shape.stages + 1) + " stages, or ZB-V."};
    if (shape.microBatches % 2 != 0 || shape.microBatches < 2 * shape.stages)
        return ShapeRefusal{"DualPipe needs an even number of micro-batches, at least two per stage (" + std::to_string(2 * shape.stages) +
                                "), not " + microBatches + ".",
                            "Use " + std::to_string(shape.microBatches < 2 * shape.stages ? 2 * shape.stages : shape.microBatches + 1) +
                                " micro-batches, or ZB-V."};
    return std::nullopt;
}

PipelineSchedule makePipelineSchedule(PipelineOrder order, const PipelineShape& shape) {
    if (const auto refusal = refusalOf(order, shape)) throw std::invalid_argument(refusal->reason);
    switch (order) {
    case PipelineOrder::gpipe: return gpipeOrder(shape);
    case PipelineOrder::one_f_one_b: return oneForwardOneBackwardOrder(shape);
    case PipelineOrder::interleaved: return shape.chunksPerStage == 1 ? oneForwardOneBackwardOrder(shape) : interleavedOrder(shape);
    case PipelineOrder::zb_h1: return zeroBubbleH1Order(shape);
    case PipelineOrder::zb_v: return zeroBubbleVOrder(shape);
    case PipelineOrder::v_half: return vHalfOrder(shape);
    case PipelineOrder::v_min: return vMinOrder(shape);
    case PipelineOrder::dual_pipe: return dualPipeOrder(shape);
    }
    throw std::invalid_argument("There is no such schedule.");
}

} // namespace orrery
