// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/plan/lanes.hpp"
#include "core/training/plan/traffic_program.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace orrery {

struct StepStretch;

/// Where a part is no operator: the beginning of an expanded segment, the host at work.
inline constexpr std::uint32_t noOperator = ~std::uint32_t{0};

enum class TaskRole : std::uint8_t {
    work,   ///< runs its segment
    arrive, ///< a lane is ready for a collective of several lanes and waits; the next task of its stream is its `depart`
    joint,  ///< the collective itself, on no lane
    depart, ///< the lane is done with it
    part,   ///< one operator of a segment that runs as a task by itself, or the moment at which such a segment begins
};

/// What a task of the program is.
struct TaskInfo {
    std::uint32_t segment = 0; ///< index into WorkTables::segments; of a part: into WorkTables::operators
    std::int32_t microBatch = -1;
    std::int32_t layer = -1;
    std::int16_t chunk = 0;
    std::int16_t stage = 0;
    std::int32_t lane = -1; ///< -1: a joint task
    StreamKind stream = StreamKind::compute;
    TaskRole role = TaskRole::work;
};

/// A segment whose operators run as tasks by themselves, because its collectives share links with other traffic: the tasks from
/// `begin` to `end`, whose own task stands for the whole.
struct ExpandedSegment {
    TaskId begin = 0;
    TaskId end = 0;
};

/// A segment on lanes whose kernels take longer (core/training/rank_work/slow_kernels.hpp).
struct SlowSegment {
    std::uint32_t like = 0; ///< the segment where they don't
    double slowdown = 1;
};

/// One training iteration as tasks on every lane's streams.
struct Iteration : TrafficProgram {
    std::vector<TaskInfo> tasks;
    std::vector<ExpandedSegment> expanded; ///< sorted by `end`
    /// The one whose own task this is, or null.
    const ExpandedSegment* expandedEndingAt(TaskId task) const {
        if (expanded.empty() || tasks[task].role != TaskRole::work) return nullptr;
        const auto found = std::lower_bound(expanded.begin(), expanded.end(), task,
                                            [](const ExpandedSegment& segment, TaskId wanted) { return segment.end < wanted; });
        return found != expanded.end() && found->end == task ? &*found : nullptr;
    }
    LaneMap lanes{0, 1};
    std::vector<int> shown; ///< by stage: the lane that stands for it in results
    bool isPair(std::uint32_t segment) const {
        return std::any_of(pairs.begin(), pairs.end(), [segment](const auto& pair) { return pair.second == segment; });
    }
    bool isShown(const TaskInfo& task) const {
        return task.lane >= 0 && (task.role == TaskRole::work || task.role == TaskRole::depart) && shown[static_cast<std::size_t>(task.stage)] == task.lane;
    }
    PipelineSchedule schedule;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pairs; ///< segments of two that run together, by these
    std::map<std::uint32_t, SlowSegment> slow;                              ///< by segment
    /// How many times as long the segment's kernels take as alone on the fastest lane.
    double slowdownOf(std::uint32_t segment) const {
        const auto found = slow.find(segment);
        return found != slow.end() ? found->second.slowdown : 1;
    }
    RankWork work;                           ///< with the segments of communication and optimizer, and of slow lanes, added
    std::vector<double> stageElements;       ///< parameters a rank of the stage trains
    std::vector<double> stageFrozenElements; ///< and holds besides
    std::vector<double> stageExpertElements; ///< of routed experts, trained
};

/// Builds the iteration: schedule steps as compute tasks a layer each, transfers between stages, gradient and parameter
/// communication as buckets beside backward and forward (or after them, without overlap), the optimizer behind the gradient
/// norm that all stages wait for. Collectives of several lanes are one joint task that starts when the last lane has arrived.
///
/// Collectives of the tensor group are part of their segment, which lasts as long as it does alone. With `expandTensor` they
/// are transfers of their own among the others and the segment's operators tasks around them.
///
/// `stretch` (null: none) makes of the computation what jitter does to the slowest pipeline.
Iteration buildIteration(const Scenario& scenario, RankWork work, JobTraffic& traffic, LaneMap lanes, bool expandTensor = false,
                         const StepStretch* stretch = nullptr);

} // namespace orrery
