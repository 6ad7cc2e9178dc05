// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/pipeline_round.hpp"

#include <algorithm>
#include <cstdint>

namespace orrery {

std::vector<StepBatch> microBatches(const StepBatch& batch, int stages, int mostTokens) {
    std::vector<StepBatch> parts(static_cast<std::size_t>(stages));
    std::vector<int> tokens;
    std::int64_t dealt = 0, dealtDrafts = 0; // drafts go with the decodes they stand behind
    for (int i = 0; i < stages; ++i) {
        StepBatch& part = parts[static_cast<std::size_t>(i)];
        part.decodes = (batch.decodes + stages - 1 - i) / stages;
        dealt += part.decodes;
        const std::int64_t drafts = batch.decodes > 0 ? batch.draftTokens * dealt / batch.decodes : 0;
        part.draftTokens = static_cast<int>(drafts - dealtDrafts);
        dealtDrafts = drafts;
        part.decodeContext = batch.decodeContext;
        tokens.push_back(part.tokens());
    }
    for (StepBatch::Chunk left : batch.prefills)
        while (left.tokens > 0) {
            const auto fewest = static_cast<std::size_t>(std::min_element(tokens.begin(), tokens.end()) - tokens.begin());
            const int room = mostTokens - tokens[fewest];
            const int taken = room > 0 ? std::min(room, left.tokens) : left.tokens;
            parts[fewest].prefills.push_back({taken, left.context});
            tokens[fewest] += taken;
            left.tokens -= taken;
            left.context += taken;
        }
    std::erase_if(parts, [](const StepBatch& part) { return part.isEmpty(); });
    return parts;
}

double roundSeconds(const StepModel& model, const StepBatch& batch, int mostTokens) {
    const int stages = model.engine().parallelism.pipeline;
    if (stages == 1) return model.seconds(batch);
    double longest = 0, busiest = 0;
    for (const StepBatch& part : microBatches(batch, stages, mostTokens)) {
        longest = std::max(longest, model.seconds(part));
        busiest += model.interval(part);
    }
    return std::max(longest, busiest);
}

} // namespace orrery
