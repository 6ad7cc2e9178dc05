// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/ideal_bubble.hpp"

namespace orrery {

std::optional<double> idealBubble(PipelineOrder order, const PipelineShape& shape, const PassTimes& times) {
    const double p = shape.stages, m = shape.microBatches;
    if (shape.stages == 1) return 0;
    const double f = times.forward, w = times.backwardWeight, input = times.backwardInput, b = input + w;
    const double work = m * (f + b);
    const bool full = shape.microBatches >= 2 * shape.stages;
    switch (order) {
    case PipelineOrder::gpipe:
    case PipelineOrder::one_f_one_b: return (p - 1) / m;
    case PipelineOrder::interleaved: return (p - 1) / (shape.chunksPerStage * m);
    case PipelineOrder::zb_h1:
        if (!full || w > f || w > input) return std::nullopt;
        return (p - 1) * (f + b - 2 * w) / work;
    case PipelineOrder::zb_v:
        if (!full || f != input || f != w) return std::nullopt;
        return 0;
    case PipelineOrder::dual_pipe:
        if (!full || f != input || w > f) return std::nullopt;
        return (p / 2 - 1) * (times.together.value_or(f + b) + b - 3 * w) / work;
    case PipelineOrder::v_half:
    case PipelineOrder::v_min: return std::nullopt;
    }
    return std::nullopt;
}

} // namespace orrery
