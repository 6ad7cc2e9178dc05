// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/planned_report.hpp"

#include "core/base/json.hpp"
#include "core/records/ranks/hybrid_run.hpp"
#include "core/training/plan/lanes.hpp"

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

/// The record whose memory a rank has: its own, or that which its class takes after.
const RankFile* memoryOf(int rank, std::size_t ofClass, const RankClass& one, const HybridFiles& files) {
    const auto hasMemory = [](const RankFile& file) { return file.memory || file.beyond; };
    if (const auto own = files.ranks.find(rank); own != files.ranks.end() && hasMemory(own->second)) return &own->second;
    if (const auto named = files.classes.find(ofClass); named != files.classes.end()) return hasMemory(named->second) ? &named->second : nullptr;
    for (const int other : one.ranks)
        if (const auto file = files.ranks.find(other); file != files.ranks.end() && hasMemory(file->second)) return &file->second;
    return nullptr;
}

Json beyondJson(const BeyondMemory& beyond) { return {{"event", beyond.event}, {"time_s", static_cast<double>(beyond.when) / 1e9}, {"bytes", beyond.bytes}, {"reserved_bytes", beyond.reserved}, {"operator", beyond.inOperator}}; }

Json hangJson(const PlannedHang& hang) { return {{"collective", hang.collective}, {"name", hang.name}, {"missing", hang.missing}, {"waiting", hang.waiting}, {"blocked", hang.blocked}}; }

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

Json plannedHybridDocument(const PlannedRanks& ranks, const PlannedHybrid& hybrid, const std::vector<RankClass>& classes, const HybridFiles& files) {
    const Scenario& scenario = ranks.scenario();
    const Iteration& iteration = ranks.iteration();
    const std::vector<LaneWaits> waits = waitsByLane(iteration, hybrid.draws.front());
    std::vector<double> moved(ranks.lanes());
    for (std::size_t lane = 0; lane < moved.size(); ++lane) moved[lane] = movedBytes(iteration, static_cast<int>(lane), scenario);
    std::map<int, Json> rows;
    double peak = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        for (const int rank : classes[i].ranks) {
            const auto lane = static_cast<std::size_t>(ranks.laneOf(rank));
            const bool isWhole = hybrid.leftOut.lanes.empty() || !hybrid.leftOut.lanes[lane];
            const auto own = files.ranks.find(rank);
            const auto like = files.classes.find(i);
            const Json file = own != files.ranks.end() ? Json(own->second.file) : like != files.classes.end() ? Json(like->second.file)
                                                                                                              : Json();
            const RankFile* memory = memoryOf(rank, i, classes[i], files);
            if (memory != nullptr && memory->memory) peak = std::max(peak, static_cast<double>(memory->memory->reserved));
            rows[rank] = {{"rank", rank}, {"class", classes[i].name}, {"source", own != files.ranks.end() ? "recorded" : "class"}, {"file", file}, {"waiting_s", isWhole ? Json(waits[lane].waiting) : Json()}, {"transit_s", isWhole ? Json(waits[lane].transit) : Json()}, {"moved_bytes", moved[lane]}, {"peak_bytes", memory != nullptr && memory->memory ? Json(memory->memory->reserved) : Json()}};
            if (files.asksMemory) rows[rank]["beyond_memory"] = memory != nullptr && memory->beyond ? beyondJson(*memory->beyond) : Json();
        }
    }
    Json list = Json::array(), outOfMemory;
    double total = 0;
    for (auto& [rank, row] : rows) {
        total += row["moved_bytes"].get<double>();
        if (files.asksMemory && outOfMemory.is_null() && !row["beyond_memory"].is_null()) {
            outOfMemory = row["beyond_memory"];
            outOfMemory["rank"] = rank;
        }
        list.push_back(std::move(row));
    }
    const bool fits = files.asksMemory ? outOfMemory.is_null() : peak <= scenario.cluster.accelerator.memoryBytes;
    Json document = {{"format", "orrery-result/1"}, {"kind", "training"}, {"name", scenario.name}, {"method", "hybrid replay from recorded traces, collectives re-timed on the cluster"}, {"iteration_time_s", hybrid.hang ? Json() : Json(hybrid.iterationTime)}, {"world_size", scenario.parallelism.ranks()}, {"moved_bytes", total}, {"extrapolated", false}, {"kernel_sigma", hybrid.sigma}, {"peak_bytes", peak > 0 ? Json(peak) : Json()}, {"fits", fits}, {"pruned", {{"tasks", hybrid.leftOut.tasks}, {"ranks", hybrid.leftOut.ranks}, {"iteration_time_of", hybrid.hang ? Json() : Json("all ranks")}}}, {"assumed", Json::array()}, {"warnings", Json::array()}, {"ranks", std::move(list)}};
    if (hybrid.hang) document["hang"] = hangJson(*hybrid.hang);
    if (!outOfMemory.is_null()) document["out_of_memory"] = std::move(outOfMemory);
    return document;
}

} // namespace orrery
