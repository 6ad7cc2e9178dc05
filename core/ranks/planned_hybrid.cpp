// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/planned_hybrid.hpp"

#include "core/ranks/simulated_job.hpp"
#include "core/scenario_document/problem_builder.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

Problem unlikePlan(const std::string& fileName, std::string message) {
    Problem problem;
    problem.code = "unlike-plan";
    problem.file = fileName;
    problem.message = std::move(message);
    problem.mend = "Give a record of this plan, or leave the model and workload out: then the records are replayed by themselves.";
    return problem;
}

std::vector<const DeviceEvent*> computeKernels(const KinetoTrace& trace) {
    std::vector<const DeviceEvent*> kernels;
    for (const DeviceEvent& event : trace.device)
        if (event.work == DeviceWork::kernel && !event.communication) kernels.push_back(&event);
    std::stable_sort(kernels.begin(), kernels.end(), [](const DeviceEvent* a, const DeviceEvent* b) { return a->when.start < b->when.start; });
    return kernels;
}

/// Seconds of a kind of kernel in a class: its records' mean.
struct Kind {
    double sum = 0;
    double count = 0;
    double mean() const { return sum / count; }
};
using Kinds = std::map<std::pair<std::size_t, std::uint32_t>, Kind>; ///< by class and operator

class KernelKinds {
public:
    KernelKinds(const PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<std::size_t>& classOf) {
        for (const auto& [rank, record] : records) {
            const std::size_t own = classOf[static_cast<std::size_t>(rank)];
            visit(ranks, rank, record, [&](std::uint32_t op, double seconds) {
                Kind& kind = kinds_[{own, op}];
                kind.sum += seconds;
                ++kind.count;
            });
        }
        double squares = 0, freedom = 0;
        for (const auto& [rank, record] : records) {
            const std::size_t own = classOf[static_cast<std::size_t>(rank)];
            visit(ranks, rank, record, [&](std::uint32_t op, double seconds) {
                const Kind& kind = kinds_.at({own, op});
                if (seconds <= leastSeconds || kind.count < 2) return;
                const double away = std::log(seconds / kind.mean());
                squares += away * away;
                freedom += 1 - 1 / kind.count;
            });
        }
        if (freedom > 0) sigma_ = std::sqrt(squares / freedom);
    }
    const Kind* find(std::size_t inClass, std::uint32_t op) const {
        const auto found = kinds_.find({inClass, op});
        return found == kinds_.end() ? nullptr : &found->second;
    }
    double sigma() const { return sigma_; }

private:
    static constexpr double leastSeconds = 1e-6; ///< shorter ones vary by the clock's nanosecond

    template <typename Visit>
    static void visit(const PlannedRanks& ranks, int rank, const RecordedPasses& record, Visit&& visitor) {
        std::size_t at = 0;
        for (const TaskId pass : ranks.passes(ranks.laneOf(rank)))
            for (const PlannedKernel& kernel : ranks.kernels(pass))
                if (!kernel.collective) visitor(kernel.op, record.kernels[at++]);
    }
    Kinds kinds_;
    double sigma_ = 0;
};

} // namespace

std::optional<RecordedPasses> passesIn(const KinetoTrace& trace, const PlannedRanks& ranks, int rank, const std::string& fileName, Problems& problems) {
    const std::vector<const DeviceEvent*> kernels = computeKernels(trace);
    RecordedPasses record;
    std::size_t at = 0;
    for (const TaskId pass : ranks.passes(ranks.laneOf(rank))) {
        double seconds = ranks.plannedTime(pass);
        for (const PlannedKernel& planned : ranks.kernels(pass)) {
            if (planned.collective) continue;
            const std::string& name = ranks.iteration().work.operators[planned.op].op.name;
            if (at >= kernels.size() || trace.names[kernels[at]->name] != name) {
                problems.push_back(unlikePlan(fileName, "Kernel " + std::to_string(at) + " of \"" + fileName + "\" is " + (at < kernels.size() ? "\"" + trace.names[kernels[at]->name] + "\"" : "missing") + ", and the plan has \"" + name + "\" there."));
                return std::nullopt;
            }
            const double lasted = static_cast<double>(kernels[at]->when.end - kernels[at]->when.start) / 1e9;
            record.kernels.push_back(lasted);
            seconds += lasted - planned.seconds;
            ++at;
        }
        record.passes.push_back(std::max(0.0, seconds));
    }
    if (at == kernels.size()) return record;
    problems.push_back(unlikePlan(fileName, "\"" + fileName + "\" has " + std::to_string(kernels.size()) + " kernels beside communication, the plan's rank " + std::to_string(rank) + " has " + std::to_string(at) + "."));
    return std::nullopt;
}

std::optional<PlannedHybrid> playPlannedHybrid(PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<RankClass>& classes, std::uint64_t seed, int draws, Problems& problems, const RunControl& control) {
    std::vector<std::size_t> classOf(static_cast<std::size_t>(ranks.scenario().parallelism.ranks()), 0);
    for (std::size_t i = 0; i < classes.size(); ++i)
        for (const int rank : classes[i].ranks) classOf[static_cast<std::size_t>(rank)] = i;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const bool recorded = std::any_of(records.begin(), records.end(), [&](const auto& record) { return classOf[static_cast<std::size_t>(record.first)] == i; });
        if (recorded) continue;
        problems.push_back(error("no-trace-for-rank", "/hybrid", "No rank of the class \"" + classes[i].name + "\" was recorded.").mend("Record one of its ranks (\"trace plan\" says which)."));
        return std::nullopt;
    }
    const KernelKinds kinds(ranks, records, classOf);
    std::vector<int> recordOf(ranks.lanes(), -1); // a rank whose record the lane follows
    for (const auto& [rank, record] : records)
        if (recordOf[static_cast<std::size_t>(ranks.laneOf(rank))] < 0) recordOf[static_cast<std::size_t>(ranks.laneOf(rank))] = rank;
    std::vector<std::size_t> classOfLane(ranks.lanes(), 0);
    for (std::size_t rank = classOf.size(); rank-- > 0;) classOfLane[static_cast<std::size_t>(ranks.laneOf(static_cast<int>(rank)))] = classOf[rank];

    PlannedHybrid hybrid;
    hybrid.sigma = kinds.sigma();
    for (int draw = 0; draw < draws; ++draw) {
        const KernelJitter jitter{kinds.sigma(), seed + static_cast<std::uint64_t>(draw)};
        std::vector<double> times(ranks.iteration().tasks.size(), -1);
        for (std::size_t lane = 0; lane < ranks.lanes(); ++lane) {
            const std::vector<TaskId>& passes = ranks.passes(static_cast<int>(lane));
            std::uint64_t kernel = 0;
            for (std::size_t i = 0; i < passes.size(); ++i) {
                if (recordOf[lane] >= 0) {
                    times[passes[i]] = records.at(recordOf[lane]).passes[i];
                    continue;
                }
                double seconds = ranks.plannedTime(passes[i]);
                for (const PlannedKernel& planned : ranks.kernels(passes[i])) {
                    if (planned.collective) continue;
                    const Kind* kind = kinds.find(classOfLane[lane], planned.op);
                    const double factor = kernelFactor(jitter, static_cast<int>(lane), kernel++);
                    seconds += (kind != nullptr ? kind->mean() : planned.seconds) * factor - planned.seconds;
                }
                times[passes[i]] = std::max(0.0, seconds);
            }
        }
        auto run = ranks.run(times, false, control);
        if (!run) return std::nullopt;
        hybrid.iterationTime += run->duration / draws;
        hybrid.draws.push_back(std::move(*run));
    }
    return hybrid;
}

} // namespace orrery
