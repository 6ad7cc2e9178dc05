// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ranks/planned_hybrid.hpp"

#include "core/ranks/simulated_job.hpp"
#include "core/scenario_document/problem_builder.hpp"
#include "core/traces/trace_damage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

Problem unlikePlan(const std::string& fileName, std::string message) { return traceFault("unlike-plan", fileName, std::move(message), "Give a record of this plan, or leave the model and workload out: then the records are replayed by themselves."); }

Problem otherKernel(const std::string& fileName, std::size_t at, const std::string& found, const std::string& wanted) {
    return unlikePlan(fileName, "Kernel " + std::to_string(at) + " of \"" + fileName + "\" is " + (found.empty() ? "missing" : "\"" + found + "\"") + ", and the plan has \"" + wanted + "\" there.");
}

std::vector<const DeviceEvent*> computeKernels(const KinetoTrace& trace) {
    std::vector<const DeviceEvent*> kernels;
    for (const DeviceEvent& event : trace.device)
        if (event.work == DeviceWork::kernel && !event.communication) kernels.push_back(&event);
    std::stable_sort(kernels.begin(), kernels.end(), [](const DeviceEvent* a, const DeviceEvent* b) { return a->when.start < b->when.start; });
    return kernels;
}

/// Kernels of communication by name, each name's by start.
std::map<std::string, std::vector<Interval>> communicationByName(const KinetoTrace& trace) {
    std::map<std::string, std::vector<Interval>> byName;
    for (const DeviceEvent& event : trace.device)
        if (event.communication) byName[trace.names[event.name]].push_back(event.when);
    for (auto& [name, list] : byName) std::sort(list.begin(), list.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    return byName;
}

/// From the first of a pass's kernels that the record has to the end of the last, recorded and planned.
struct PassExtent {
    Interval recorded;
    double plannedStart = 0, plannedEnd = 0;
    bool any = false;
    void add(const Interval& when, double start, double end) {
        recorded = any ? Interval{std::min(recorded.start, when.start), std::max(recorded.end, when.end)} : when;
        plannedStart = any ? std::min(plannedStart, start) : start;
        plannedEnd = any ? std::max(plannedEnd, end) : end;
        any = true;
    }
    /// The whole pass, s: what stands before and after is stretched as what was recorded.
    double seconds(double planned) const { return plannedEnd > plannedStart ? planned * static_cast<double>(recorded.end - recorded.start) / 1e9 / (plannedEnd - plannedStart) : planned; }
};

/// Which class each lane is of.
std::vector<std::size_t> classesOfLanes(const PlannedRanks& ranks, const std::vector<RankClass>& classes) {
    std::vector<std::size_t> list(ranks.lanes(), 0);
    for (std::size_t i = classes.size(); i-- > 0;)
        for (const int rank : classes[i].ranks) list[static_cast<std::size_t>(ranks.laneOf(rank))] = i;
    return list;
}

using KernelKind = std::pair<std::size_t, std::uint32_t>; ///< class and operator

/// Visits the kernels of a record: which pass of the lane, the plan's kernel, and which of the record's.
template <typename Visit>
void visitKernels(const PlannedRanks& ranks, int rank, Visit&& visitor) {
    std::size_t at = 0, pass = 0;
    for (const TaskId task : ranks.passes(ranks.laneOf(rank))) {
        for (const PlannedKernel& kernel : ranks.kernels(task))
            if (!kernel.collective) visitor(pass, kernel, at++);
        ++pass;
    }
}

/// How far kernels of a kind lie from each other, without what stretches a pass as a whole (communication beside it): standard deviation of the logarithm.
class KernelSpread {
public:
    KernelSpread(const PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<std::size_t>& classOfLane) : ranks_(ranks), classOfLane_(classOfLane) {
        for (const auto& [rank, record] : records)
            visit(rank, record, [&](std::size_t, const KernelKind& kind, double seconds) {
                sums_[kind].first += std::log(seconds);
                sums_[kind].second += 1;
            });
        for (const auto& [rank, record] : records) addWithinPasses(rank, record);
    }
    double sigma() const { return freedom_ > 0 ? std::sqrt(squares_ / freedom_) : 0; }

private:
    static constexpr double leastSeconds = 1e-6; ///< shorter ones vary by the clock's nanosecond

    template <typename Visit>
    void visit(int rank, const RecordedPasses& record, Visit&& visitor) const {
        const std::size_t own = classOfLane_[static_cast<std::size_t>(ranks_.laneOf(rank))];
        visitKernels(ranks_, rank, [&](std::size_t pass, const PlannedKernel& kernel, std::size_t at) {
            if (record.kernels[at] > leastSeconds) visitor(pass, KernelKind{own, kernel.op}, record.kernels[at]);
        });
    }
    void addWithinPasses(int rank, const RecordedPasses& record) {
        std::vector<double> away;
        std::size_t current = 0;
        const auto close = [&] {
            if (away.size() > 1) {
                double mean = 0;
                for (const double one : away) mean += one / static_cast<double>(away.size());
                for (const double one : away) squares_ += (one - mean) * (one - mean);
                freedom_ += static_cast<double>(away.size()) - 1;
            }
            away.clear();
        };
        visit(rank, record, [&](std::size_t pass, const KernelKind& kind, double seconds) {
            if (pass != current) close();
            current = pass;
            const auto& [sum, count] = sums_.at(kind);
            if (count >= 2) away.push_back((std::log(seconds) - sum / count) * std::sqrt(count / (count - 1)));
        });
        close();
    }

    const PlannedRanks& ranks_;
    const std::vector<std::size_t>& classOfLane_;
    std::map<KernelKind, std::pair<double, double>> sums_; ///< of logarithms, and how many
    double squares_ = 0, freedom_ = 0;
};

/// What a class's kernels take alone, over what is planned, as its records show it where nothing ran beside them.
class KernelMeans {
public:
    KernelMeans(const PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<std::size_t>& classOfLane) {
        for (const auto& [rank, passes] : records) {
            const std::size_t own = classOfLane[static_cast<std::size_t>(ranks.laneOf(rank))];
            const RecordedPasses& record = passes;
            Sums& all = classes_[own];
            visitKernels(ranks, rank, [&](std::size_t, const PlannedKernel& kernel, std::size_t at) {
                if (record.beside[at] || kernel.seconds <= 0) return;
                for (Sums* sums : {&all, &kinds_[{own, kernel.op}]}) {
                    sums->recorded += record.kernels[at];
                    sums->planned += kernel.seconds;
                }
            });
        }
    }
    bool has(std::size_t ofClass) const { return classes_.contains(ofClass); }
    /// For a kind that always has something beside it: what the other kernels of the class show.
    double shareOf(const KernelKind& kind) const {
        const auto own = kinds_.find(kind);
        return own != kinds_.end() ? own->second.share() : classes_.at(kind.first).share();
    }

private:
    struct Sums {
        double recorded = 0, planned = 0;
        double share() const { return planned > 0 ? recorded / planned : 1; }
    };
    std::map<KernelKind, Sums> kinds_;
    std::map<std::size_t, Sums> classes_;
};

/// A pass that no rank recorded: its kernels about their class's means.
double drawnPassOf(const PlannedRanks& ranks, TaskId pass, const KernelMeans& means, std::size_t ofClass, const KernelJitter& jitter, int lane, std::uint64_t& kernel) {
    double seconds = ranks.plannedTime(pass);
    for (const PlannedKernel& one : ranks.kernels(pass))
        if (!one.collective) seconds += one.seconds * (means.shareOf({ofClass, one.op}) * kernelFactor(jitter, lane, kernel++) - 1);
    return std::max(0.0, seconds);
}

/// Which kernels ran while any of these did.
std::vector<bool> besideAny(const std::vector<Interval>& kernels, std::vector<Interval> others) {
    std::sort(others.begin(), others.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::vector<std::int64_t> latestEnd; // of those up to each
    latestEnd.reserve(others.size());
    for (const Interval& one : others) latestEnd.push_back(latestEnd.empty() ? one.end : std::max(latestEnd.back(), one.end));
    std::vector<bool> beside;
    for (const Interval& when : kernels) {
        const auto after = std::lower_bound(others.begin(), others.end(), when.end, [](const Interval& one, std::int64_t end) { return one.start < end; });
        beside.push_back(after != others.begin() && latestEnd[static_cast<std::size_t>(after - others.begin()) - 1] > when.start);
    }
    return beside;
}

} // namespace

std::optional<RecordedPasses> passesIn(const KinetoTrace& trace, const PlannedRanks& ranks, int rank, const std::string& fileName, Problems& problems) {
    const std::vector<const DeviceEvent*> kernels = computeKernels(trace);
    const std::map<std::string, std::vector<Interval>> communication = communicationByName(trace);
    std::map<std::string, std::size_t> taken;
    RecordedPasses record;
    std::vector<Interval> when;
    std::size_t at = 0;
    for (const TaskId pass : ranks.passes(ranks.laneOf(rank))) {
        PassExtent extent;
        double offset = 0;
        for (const PlannedKernel& planned : ranks.kernels(pass)) {
            const double start = offset + planned.before;
            offset = start + planned.seconds;
            const std::string& name = ranks.iteration().work.operators[planned.op].op.name;
            if (planned.collective) {
                const auto found = communication.find(communicationName(name));
                if (found != communication.end() && taken[found->first] < found->second.size()) extent.add(found->second[taken[found->first]++], start, offset);
                continue;
            }
            if (at >= kernels.size() || trace.names[kernels[at]->name] != name) {
                problems.push_back(otherKernel(fileName, at, at < kernels.size() ? trace.names[kernels[at]->name] : "", name));
                return std::nullopt;
            }
            when.push_back(kernels[at++]->when);
            record.kernels.push_back(static_cast<double>(when.back().end - when.back().start) / 1e9);
            extent.add(when.back(), start, offset);
        }
        record.passes.push_back(extent.seconds(ranks.plannedTime(pass)));
    }
    if (at == kernels.size()) {
        std::vector<Interval> outside; // communication that is in no pass
        for (const auto& [name, list] : communication) outside.insert(outside.end(), list.begin() + static_cast<std::ptrdiff_t>(taken[name]), list.end());
        record.beside = besideAny(when, std::move(outside));
        return record;
    }
    problems.push_back(unlikePlan(fileName, "\"" + fileName + "\" has " + std::to_string(kernels.size()) + " kernels beside communication, the plan's rank " + std::to_string(rank) + " has " + std::to_string(at) + "."));
    return std::nullopt;
}

std::optional<PlannedHybrid> playPlannedHybrid(PlannedRanks& ranks, const std::map<int, RecordedPasses>& records, const std::vector<RankClass>& classes, std::uint64_t seed, int draws, Problems& problems, const RunControl& control) {
    const std::vector<std::size_t> classOfLane = classesOfLanes(ranks, classes);
    const KernelMeans means(ranks, records, classOfLane);
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (means.has(i)) continue;
        problems.push_back(error("no-trace-for-rank", "/hybrid", "No rank of the class \"" + classes[i].name + "\" was recorded.").mend("Record one of its ranks (\"trace plan\" says which)."));
        return std::nullopt;
    }
    const double sigma = KernelSpread(ranks, records, classOfLane).sigma();
    std::vector<int> recordOf(ranks.lanes(), -1); // a rank whose record the lane follows
    std::vector<TaskId> asRecorded;
    for (const auto& [rank, record] : records) {
        const auto lane = static_cast<std::size_t>(ranks.laneOf(rank));
        if (recordOf[lane] >= 0) continue;
        recordOf[lane] = rank;
        const std::vector<TaskId>& passes = ranks.passes(static_cast<int>(lane));
        asRecorded.insert(asRecorded.end(), passes.begin(), passes.end());
    }

    PlannedHybrid hybrid;
    hybrid.sigma = sigma;
    for (int draw = 0; draw < draws; ++draw) {
        const KernelJitter jitter{sigma, seed + static_cast<std::uint64_t>(draw)};
        std::vector<double> times(ranks.iteration().tasks.size(), -1);
        for (std::size_t lane = 0; lane < ranks.lanes(); ++lane) {
            const std::vector<TaskId>& passes = ranks.passes(static_cast<int>(lane));
            std::uint64_t kernel = 0;
            for (std::size_t i = 0; i < passes.size(); ++i)
                times[passes[i]] = recordOf[lane] >= 0 ? records.at(recordOf[lane]).passes[i] : drawnPassOf(ranks, passes[i], means, classOfLane[lane], jitter, static_cast<int>(lane), kernel);
        }
        auto run = ranks.run(times, asRecorded, control);
        if (!run) return std::nullopt;
        hybrid.iterationTime += run->duration / draws;
        hybrid.draws.push_back(std::move(*run));
    }
    return hybrid;
}

} // namespace orrery
