// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/replica_policy/stage_pairs.hpp"

namespace orrery {

StagePairs stagePairs(const Scenario& scenario, bool twoWay, int firstStage, int lastStage) {
    if (twoWay) return StagePairs::mirrored;
    return scenario.model.tiedEmbedding && firstStage != lastStage ? StagePairs::tied_embedding : StagePairs::none;
}

double wordEmbeddingElements(const Scenario& scenario) {
    return double(scenario.model.vocabulary) * double(scenario.model.embeddingWidth) / scenario.parallelism.tensor;
}

} // namespace orrery
