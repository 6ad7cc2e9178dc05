// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/iteration/assemble.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// By segment: what it adds to what is kept.
std::vector<double> changeBySegment(const Iteration& iteration) {
    const RankWork& work = iteration.work;
    std::vector<double> change(work.segments.size());
    const auto add = [&change](const PieceWork& piece) {
        change[piece.forwardSegment] = piece.forwardMemory.saved;
        change[piece.backwardSegment] = -piece.forwardMemory.saved;
        if (piece.backwardInputSegment == piece.backwardWeightSegment) return; // one whole backward
        change[piece.backwardInputSegment] = piece.backwardInputMemory.change;
        change[piece.backwardWeightSegment] = piece.backwardWeightMemory.change;
    };
    add(work.embedding);
    add(work.head);
    for (const PieceWork& layer : work.layers) add(layer);
    if (work.nextToken) add(*work.nextToken);
    for (const auto& [both, pair] : iteration.pairs) change[pair] = change[both.first] + change[both.second];
    for (const auto& [segment, slow] : iteration.slow) change[segment] = change[slow.like];
    return change;
}

} // namespace

StoredActivations storedActivations(const Iteration& iteration) {
    StoredActivations stored;
    const RankWork& work = iteration.work;
    for (const int kind : work.kindOfLayer) stored.layerBytes += work.layers[static_cast<std::size_t>(kind)].forwardMemory.saved;
    if (!work.kindOfLayer.empty()) stored.layerBytes /= static_cast<double>(work.kindOfLayer.size());

    const std::vector<double> change = changeBySegment(iteration);
    stored.stagePeakBytes.resize(iteration.stageElements.size());
    std::vector<double> kept(stored.stagePeakBytes.size());
    // Tasks of a stage's compute stream are listed in the order they run in.
    for (const TaskInfo& task : iteration.tasks) {
        if (!iteration.isShown(task) || task.stream != StreamKind::compute) continue;
        const auto stage = static_cast<std::size_t>(task.stage);
        kept[stage] += change[task.segment];
        stored.stagePeakBytes[stage] = std::max(stored.stagePeakBytes[stage], kept[stage]);
    }
    return stored;
}

} // namespace orrery
