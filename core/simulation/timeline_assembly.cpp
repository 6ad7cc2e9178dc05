#include "core/simulation/assemble.hpp"

#include "core/plan/rank_groups.hpp"

namespace orrery {

Timeline assembleTimeline(const Scenario& scenario, const Iteration& iteration, const TaskTimes& times) {
    Timeline timeline;
    timeline.duration = times.duration;
    timeline.operators = iteration.work.operators;
    timeline.segments = iteration.work.segments;
    const RankGrid grid(scenario.parallelism);
    for (int stage = 0; stage < scenario.parallelism.pipeline; ++stage) {
        StageTimeline lane;
        lane.stage = stage;
        lane.ranks = describeRanks(grid.stageRanks(stage));
        for (StreamKind kind : {StreamKind::compute, StreamKind::tensor, StreamKind::pipeline, StreamKind::data})
            lane.streams.push_back({kind, {}});
        timeline.stages.push_back(std::move(lane));
    }
    for (std::size_t task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (!iteration.isShown(info)) continue;
        Stream& stream = timeline.stages[static_cast<std::size_t>(info.stage)].streams[static_cast<std::size_t>(info.stream)];
        stream.spans.push_back(
            {times.start[task], times.end[task], info.segment, info.microBatch, info.layer, info.chunk});
    }
    return timeline;
}

} // namespace orrery
