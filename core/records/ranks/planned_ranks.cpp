// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/planned_ranks.hpp"

#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/training/cost/operator_cost.hpp"
#include "core/training/plan/lanes.hpp"
#include "core/training/rank_work/rank_work.hpp"

#include <algorithm>
#include <set>

namespace orrery {
namespace {

bool canBePlanned(const Scenario& scenario, Problems& problems) {
    if (!scenario.isTraining() || scenario.recorded() != nullptr) {
        problems.push_back(error("no-planned-training", "/workload", "Only ranks of a training that is planned from a model can be played one by one.").mend("Give a model and a workload of kind \"training\"."));
        return false;
    }
    if (scenario.execution.recompute == RecomputeKind::automatic) {
        problems.push_back(error("recompute-not-chosen", "/execution/recompute", "Recomputation is left to choose, and ranks that are played one by one need it chosen.").mend("Give the choice that \"simulate\" lists as assumed, such as \"full\".").edit("/execution/recompute", "full"));
        return false;
    }
    return true;
}

std::vector<int> groupWith(int rank, std::vector<std::vector<int>> groups) {
    for (std::vector<int>& group : groups)
        if (std::find(group.begin(), group.end(), rank) != group.end()) return std::move(group);
    return {rank};
}

} // namespace

PlannedRanks::PlannedRanks(const Scenario& scenario, Problems& problems) : scenario_(scenario) {
    if (!canBePlanned(scenario_, problems)) return;
    scenario_.execution.jitter = {}; // what varies is said by the times of passes
    scenario_.jitter = {};
    traffic_ = std::make_unique<JobTraffic>(scenario_);
    const RankWork work = makeRankWork(scenario_, scenario_.execution.recompute, costModelOf(scenario_), *traffic_);
    const Iteration plain = buildIteration(scenario_, work, *traffic_, LaneMap(scenario_.parallelism.pipeline, scenario_.parallelism.data));
    const Problems unreachable = traffic_->unreachable();
    problems.insert(problems.end(), unreachable.begin(), unreachable.end());
    if (!unreachable.empty()) return;
    std::vector<JobTraffic::Id> used;
    for (const TransferUse& use : plain.transfers) used.push_back(use.patterns);
    symmetry_ = std::make_unique<JobSymmetry>(scenario_, *traffic_, used, Folding::none);
    iteration_ = buildIteration(scenario_, work, *traffic_, symmetry_->lanes());

    const std::vector<Lane>& lanes = iteration_.lanes.lanes();
    passes_.resize(lanes.size());
    for (TaskId task = 0; task < iteration_.tasks.size(); ++task) {
        const TaskInfo& info = iteration_.tasks[task];
        if (info.lane >= 0 && info.role == TaskRole::work && info.stream == StreamKind::compute && !iteration_.work.segments[info.segment].entries.empty()) passes_[static_cast<std::size_t>(info.lane)].push_back(task);
    }
    receives_.resize(lanes.size());
    jointOf_.assign(iteration_.tasks.size(), noTask);
    for (const auto& [before, after] : iteration_.program.edges()) {
        const TaskInfo &source = iteration_.tasks[before], &target = iteration_.tasks[after];
        if (source.role == TaskRole::joint && target.role == TaskRole::depart) jointOf_[after] = before;
        const bool isSend = source.stream == TrainingStream::pipeline && source.role == TaskRole::work && iteration_.program.transfers()[before] != noTransfer;
        if (isSend && target.lane >= 0 && target.lane != source.lane) receives_[static_cast<std::size_t>(target.lane)].push_back(before);
    }
    for (std::vector<TaskId>& list : receives_) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    const Parallelism& plan = scenario_.parallelism;
    const RankGrid grid(plan);
    laneOfRank_.assign(static_cast<std::size_t>(plan.ranks()), 0);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        for (int context = 0; context < plan.context; ++context)
            for (int tensor = 0; tensor < plan.tensor; ++tensor) laneOfRank_[static_cast<std::size_t>(grid.rank(tensor, context, lanes[lane].cell, lanes[lane].stage))] = static_cast<int>(lane);
    ranksOfLane_.resize(lanes.size());
    for (int rank = 0; rank < plan.ranks(); ++rank) ranksOfLane_[static_cast<std::size_t>(laneOf(rank))].push_back(rank);
}

std::vector<PlannedKernel> PlannedRanks::kernels(TaskId pass) const {
    std::vector<PlannedKernel> list;
    double end = 0;
    for (const SegmentEntry& entry : iteration_.work.segments[iteration_.tasks[pass].segment].entries) {
        list.push_back({entry.op, entry.end - entry.start, entry.start - end, entry.stream != StreamKind::compute});
        end = entry.end;
    }
    return list;
}

double PlannedRanks::plannedTime(TaskId pass) const { return iteration_.program.durations()[pass]; }

std::vector<int> PlannedRanks::groupOf(TransferId transfer, int rank) const {
    const TransferUse& use = iteration_.transfers[transfer];
    return groupWith(rank, traffic_->groupsOf(traffic_->at(use.patterns).kind, use.cell));
}

std::vector<int> PlannedRanks::groupOf(const Operator& op, int lane, int rank) const {
    const Lane& own = iteration_.lanes.lane(lane);
    if (op.group == RankGroup::none) return {rank};
    return groupWith(rank, traffic_->groupsOf({op.group, op.collective, own.stage, own.stage}, own.cell));
}

TaskId PlannedRanks::transferOf(TaskId task) const { return iteration_.program.transfers()[task] != noTransfer ? task : jointOf_[task]; }

std::vector<std::vector<FlowLink>> PlannedRanks::linksOfTransfers() const {
    std::vector<std::vector<FlowLink>> links;
    for (const TransferUse& use : iteration_.transfers) {
        std::set<FlowLink> used;
        for (const PatternPhase& phase : traffic_->pattern(use.patterns, use.cell).phases)
            for (const PatternFlows& flows : phase.flows)
                for (const FlowUse& one : flows.uses) used.insert(one.link);
        links.emplace_back(used.begin(), used.end());
    }
    return links;
}

Program PlannedRanks::program(const std::vector<double>& times, const std::vector<TaskId>& asRecorded) const {
    Program program = iteration_.program;
    for (const TaskId task : asRecorded)
        if (const Program::Load load = program.load(task); load.load != 0) program.setLoad(task, load.load, 0);
    for (TaskId task = 0; task < times.size(); ++task)
        if (times[task] >= 0) program.setDuration(task, times[task]);
    return program;
}

std::optional<TaskTimes> PlannedRanks::run(const Program& program, const RunControl& control) {
    const std::unique_ptr<TransferModel> transfers = symmetry_->model(iteration_.transfers);
    return runProgram(program, control, transfers.get());
}

} // namespace orrery
