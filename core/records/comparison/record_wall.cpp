// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/comparison/record_wall.hpp"

#include <unordered_map>

namespace orrery {
namespace {

/// In which order the wall clock is given away.
int turnOf(const DeviceEvent& event) {
    if (event.work != DeviceWork::kernel) return 2;
    return event.communication ? 1 : 0;
}

using Launches = std::unordered_map<std::int64_t, std::int64_t>; // start of a launch by the number that its kernels have

Launches launchesOf(const KinetoTrace& trace) {
    Launches launches;
    launches.reserve(trace.runtimeCalls.size());
    for (const HostCall& call : trace.runtimeCalls)
        if (call.correlation >= 0) launches.emplace(call.correlation, call.when.start);
    return launches;
}

void addGap(std::vector<DeviceGap>& gaps, const KinetoTrace& trace, const Launches& launches, std::int64_t from, std::uint32_t next) {
    const DeviceEvent& event = trace.device[next];
    const std::int64_t length = event.when.start - from;
    const auto launch = event.correlation < 0 ? launches.end() : launches.find(event.correlation);
    if (launch == launches.end()) gaps.push_back({length, GapKind::unknown, next});
    else gaps.push_back({length, launch->second >= from ? GapKind::launch : GapKind::queued, next});
}

} // namespace

RecordWall wallOf(const KinetoTrace& trace, const std::vector<std::int64_t>& arrivals) {
    RecordWall wall;
    wall.charged.assign(trace.device.size(), 0);
    wall.waiting.assign(trace.device.size(), 0);
    if (trace.device.empty()) return wall;
    std::vector<Stretch<std::int64_t>> stretches;
    stretches.reserve(trace.device.size());
    for (const DeviceEvent& event : trace.device) stretches.push_back({event.when.start, event.when.end, turnOf(event)});
    const std::vector<std::uint32_t> order = placesByStart(stretches);
    shareWall(stretches, order, [&](std::uint32_t i, std::int64_t from, std::int64_t end, const TakenTime<std::int64_t>& before) {
        wall.charged[i] = before.freeIn(from, end);
        if (i < arrivals.size() && arrivals[i] != noArrival) wall.waiting[i] = before.freeIn(from, std::min(end, arrivals[i]));
    });

    const Launches launches = launchesOf(trace);
    wall.device.start = trace.device[order.front()].when.start;
    std::int64_t until = wall.device.start;
    for (const std::uint32_t i : order) {
        const Interval& when = trace.device[i].when;
        if (when.start > until) addGap(wall.gaps, trace, launches, until, i);
        until = std::max(until, when.end);
    }
    wall.device.end = until;
    return wall;
}

} // namespace orrery
