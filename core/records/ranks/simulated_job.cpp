// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/simulated_job.hpp"

#include "core/base/json.hpp"
#include "core/engine/jitter_model.hpp"
#include "core/records/ranks/recorded_passes.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/results/iteration/assemble.hpp"
#include "core/results/report/timeline.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

namespace orrery {
namespace {

/// A pass with its kernels drawn: seconds of each, and of the whole.
struct DrawnPass {
    std::vector<double> kernels;
    double whole = 0;
};

DrawnPass drawnPass(const PlannedRanks& ranks, TaskId pass, const KernelJitter& jitter, int lane, std::uint64_t& kernel) {
    DrawnPass drawn;
    drawn.whole = ranks.plannedTime(pass);
    for (const PlannedKernel& planned : ranks.kernels(pass)) {
        const double seconds = planned.collective ? planned.seconds : planned.seconds * kernelFactor(jitter, lane, kernel++);
        drawn.kernels.push_back(seconds);
        drawn.whole += seconds - planned.seconds;
    }
    return drawn;
}

std::int64_t nanosecondsAt(double seconds) { return std::llround(seconds * 1e9); }

/// Events of Kineto's JSON, one a line.
class KinetoWriter {
public:
    explicit KinetoWriter(std::ostream& out) : out_(out) {}
    void begin(const std::string& head) { out_ << head; }
    void work(const std::string& name, const char* category, std::int64_t start, std::int64_t end, int stream, Json arguments = Json::object()) {
        arguments["device"] = 0;
        arguments["stream"] = stream;
        add({{"ph", "X"}, {"cat", category}, {"name", name}, {"pid", 0}, {"tid", stream}, {"ts", microsecondsJson(start)}, {"dur", microsecondsJson(end - start)}, {"args", std::move(arguments)}});
    }
    void memory(std::int64_t when, std::int64_t change, std::int64_t allocated, std::int64_t reserved) {
        constexpr int device = 1; // DeviceType::CUDA of PyTorch
        add({{"ph", "i"}, {"name", "[memory]"}, {"pid", 0}, {"tid", 0}, {"ts", microsecondsJson(when)}, {"args", {{"Bytes", change}, {"Addr", 0}, {"Total Allocated", allocated}, {"Total Reserved", reserved}, {"Device Type", device}, {"Device Id", 0}}}});
    }
    void end() { out_ << "\n]}\n"; }

private:
    void add(const Json& event) {
        out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, Json::error_handler_t::replace);
        first_ = false;
    }
    std::ostream& out_;
    bool first_ = true;
};

constexpr int computeStream = 7, withinStream = 20, receiveStream = 40; ///< receives: one for each stage that sends

const char* collectiveWord(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::all_reduce: return "allreduce";
    case CollectiveKind::all_gather: return "_allgather_base";
    case CollectiveKind::reduce_scatter: return "_reduce_scatter_base";
    case CollectiveKind::all_to_all: return "all_to_allv";
    case CollectiveKind::broadcast: return "broadcast";
    case CollectiveKind::send_receive: return "send";
    case CollectiveKind::none: break;
    }
    return "";
}

/// What PyTorch writes of who takes part, so that each collective is replayed with those of its group.
Json groupArguments(const Operator& op, const std::vector<int>& group) {
    Json arguments = {{"bytes", op.messageBytes}};
    if (group.size() < 2) return arguments;
    arguments["Collective name"] = collectiveWord(op.collective);
    if (op.collective == CollectiveKind::send_receive) {
        arguments["Src Rank"] = group.front();
        arguments["Dst Rank"] = group.back();
        return arguments;
    }
    std::string ranks;
    for (const int rank : group) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    arguments["Process Group Ranks"] = "[" + ranks + "]";
    arguments["Group size"] = group.size();
    return arguments;
}

void writeMemory(const StageTimeline& stage, double peak, KinetoWriter& writer) {
    double highest = 0;
    for (const MemorySample& sample : stage.memory) highest = std::max(highest, sample.activations + sample.temporary);
    // What the device reports beyond tensors (fragments, the framework) is there all the time.
    const double beside = peak - stage.staticBytes - highest;
    std::int64_t before = 0;
    for (const MemorySample& sample : stage.memory) {
        const std::int64_t allocated = std::llround(stage.staticBytes + sample.activations + sample.temporary);
        writer.memory(nanosecondsAt(sample.time), allocated - before, allocated, allocated + std::llround(beside));
        before = allocated;
    }
}

/// When each task ran, bars of joint collectives begun where their lane was ready.
double beginOf(const Iteration& iteration, const TaskTimes& times, TaskId task) { return iteration.tasks[task].role == TaskRole::depart && task > 0 ? times.end[task - 1] : times.start[task]; }

Timeline shownTimeline(const PlannedRanks& ranks, const TaskTimes& times) {
    TaskTimes bars = times;
    for (TaskId task = 0; task < bars.start.size(); ++task) bars.start[task] = beginOf(ranks.iteration(), times, task);
    return assembleTimeline(ranks.scenario(), ranks.iteration(), bars);
}

} // namespace

std::string communicationName(const std::string& operatorName) { return "ncclDevKernel (" + operatorName + ")"; }

double kernelFactor(const KernelJitter& jitter, int lane, std::uint64_t kernel) {
    if (jitter.sigma <= 0) return 1;
    return std::exp(jitter.sigma * normalDraw(jitter.seed, static_cast<std::uint64_t>(lane), 2 * kernel) - jitter.sigma * jitter.sigma / 2);
}

double SimulatedJob::peak() const { return peakBytes.empty() ? 0 : *std::max_element(peakBytes.begin(), peakBytes.end()); }

std::optional<SimulatedJob> simulateAllRanks(PlannedRanks& ranks, const KernelJitter& jitter, const RunControl& control) {
    SimulatedJob job;
    job.passTimes.assign(ranks.iteration().tasks.size(), -1);
    for (std::size_t lane = 0; lane < ranks.lanes(); ++lane) {
        std::uint64_t kernel = 0;
        for (const TaskId pass : ranks.passes(static_cast<int>(lane))) job.passTimes[pass] = drawnPass(ranks, pass, jitter, static_cast<int>(lane), kernel).whole;
    }
    auto times = ranks.run(job.passTimes, {}, control);
    if (!times) return std::nullopt;
    job.times = std::move(*times);
    Timeline timeline = shownTimeline(ranks, job.times);
    const MemoryReport memory = accountMemory(ranks.scenario(), ranks.iteration(), timeline);
    for (const StageMemory& stage : memory.stages) job.peakBytes.push_back(stage.peakBytes);
    return job;
}

void writeRankTrace(const PlannedRanks& ranks, const SimulatedJob& job, const KernelJitter& jitter, int rank, std::ostream& out) {
    const Iteration& iteration = ranks.iteration();
    const int lane = ranks.laneOf(rank);
    const auto stage = static_cast<std::size_t>(iteration.lanes.lane(lane).stage);
    KinetoWriter writer(out);
    const Json distributed{{"backend", "nccl"}, {"rank", rank}, {"world_size", ranks.scenario().parallelism.ranks()}};
    writer.begin(R"({"schemaVersion": 1, "madeBy": "Orrery, simulated", "distributedInfo": )" + distributed.dump() + R"(, "traceEvents": [)");
    // The iteration begins and ends with the host's work, in which the device idles; a mark of no length says when.
    writer.work("Memset (iteration begins)", "gpu_memset", 0, 0, computeStream);
    const PassPace pace(iteration.program, job.times, static_cast<DeviceId>(lane));
    std::uint64_t kernel = 0;
    for (const TaskId pass : ranks.passes(lane)) {
        const std::vector<PlannedKernel> planned = ranks.kernels(pass);
        const DrawnPass drawn = drawnPass(ranks, pass, jitter, lane, kernel);
        double alone = 0;
        for (std::size_t i = 0; i < planned.size(); ++i) {
            const double begin = alone + planned[i].before;
            alone = begin + drawn.kernels[i];
            const std::int64_t start = nanosecondsAt(pace.moment(pass, begin)), end = nanosecondsAt(pace.moment(pass, alone));
            const Operator& op = iteration.work.operators[planned[i].op].op;
            if (planned[i].collective) writer.work(communicationName(op.name), "kernel", start, end, withinStream, groupArguments(op, ranks.groupOf(op, lane, rank)));
            else writer.work(op.name, "kernel", start, end, computeStream);
        }
    }
    for (TaskId task = 0; task < iteration.tasks.size(); ++task) {
        const TaskInfo& info = iteration.tasks[task];
        const bool runs = info.role == TaskRole::work || info.role == TaskRole::depart;
        if (info.lane != lane || !runs || (info.stream != TrainingStream::pipeline && info.stream != TrainingStream::data)) continue;
        const std::vector<SegmentEntry>& entries = iteration.work.segments[info.segment].entries;
        if (entries.empty()) continue;
        const Operator& op = iteration.work.operators[entries.front().op].op;
        if (op.collective == CollectiveKind::none) continue;
        const TaskId transfer = ranks.transferOf(task);
        const std::vector<int> group = transfer == noTask ? std::vector<int>() : ranks.groupOf(iteration.program.transfers()[transfer], rank);
        writer.work(communicationName(op.name), "kernel", nanosecondsAt(beginOf(iteration, job.times, task)), nanosecondsAt(job.times.end[task]), withinStream + static_cast<int>(info.stream), groupArguments(op, group));
    }
    // A receiver's kernel is there as long as what it receives is on its way.
    for (const TaskId task : ranks.receives(lane)) {
        const TaskInfo& info = iteration.tasks[task];
        const std::vector<SegmentEntry>& entries = iteration.work.segments[info.segment].entries;
        if (entries.empty()) continue;
        const Operator& op = iteration.work.operators[entries.front().op].op;
        writer.work(communicationName(op.name), "kernel", nanosecondsAt(job.times.start[task]), nanosecondsAt(job.times.end[task]), receiveStream + info.stage, groupArguments(op, ranks.groupOf(iteration.program.transfers()[task], rank)));
    }
    const std::int64_t duration = nanosecondsAt(job.times.duration);
    writer.work("Memset (iteration ends)", "gpu_memset", duration, duration, computeStream);
    Timeline timeline = shownTimeline(ranks, job.times);
    accountMemory(ranks.scenario(), iteration, timeline);
    writeMemory(timeline.stages[stage], job.peakBytes[stage], writer);
    writer.end();
}

} // namespace orrery
