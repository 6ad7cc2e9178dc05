// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/plan/iteration.hpp"
#include "core/training/plan/jitter_shape.hpp"
#include "core/training/segments/segment_placement.hpp"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace orrery {

/// Where a task belongs on the timeline.
struct TaskPlace {
    std::int32_t microBatch = -1;
    std::int32_t layer = -1;
    int chunk = 0;
};

/// The first and the last task of a piece of computation; mostly the same one.
struct ComputeTasks {
    TaskId first = noTask;
    TaskId last = noTask;
};

/// Writes tasks into an iteration's program: computation on a lane, transfers to another stage, collectives that lanes join.
/// Each lane has a stream of every kind and one for the host's launches; collectives of the tensor group stand on theirs only where
/// segments are expanded.
class ProgramWriter {
public:
    /// `stretch` may be null: nothing of the kind.
    ProgramWriter(const Scenario& scenario, JobTraffic& traffic, Iteration& iteration, bool expandTensor, const StepStretch* stretch);

    ComputeTasks addCompute(int lane, std::uint32_t segment, const TaskPlace& place);
    /// A segment on a stream beside the computation, as long as it takes alone.
    TaskId addOn(int lane, StreamKind kind, std::uint32_t segment, const TaskPlace& place);
    /// A transfer of the lane's cell to the same cell of another stage.
    TaskId addTransfer(int lane, int toStage, double bytes, const TaskPlace& place);
    /// A collective that all lanes of the stage join: every lane must add the same ones in the same order. Gives the lane's
    /// task that ends with it; `before` (noTask: none) is what the lane must have done first.
    TaskId addShared(int lane, std::uint32_t segment, TaskId before, const TaskPlace& place);
    /// A collective of this lane's cell and its partner in another stage; gives the task on each side.
    std::pair<TaskId, TaskId> addPaired(int lane, int otherLane, std::uint32_t segment, const std::vector<TaskId>& before);

    void after(TaskId task, TaskId before);

    /// How many tasks a segment will be, at least; more only where a collective is of many kernels.
    std::size_t tasksOf(std::uint32_t segment) const;

    /// Segments of one collective of a stage, made once for each name and number of bytes.
    std::uint32_t collectiveSegment(const char* name, const TrafficKind& kind, double bytes);
    std::uint32_t singleSegment(TimedOperator timed, StreamKind kind = StreamKind::compute);
    std::uint32_t overheadSegment(double seconds);
    /// Shares of gathered weights that are copied to their places, s.
    std::uint32_t shareCopySegment(double seconds);

private:
    struct Collective {
        JobTraffic::Id patterns = 0;
        double bytes = 0;
    };

    /// An expanded segment as it stands in the program.
    struct Expansion {
        TaskId begin = noTask, end = noTask;
        std::size_t edgeBegin = 0, edgeEnd = 0;
    };

    bool isExpanded(std::uint32_t segment) const;
    bool hasTensorCollectives(std::uint32_t segment) const;
    ComputeTasks repeatExpanded(int lane, std::uint32_t segment, const TaskPlace& place);
    TaskId addLaunch(int lane, double seconds, TaskId launched, TaskId lastCompute, TaskId lastTensor);
    ComputeTasks addExpanded(int lane, std::uint32_t segment, const TaskPlace& place);
    TaskId addPart(int lane, StreamKind kind, std::uint32_t op, double duration);
    TaskId addTensorTransfer(int lane, std::uint32_t op, TaskId before, double stretched);
    StreamId hostStream(int lane) const;
    StreamId stream(int lane, StreamKind kind) const;
    TaskId addInfo(int lane, int stage, StreamKind kind, TaskRole role, std::uint32_t segment, const TaskPlace& place);
    TransferId tensorTransfer(int lane, std::uint32_t op);
    TransferId transfer(JobTraffic::Id patterns, int cell, double bytes);
    double jitter(int lane, std::uint32_t segment);
    std::uint32_t onLane(int lane, std::uint32_t segment);
    BuiltSegment slowSegment(std::uint32_t segment, double slowdown);
    const std::vector<TimedOperator>& slowOperators(double slowdown);
    void letLoadsMeet();
    void setLoad(TaskId task, RankLoad load, double weight = 1);

    const Scenario& scenario_;
    JobTraffic& traffic_;
    Iteration& iteration_;
    bool expandTensor_;
    const StepStretch* stretch_;
    OverlapSlowdown slowdown_;
    std::map<std::tuple<std::string, int, int, double>, std::uint32_t> segments_; ///< by name, stages and bytes or seconds
    std::map<std::tuple<int, int, double>, std::uint32_t> transferSegments_;      ///< by stages and bytes
    std::map<std::pair<std::uint32_t, double>, std::uint32_t> slow_;              ///< segments of slow lanes, by segment and slowdown
    std::map<double, std::vector<TimedOperator>> slowOperators_;                  ///< of pieces, by slowdown
    std::size_t pieceSegments_ = 0, pieceOperators_ = 0;                          ///< what comes behind them was added by this class
    std::vector<Collective> collectives_;                                         ///< by segment; as far as they are collectives
    std::map<std::tuple<JobTraffic::Id, int, double>, TransferId> transfers_;
    std::map<std::pair<int, std::uint32_t>, Expansion> expansions_; ///< by lane and segment: how it ran first
    std::vector<std::vector<TransferId>> tensorTransfers_;          ///< by lane and operator, as far as there are any
    std::vector<std::vector<TaskId>> joints_;                       ///< by stage: its collectives in order, when it has several lanes
    std::vector<std::size_t> joined_;                               ///< by lane: how many of them it has joined
    std::vector<StreamId> jointStreams_;                            ///< by stage
    std::vector<std::uint64_t> drawn_;                              ///< by lane: random factors drawn so far
    std::uint32_t overhead_ = ~std::uint32_t{0};
};

} // namespace orrery
