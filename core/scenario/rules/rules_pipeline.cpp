// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rules/rules.hpp"

#include <numeric>

namespace orrery {
namespace {

constexpr const char* pipelineAt = "/parallelism/pipeline";
constexpr const char* chunksAt = "/parallelism/virtual_pipeline";
constexpr const char* scheduleAt = "/parallelism/schedule";
constexpr const char* layoutAt = "/parallelism/pipeline_layout";

std::string chunksInWords(const PlanNumbers& plan) {
    if (plan.chunksPerStage == 1) return counted(plan.pipeline, "pipeline stage");
    return counted(plan.pipeline, "stage") + " × " + counted(plan.chunksPerStage, "chunk") + " = " + counted(plan.chunks(), "chunk");
}

void checkLayers(const PlanNumbers& plan, Problems& problems) {
    if (layersSplit(plan)) return;
    const bool stagesFit = plan.pipeline <= plan.model->layers;
    const char* at = stagesFit ? chunksAt : pipelineAt;
    Problem problem = error("too-few-layers", at, chunksInWords(plan) + " cannot share " + counted(plan.model->layers, "layer") + ": only the first and the last may be without one.");
    const auto number = stagesFit ? &PlanNumbers::chunksPerStage : &PlanNumbers::pipeline;
    problem.mend = "Use fewer stages or chunks.";
    if (const auto mended = nearestWorking(plan, number, plan.model->layers, layersSplit)) {
        problem.mend = "Use " + counted(*mended, stagesFit ? "chunk" : "stage") + ".";
        problem.edits.push_back({at, *mended});
    }
    problems.push_back(std::move(problem));
}

/// With other chunks a given layout no longer fits.
Problem withoutLayout(Problem problem, const FilledDocument& document) {
    if (document.has(layoutAt)) problem.edits.push_back({layoutAt, nullptr});
    return problem;
}

std::string usualWord() { return std::string(wordOf(usualOrder(1))); }

/// Stages and micro-batches that the schedule needs.
void checkNeed(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    switch (traitsOf(plan.schedule).need) {
    case ShapeNeed::any: return;
    case ShapeNeed::whole_groups:
        if (plan.chunksPerStage == 1 || scheduleFits(plan)) return;
        // Interleaving hands micro-batches on in groups of one per stage (Narayanan et al. 2021, section 2.2).
        problems.push_back(withoutLayout(error("interleaved-micro-batches", chunksAt,
                                               "The " + std::string(traitsOf(plan.schedule).title) + " schedule runs micro-batches in groups of " + counted(plan.pipeline, "stage") + ", and " +
                                                   counted(plan.microBatches(), "micro-batch") + " do not make whole groups.")
                                             .mend("Use 1 chunk per stage, or a global batch that is a multiple of " +
                                                   std::to_string(plan.microBatch * plan.data() * plan.pipeline) + ".")
                                             .edit(chunksAt, 1)
                                             .edit(scheduleAt, usualWord()),
                                         document));
        return;
    case ShapeNeed::both_ends:
        if (const auto refusal = scheduleRefusal(plan)) {
            const std::string anyNumbers(wordOf(ScheduleKind::zb_h1));
            problems.push_back(error("schedule-shape", scheduleAt, refusal->reason)
                                   .mend("Use " + anyNumbers + ", which runs any numbers. " + refusal->mend)
                                   .edit(scheduleAt, anyNumbers));
        }
        return;
    }
}

void checkSchedule(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    const ScheduleTraits& traits = traitsOf(plan.schedule);
    const ChunkRule& chunks = traits.chunks;
    if (chunks.perStage > 1 && plan.chunksPerStage != chunks.perStage && plan.pipeline > 1) {
        const std::string held = counted(chunks.perStage, "chunk");
        problems.push_back(withoutLayout(error(std::string(chunks.problem), chunksAt,
                                               std::string(traits.title) + " " + std::string(chunks.because) + ", so each holds " + held + ", not " +
                                                   std::to_string(plan.chunksPerStage) + ".")
                                             .mend("Use " + held + ", or leave the number of chunks out.")
                                             .edit(chunksAt, chunks.perStage),
                                         document));
        return;
    }
    if (plan.pipeline == 1 && plan.chunksPerStage == 1 && traits.placement == PlacementKind::vee) {
        problems.push_back(warning("no-effect", scheduleAt, std::string(traits.title) + " folds its chunks over at least two pipeline stages; with one stage it is " + std::string(traitsOf(PipelineOrder::one_f_one_b).title) + ".")
                               .mend("Use " + usualWord() + ", or more stages.")
                               .edit(scheduleAt, usualWord()));
        return;
    }
    if (plan.chunksPerStage == 1) {
        if (traits.withOneChunk != plan.schedule)
            problems.push_back(warning("no-effect", scheduleAt,
                                       "Interleaving needs more than one chunk per stage; with one it is " + std::string(traitsOf(traits.withOneChunk).title) + ".")
                                   .mend("Use " + std::string(wordOf(traits.withOneChunk)) + ", or more chunks.")
                                   .edit(scheduleAt, std::string(wordOf(traits.withOneChunk))));
        else checkNeed(plan, document, problems);
        return;
    }
    if (plan.pipeline < 2) {
        problems.push_back(withoutLayout(error("chunks-without-pipeline", chunksAt,
                                               counted(plan.chunksPerStage, "chunk") + " per stage need at least 2 pipeline stages, and there is 1.")
                                             .mend("Use 1 chunk and " + usualWord() + ", or more stages.")
                                             .edit(chunksAt, 1)
                                             .edit(scheduleAt, usualWord()),
                                         document));
        return;
    }
    if (!traits.takesChunks(plan.chunksPerStage)) {
        const std::string several(wordOf(usualOrder(plan.chunksPerStage)));
        problems.push_back(error("chunks-not-interleaved", scheduleAt,
                                 "The schedule " + std::string(traits.word) + " has one chunk per stage, not " + std::to_string(plan.chunksPerStage) + ".")
                               .mend("Use " + several + ", or 1 chunk.")
                               .edit(scheduleAt, several));
        return;
    }
    checkNeed(plan, document, problems);
}

void checkLayout(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    const Json* given = document.find(layoutAt);
    if (!given || !plan.model) return;
    const auto layers = given->get<std::vector<std::int64_t>>();
    const std::string without = "Leave it out for the default layout";
    if (static_cast<std::int64_t>(layers.size()) != plan.chunks()) {
        problems.push_back(error("layout-length", layoutAt,
                                 "The layout lists " + counted(static_cast<std::int64_t>(layers.size()), "chunk") + " for " +
                                     chunksInWords(plan) + ".")
                               .mend(without + ", or list " + counted(plan.chunks(), "chunk") + ".")
                               .edit(layoutAt, nullptr));
        return;
    }
    const std::int64_t sum = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
    if (sum != plan.model->layers) {
        problems.push_back(error("layout-sum", layoutAt,
                                 "The layout holds " + counted(sum, "layer") + ", but the model has " + std::to_string(plan.model->layers) + ".")
                               .mend(without + ", or make it sum to " + std::to_string(plan.model->layers) + ".")
                               .edit(layoutAt, nullptr));
        return;
    }
    // The ends have the embedding and the loss to do; a chunk between them without a layer would do nothing.
    for (std::size_t i = 1; i + 1 < layers.size(); ++i) {
        if (layers[i] > 0) continue;
        problems.push_back(error("layout-empty-chunk", layoutAt, "Chunk " + std::to_string(i) + " of the layout has no layer.")
                               .mend(without + ", or give every inner chunk a layer.")
                               .edit(layoutAt, nullptr));
        return;
    }
}

} // namespace

void checkPipelineRules(const PlanNumbers& plan, const FilledDocument& document, Problems& problems) {
    if (!document.has(layoutAt)) checkLayers(plan, problems);
    checkSchedule(plan, document, problems);
    checkLayout(plan, document, problems);
}

} // namespace orrery
