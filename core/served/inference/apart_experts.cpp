// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/apart_experts.hpp"

#include "core/served/inference/engine_collectives.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

double apartStepTime(const ApartLayer& layer, double layers, int microBatches) {
    const double busy = layer.wholeWay() + layer.slower() * (microBatches * layers - 1);
    const double way = layers * layer.wholeWay() + (microBatches - 1) * layer.slower();
    return std::max(busy, way);
}

double apartSend(const EngineModel& attention, double tokens, double element) {
    const EngineModel& experts = *attention.experts;
    const Experts& routed = *attention.model.experts;
    const double holders = experts.parallelism.expert, ranks = attention.parallelism.tensor * attention.parallelism.attentionData;
    const double visited = holders * -std::expm1(double(routed.perToken) * std::log1p(-1 / std::max(holders, 1 + 1e-9))); // of these ranks by a token
    const double sent = tokens / attention.parallelism.tensor * visited;                                                  // ranks of a tensor group send a share each
    const double copies = std::max(sent, sent * ranks / holders);
    return farthestSend(experts, copies * double(attention.model.expertWidth()) * element);
}

double apartWeightBytes(const EngineModel& experts, const EngineFormats& formats) {
    const Experts& routed = *experts.model.experts;
    double layers = 0;
    for (std::size_t kind = 0; kind < experts.model.kinds.size(); ++kind)
        if (experts.model.kinds[kind].experts) layers += double(experts.model.layersOf(kind));
    const double matrices = experts.model.gatedMlp ? 3 : 2;
    return layers * double(routed.count) * matrices * double(experts.model.expertWidth()) * double(routed.ffn) * formats.expertWeightBytes() / experts.parallelism.expert;
}

} // namespace orrery
