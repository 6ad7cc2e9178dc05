// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/stage_order.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/paired_orders.hpp"

#include <algorithm>

namespace orrery {

PipelineSchedule scheduleOf(const Scenario& scenario) { return scheduleOf(scenario, scenario.microBatches()); }

PipelineSchedule scheduleOf(const Scenario& scenario, int microBatches) {
    const Parallelism& plan = scenario.parallelism;
    const PipelineShape shape{plan.pipeline, microBatches, plan.virtualPipeline};
    const auto pass = scenario.execution.passes.find("overlap");
    const bool overlaps = pass == scenario.execution.passes.end() || pass->second;
    const bool pairs = overlaps && scenario.execution.overlap.expert && scenario.model.experts.has_value();
    if (pairs && canRunPaired(plan.schedule, shape)) return pairedOrder(plan.schedule, shape);
    PipelineSchedule schedule = makePipelineSchedule(plan.schedule, shape);
    if (overlaps) return schedule;
    for (std::vector<PipelineStep>& steps : schedule.stages)
        for (PipelineStep& step : steps) step.withNext = false;
    return schedule;
}

namespace {

UnitPass passAt(const PipelineStep& step, const std::vector<Unit>& units, std::size_t place) {
    const std::size_t index = step.kind == PassKind::forward ? place : units.size() - 1 - place;
    return {&units[index], step, place == 0, place + 1 == units.size()};
}

} // namespace

std::vector<PlacedWork> stageOrder(const std::vector<PipelineStep>& steps, const ModelChunks& chunks) {
    std::size_t total = 0;
    for (const PipelineStep& step : steps) total += chunks.units(step.chunk).size();
    std::vector<PlacedWork> order;
    order.reserve(total);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const PipelineStep& step = steps[i];
        const std::vector<Unit>& units = chunks.units(step.chunk);
        const bool paired = step.withNext && i + 1 < steps.size();
        const PipelineStep& beside = paired ? steps[i + 1] : step;
        const std::size_t besideCount = paired ? chunks.units(beside.chunk).size() : 0;
        for (std::size_t place = 0; place < std::max(units.size(), besideCount); ++place) {
            PlacedWork& work = order.emplace_back();
            work.count = 0;
            const auto add = [&](const UnitPass& pass) { work.passes[static_cast<std::size_t>(work.count++)] = pass; };
            if (place < units.size()) add(passAt(step, units, place));
            if (place < besideCount) add(passAt(beside, chunks.units(beside.chunk), place));
        }
        if (paired) ++i;
    }
    return order;
}

std::uint32_t segmentOf(const UnitPass& pass) {
    const PieceWork& piece = *pass.unit->piece;
    switch (pass.step.kind) {
    case PassKind::forward: return piece.forwardSegment;
    case PassKind::backward_input: return piece.backwardInputSegment;
    case PassKind::backward_weight: return piece.backwardWeightSegment;
    default: return piece.backwardSegment;
    }
}

} // namespace orrery
