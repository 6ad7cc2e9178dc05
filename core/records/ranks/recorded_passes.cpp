// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/recorded_passes.hpp"
#include "core/engine/interference.hpp"
#include "core/records/ranks/simulated_job.hpp"
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace orrery {

PassPace::PassPace(const Program& program, const TaskTimes& times, DeviceId device) : program_(program), times_(times) {
    if (!program.interferes()) return;
    std::vector<bool> here(program.streamCount(), false);
    for (const auto& [stream, place] : program.places())
        if (place == device) here[stream] = true;
    const auto slows = [&](LoadClass load) { return std::any_of(program.slowdowns().begin(), program.slowdowns().end(), [&](const Program::Slowdown& pair) { return pair.by == load && pair.factor > 1; }); };
    for (TaskId task = 0; task < program.taskCount(); ++task) {
        const Program::Load load = program.load(task);
        if (load.load == 0 || !here[program.taskStreams()[task]] || times.end[task] <= times.start[task] || !slows(load.load)) continue;
        beside_.push_back({times.start[task], times.end[task], load.load});
        moments_.insert(moments_.end(), {times.start[task], times.end[task]});
    }
    std::sort(beside_.begin(), beside_.end(), [](const Beside& a, const Beside& b) { return a.start < b.start; });
    std::sort(moments_.begin(), moments_.end());
    for (const Beside& one : beside_) latest_.push_back(latest_.empty() ? one.end : std::max(latest_.back(), one.end));
}

/// How many times as long the class takes between two moments at none of which anything begins or ends.
double PassPace::factorOver(LoadClass slowed, double start, double end) const {
    double most = 1;
    const auto after = std::lower_bound(beside_.begin(), beside_.end(), end, [](const Beside& one, double moment) { return one.start < moment; });
    for (auto i = static_cast<std::size_t>(after - beside_.begin()); i-- > 0 && latest_[i] > start;) {
        if (beside_[i].end <= start) continue;
        for (const Program::Slowdown& pair : program_.slowdowns())
            if (pair.slowed == slowed && pair.by == beside_[i].load) most = std::max(most, pair.factor);
    }
    return most;
}

double PassPace::next(double moment) const {
    const auto found = std::upper_bound(moments_.begin(), moments_.end(), moment);
    return found == moments_.end() ? std::numeric_limits<double>::infinity() : *found;
}

double PassPace::moment(TaskId pass, double alone) const {
    const Program::Load own = program_.load(pass);
    double at = times_.start[pass];
    if (own.load == 0 || own.weight <= 0) return at + alone;
    while (true) {
        const double until = next(at);
        const double slower = timesAsLong(own.weight, factorOver(own.load, at, until));
        if (at + alone * slower <= until) return at + alone * slower;
        alone -= (until - at) / slower;
        at = until;
    }
}

double PassPace::alone(TaskId pass) const {
    const Program::Load own = program_.load(pass);
    const double end = times_.end[pass];
    if (own.load == 0 || own.weight <= 0) return end - times_.start[pass];
    double seconds = 0;
    for (double at = times_.start[pass]; at < end;) {
        const double until = std::min(end, next(at));
        seconds += (until - at) / timesAsLong(own.weight, factorOver(own.load, at, until));
        at = until;
    }
    return seconds;
}

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

} // namespace orrery
