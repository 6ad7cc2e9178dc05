// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/pass_pace.hpp"

#include "core/engine/interference.hpp"

#include <algorithm>
#include <limits>

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

} // namespace orrery
