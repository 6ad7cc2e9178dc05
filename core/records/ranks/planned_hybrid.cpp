// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/planned_hybrid.hpp"

#include "core/records/ranks/kernel_likeness.hpp"
#include "core/records/ranks/recorded_passes.hpp"
#include "core/records/ranks/simulated_job.hpp"
#include "core/records/ranks/task_reach.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Which class each rank is of.
std::vector<std::size_t> classesOfRanks(const PlannedRanks& ranks, const std::vector<RankClass>& classes) {
    std::vector<std::size_t> list(static_cast<std::size_t>(ranks.scenario().parallelism.ranks()), 0);
    for (std::size_t i = 0; i < classes.size(); ++i)
        for (const int rank : classes[i].ranks) list[static_cast<std::size_t>(rank)] = i;
    return list;
}

/// The classes of each lane's ranks, each once: tensor and context ranks of one lane may hold different experts.
std::vector<std::vector<std::size_t>> classesOfLanes(const PlannedRanks& ranks, const std::vector<std::size_t>& classOfRank) {
    std::vector<std::vector<std::size_t>> list(ranks.lanes());
    for (std::size_t lane = 0; lane < ranks.lanes(); ++lane)
        for (const int rank : ranks.ranksOf(static_cast<int>(lane)))
            if (const std::size_t own = classOfRank[static_cast<std::size_t>(rank)]; std::find(list[lane].begin(), list[lane].end(), own) == list[lane].end()) list[lane].push_back(own);
    return list;
}

/// The passes of all ranks, from records and by chance. Ranks of one lane are in step, so that each of its passes takes as long as its slowest rank's.
class DrawnPasses {
public:
    DrawnPasses(const PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<RankClass>& classes, const PlannedQuestion& question)
        : ranks_(ranks), records_(records), classOfRank_(classesOfRanks(ranks, classes)), classesOfLane_(classesOfLanes(ranks, classOfRank_)), means_(ranks, recordsOfClasses(classes, question)), recordsOf_(ranks.lanes()) {
        std::vector<ClassRecord> own;
        own.reserve(records.size());
        for (const auto& [rank, record] : records) own.push_back({classOf(rank), rank, &record});
        sigma = kernelSpread(ranks, own.empty() ? recordsOfClasses(classes, question) : own);
        for (const auto& [rank, record] : records) {
            const auto lane = static_cast<std::size_t>(ranks.laneOf(rank));
            recordsOf_[lane].push_back(rank);
            if (recordsOf_[lane].size() > 1) continue;
            const std::vector<TaskId>& passes = ranks.passes(static_cast<int>(lane));
            asRecorded.insert(asRecorded.end(), passes.begin(), passes.end());
        }
    }

    double sigma = 0;
    std::vector<TaskId> asRecorded; ///< passes that follow a record

    bool hasRecordOf(std::size_t ofClass) const { return means_.has(ofClass); }
    bool isRecorded(int lane) const { return !recordsOf_[static_cast<std::size_t>(lane)].empty(); }

    /// s, by task; below 0: no pass.
    std::vector<double> times(std::uint64_t seed, const std::vector<double>& factors) const {
        const KernelJitter jitter{sigma, seed};
        std::vector<double> times(ranks_.iteration().tasks.size(), -1);
        for (std::size_t lane = 0; lane < ranks_.lanes(); ++lane) {
            for (const int rank : recordsOf_[lane]) addRecorded(rank, factors, times);
            if (recordsOf_[lane].empty())
                for (const std::size_t ofClass : classesOfLane_[lane]) addDrawn(static_cast<int>(lane), ofClass, factors, jitter, times);
        }
        return times;
    }

private:
    std::size_t classOf(int rank) const { return classOfRank_[static_cast<std::size_t>(rank)]; }

    /// Those that a class takes after.
    std::vector<ClassRecord> recordsOfClasses(const std::vector<RankClass>& classes, const PlannedQuestion& question) const {
        std::vector<ClassRecord> list;
        for (const auto& [rank, record] : records_)
            if (!question.likeness.contains(classOf(rank))) list.push_back({classOf(rank), rank, &record});
        for (const auto& [ofClass, record] : question.likeness) list.push_back({ofClass, classes[ofClass].ranks.front(), &record});
        return list;
    }
    void addRecorded(int rank, const std::vector<double>& factors, std::vector<double>& times) const {
        const std::vector<TaskId>& passes = ranks_.passes(ranks_.laneOf(rank));
        const RecordedPasses& record = records_.at(rank);
        std::vector<double> scaled = record.passes;
        visitKernels(ranks_, rank, [&](std::size_t pass, const PlannedKernel& kernel, std::size_t at) { scaled[pass] += (factors[kernel.op] - 1) * record.kernels[at]; });
        for (std::size_t i = 0; i < passes.size(); ++i) times[passes[i]] = std::max({0.0, times[passes[i]], scaled[i]});
    }
    /// Kernels about their class's means.
    void addDrawn(int lane, std::size_t ofClass, const std::vector<double>& factors, const KernelJitter& jitter, std::vector<double>& times) const {
        std::uint64_t drawn = 0;
        for (const TaskId pass : ranks_.passes(lane)) {
            double seconds = ranks_.plannedTime(pass);
            for (const PlannedKernel& kernel : ranks_.kernels(pass))
                if (!kernel.collective) seconds += kernel.seconds * (means_.shareOf({ofClass, kernel.op}) * kernelFactor(jitter, lane, drawn++) * factors[kernel.op] - 1);
            times[pass] = std::max({0.0, times[pass], seconds});
        }
    }

    const PlannedRanks& ranks_;
    const std::map<int, RecordedPasses>& records_;
    const std::vector<std::size_t> classOfRank_;
    const std::vector<std::vector<std::size_t>> classesOfLane_;
    const KernelMeans means_;
    std::vector<std::vector<int>> recordsOf_; ///< by lane: its ranks that were recorded
};

/// The factors of kernels, one for each operator of the iteration.
std::vector<double> factorsOfOperators(const Iteration& iteration, const std::vector<ScaledKernels>& scaled) {
    std::vector<double> factors;
    factors.reserve(iteration.work.operators.size());
    for (const TimedOperator& timed : iteration.work.operators) factors.push_back(factorOf(timed.op.name, scaled));
    return factors;
}

/// The tasks of the iteration that run though others are held up; without those that nothing recorded needs where `prune` says so.
std::vector<bool> tasksToRun(const PlannedRanks& ranks, const DrawnPasses& passes, const Program& program, const std::vector<bool>& held, bool prune, LeftOut& leftOut) {
    std::vector<bool> runs = held;
    runs.flip();
    leftOut.lanes.assign(ranks.lanes(), false);
    if (!prune || passes.asRecorded.empty()) return runs;
    const std::vector<TaskInfo>& tasks = ranks.iteration().tasks;
    std::vector<TaskId> wanted;
    for (TaskId task = 0; task < program.taskCount(); ++task)
        if (runs[task] && task < tasks.size() && tasks[task].lane >= 0 && passes.isRecorded(tasks[task].lane)) wanted.push_back(task);
    std::vector<bool> needed = neededTasks(program, TaskReach(program), runs, wanted, ranks.linksOfTransfers());
    std::vector<bool> any(ranks.lanes(), false);
    for (TaskId task = 0; task < tasks.size(); ++task) {
        const int lane = tasks[task].lane;
        if (lane >= 0 && needed[task]) any[static_cast<std::size_t>(lane)] = true;
        if (!runs[task] || needed[task]) continue;
        ++leftOut.tasks;
        if (lane >= 0) leftOut.lanes[static_cast<std::size_t>(lane)] = true;
    }
    for (std::size_t lane = 0; lane < ranks.lanes(); ++lane)
        if (leftOut.lanes[lane] && !any[lane]) leftOut.ranks += ranks.ranksOf(static_cast<int>(lane)).size();
    return needed;
}

/// Turns what recorded passes took in the plain run into what they take alone: beside what a what-if moves they are slowed anew. `scaled` and `recorded`: s, by task.
std::vector<double> aloneTimes(const PlannedRanks& ranks, const std::vector<TaskId>& asRecorded, const TaskTimes& plain, std::vector<double> scaled, const std::vector<double>& recorded) {
    const Iteration& iteration = ranks.iteration();
    std::optional<PassPace> pace;
    int paced = -1;
    for (const TaskId pass : asRecorded) { // those of one lane follow each other
        if (const int lane = iteration.tasks[pass].lane; lane != paced) {
            pace.emplace(iteration.program, plain, static_cast<DeviceId>(lane));
            paced = lane;
        }
        if (recorded[pass] > 0) scaled[pass] *= pace->alone(pass) / recorded[pass];
    }
    return scaled;
}

/// Plays a program whose ranks come late or stop; `onTime`: its run without that. What hangs, and what was left out, is added to the hybrid.
std::optional<TaskTimes> playWhatIfs(PlannedRanks& ranks, const DrawnPasses& passes, const PlannedWhatIfs& whatIfs, bool prune, Program program, const TaskTimes& onTime, PlannedHybrid& hybrid, const RunControl& control) {
    whatIfs.delay(program, onTime);
    const std::vector<bool> held = whatIfs.heldUp(program, onTime);
    if (held.empty()) return ranks.run(program, control);
    hybrid.hang = whatIfs.hang(program, held, onTime);
    const ProgramPart part = partOf(program, tasksToRun(ranks, passes, program, held, prune, hybrid.leftOut));
    const auto run = ranks.run(part.program, control);
    if (!run) return std::nullopt;
    return part.whole(*run, ranks.iteration().tasks.size());
}

/// Whether a what-if changes anything at all: what is 0 s late or 1 times as long is not.
bool asksRanks(const RankWhatIfs& whatIfs) {
    return !whatIfs.stops.empty() || std::any_of(whatIfs.delays.begin(), whatIfs.delays.end(), [](const RankDelay& delay) { return delay.delay > 0; });
}

bool anyScaled(const std::vector<double>& factors) {
    return std::any_of(factors.begin(), factors.end(), [](double factor) { return factor < 1 || factor > 1; });
}

} // namespace

std::optional<PlannedHybrid> playPlannedHybrid(PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<RankClass>& classes, std::uint64_t seed, int draws, Problems& problems, const PlannedQuestion& question, const RunControl& control) {
    const DrawnPasses passes(ranks, records, classes, question);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (passes.hasRecordOf(i)) continue;
        problems.push_back(error("no-trace-for-rank", "/hybrid", "No rank of the class \"" + classes[i].name + "\" was recorded.").mend("Record one of its ranks (\"trace plan\" says which)."));
        return std::nullopt;
    }
    const Iteration& iteration = ranks.iteration();
    const std::vector<double> factors = factorsOfOperators(iteration, question.scaled), unscaled(factors.size(), 1);
    const bool scales = anyScaled(factors), asks = asksRanks(question.whatIfs);

    PlannedHybrid hybrid;
    hybrid.sigma = passes.sigma;
    std::optional<PlannedWhatIfs> whatIfs;
    for (int draw = 0; draw < draws; ++draw) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(draw);
        const std::vector<double> recorded = passes.times(own, unscaled);
        auto run = ranks.run(ranks.program(recorded, passes.asRecorded), control);
        if (!run) return std::nullopt;
        if (scales || asks) {
            Program program = ranks.program(aloneTimes(ranks, passes.asRecorded, *run, scales ? passes.times(own, factors) : recorded, recorded));
            if (asks && !whatIfs) whatIfs.emplace(ranks, question.whatIfs, *run);
            if (scales) run = ranks.run(program, control);
            if (run && asks) run = playWhatIfs(ranks, passes, *whatIfs, question.prune, std::move(program), *run, hybrid, control);
        }
        if (!run) return std::nullopt;
        run->start.resize(iteration.tasks.size());
        run->end.resize(iteration.tasks.size());
        hybrid.iterationTime += run->duration / draws;
        hybrid.draws.push_back(std::move(*run));
        if (hybrid.hang) break;
    }
    return hybrid;
}

} // namespace orrery
