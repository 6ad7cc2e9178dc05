// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/rank_work/schedule.hpp"

#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/paired_orders.hpp"

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

} // namespace orrery
