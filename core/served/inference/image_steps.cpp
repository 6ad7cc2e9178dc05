// SPDX-License-Identifier: GPL-3.0-or-later
// The vision tower of an engine: a prompt's images are run once, in the step that begins the prompt, on the first stage (vLLM's encoder budget and
// SGLang's batches of images come to the same where a step takes a whole prompt). Towers stay in 16 bit: checkpoints in fewer bits leave them so.
#include "core/model/transformer_graph.hpp"
#include "core/served/inference/step_model.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace orrery {
namespace {

Graph towerGraph(const EngineModel& engine, double images) {
    const ImageParts image = imageParts(*engine.model.vision, engine.images.width, engine.images.height);
    Graph graph = removeIdentities(tensorPass(buildVisionGraph(*engine.model.vision, image, images), engine.model, engine.parallelism.tensor));
    settleTraffic(graph, {});
    return graph;
}

} // namespace

double StepModel::imagesIn(const StepBatch& batch) const {
    if (engine_.images.count == 0 || !running_.vision) return 0;
    double prompts = 0;
    for (const StepBatch::Chunk& chunk : batch.prefills)
        if (chunk.context == 0) prompts += 1;
    return std::ceil(prompts / engine_.parallelism.attentionData) * double(engine_.images.count);
}

std::vector<TimedOperator> StepModel::towerOperators(double images) const {
    std::vector<TimedOperator> list;
    if (images <= 0) return list;
    Graph graph = towerGraph(engine_, images);
    for (Operator& op : graph.forward) {
        const OperatorTime timed = timeOf(op);
        list.push_back({std::move(op), timed.time, timed.bound, timed.source});
    }
    return list;
}

StepModel::Sums StepModel::tower(double images) const {
    const auto [known, added] = towerMemo_.try_emplace(images);
    if (!added) return known->second;
    Sums sums;
    for (const auto& [op, time, bound, source] : towerOperators(images)) {
        double& part = op.kind == OperatorKind::collective ? sums.collectives : op.kind == OperatorKind::gemm    ? sums.gemm
                                                                            : op.kind == OperatorKind::attention ? sums.attention
                                                                                                                 : sums.other;
        part += time;
        sums.kernels += op.kernels;
    }
    return known->second = sums;
}

double StepModel::encodeSeconds() const {
    if (engine_.images.count == 0 || !running_.vision) return 0;
    const Sums sums = tower(double(engine_.images.count));
    const double device = (sums.gemm + sums.attention + sums.other) * engine_.profile.serving.promptStretch + sums.collectives;
    return std::max(device, sums.kernels * engine_.profile.hostLaunch) + engine_.profile.serving.stepHost;
}

double StepModel::towerBytes() const {
    if (engine_.images.count == 0 || !running_.vision) return 0;
    constexpr double sixteenBit = 2;
    double bytes = 0;
    const Graph graph = towerGraph(engine_, 1);
    for (const Operator& op : graph.forward) bytes += (op.weights + op.replicatedWeights) * sixteenBit;
    return bytes;
}

} // namespace orrery
