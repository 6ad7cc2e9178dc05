// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/planned_report.hpp"

#include "core/base/json.hpp"
#include "core/plan/training_streams.hpp"
#include "core/ranks/moved_share.hpp"

#include <algorithm>

namespace orrery {
namespace {

double sizeOfGroup(RankGroup group, const Parallelism& plan) {
    switch (group) {
    case RankGroup::tensor: return plan.tensor;
    case RankGroup::context: return plan.context;
    case RankGroup::expert: return plan.expert;
    case RankGroup::expert_tensor: return plan.expertTensor;
    case RankGroup::expert_data: return static_cast<double>(plan.tensor) * plan.replicas() / (plan.expert * plan.expertTensor);
    case RankGroup::data: return plan.replicas();
    case RankGroup::shard: return plan.sharders();
    case RankGroup::replicate: return static_cast<double>(plan.replicas()) / plan.sharders();
    case RankGroup::pipeline:
    case RankGroup::embedding: return 2;
    case RankGroup::none: break;
    }
    return 1;
}

Json sourceOf(int rank, const std::map<int, RankFile>& files) { return files.contains(rank) ? "recorded" : "class"; }

} // namespace

std::vector<LaneWaits> waitsByLane(const Iteration& iteration, const TaskTimes& times) {
    std::vector<LaneWaits> waits(iteration.lanes.lanes().size());
    for (const auto& [before, after] : iteration.program.edges()) {
        const TaskInfo& info = iteration.tasks[after];
        if (iteration.tasks[before].role != TaskRole::joint || info.role != TaskRole::depart) continue;
        LaneWaits& lane = waits[static_cast<std::size_t>(info.lane)];
        lane.waiting += std::max(0.0, times.start[before] - times.end[after - 1]);
        lane.transit += times.end[before] - times.start[before];
    }
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        if (info.role == TaskRole::work && info.lane >= 0 && (info.stream == TrainingStream::pipeline || info.stream == TrainingStream::data))
            waits[static_cast<std::size_t>(info.lane)].transit += times.end[task] - times.start[task];
    }
    return waits;
}

double movedBytes(const Iteration& iteration, int lane, const Scenario& scenario) {
    double bytes = 0;
    for (const TaskInfo& info : iteration.tasks) {
        const bool runs = info.role == TaskRole::work || info.role == TaskRole::depart;
        if (info.lane != lane || !runs) continue;
        for (const SegmentEntry& entry : iteration.work.segments[info.segment].entries) {
            const Operator& op = iteration.work.operators[entry.op].op;
            bytes += movedShare(op.collective, sizeOfGroup(op.group, scenario.parallelism)) * op.messageBytes;
        }
    }
    return bytes;
}

Json plannedHybridDocument(const PlannedRanks& ranks, const PlannedHybrid& hybrid, const std::vector<RankClass>& classes, const std::map<int, RankFile>& files) {
    const Scenario& scenario = ranks.scenario();
    const Iteration& iteration = ranks.iteration();
    const std::vector<LaneWaits> waits = waitsByLane(iteration, hybrid.draws.front());
    std::vector<double> moved(ranks.lanes());
    for (std::size_t lane = 0; lane < moved.size(); ++lane) moved[lane] = movedBytes(iteration, static_cast<int>(lane), scenario);
    std::map<int, Json> rows;
    double peak = 0;
    for (const RankClass& one : classes) {
        Json classPeak; // of the first of the class that was recorded
        for (const int rank : one.ranks)
            if (const auto file = files.find(rank); file != files.end() && file->second.memory && classPeak.is_null()) classPeak = file->second.memory->reserved;
        if (!classPeak.is_null()) peak = std::max(peak, classPeak.get<double>());
        for (const int rank : one.ranks) {
            const auto lane = static_cast<std::size_t>(ranks.laneOf(rank));
            const auto file = files.find(rank);
            const bool own = file != files.end() && file->second.memory;
            rows[rank] = {{"rank", rank}, {"class", one.name}, {"source", sourceOf(rank, files)}, {"file", file != files.end() ? Json(file->second.file) : Json()}, {"waiting_s", waits[lane].waiting}, {"transit_s", waits[lane].transit}, {"moved_bytes", moved[lane]}, {"peak_bytes", own ? Json(file->second.memory->reserved) : classPeak}};
        }
    }
    Json list = Json::array();
    for (auto& [rank, row] : rows) list.push_back(std::move(row));
    double total = 0;
    for (const Json& row : list) total += row["moved_bytes"].get<double>();
    return {{"format", "orrery-result/1"}, {"kind", "training"}, {"name", scenario.name}, {"method", "hybrid replay from recorded traces, collectives re-timed on the cluster"}, {"iteration_time_s", hybrid.iterationTime}, {"world_size", scenario.parallelism.ranks()}, {"moved_bytes", total}, {"extrapolated", false}, {"kernel_sigma", hybrid.sigma}, {"peak_bytes", peak > 0 ? Json(peak) : Json()}, {"fits", peak <= scenario.cluster.accelerator.memoryBytes}, {"assumed", Json::array()}, {"warnings", Json::array()}, {"ranks", std::move(list)}};
}

} // namespace orrery
