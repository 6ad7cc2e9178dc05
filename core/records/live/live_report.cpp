// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_report.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Ranks whose process ran more CPU time than their main thread by more than this have other threads at work, whose time the clock does not see.
constexpr double otherThreadsShare = 0.1;

Json rankDocument(const LiveSlice& slice, const LiveRankTimes* times) {
    std::uint64_t calls = 0, bytes = 0;
    for (const LiveSlice::Event& event : slice.events) {
        if (event.kind != LiveEvent::Kind::call) continue;
        ++calls;
        bytes += event.call.bytes;
    }
    Json groups = Json::array();
    for (const LiveSlice::Axis& axis : slice.axes) groups.push_back(axis.size);
    Json document{{"rank", slice.rank}, {"source", slice.recorded ? "recorded" : "real"}, {"groups", groups}, {"calls", calls}, {"bytes", bytes}, {"steps", slice.steps()}, {"peak_bytes", slice.peakBytes}, {"held_bytes", slice.heldBytes}};
    const auto place = slice.places.find(slice.peakPlace);
    document["peak_at"] = place == slice.places.end() ? Json() : Json(placeText(place->second));
    if (times != nullptr) {
        document["total_s"] = times->total;
        document["compute_s"] = times->compute;
        document["waiting_s"] = times->waiting;
        document["iteration_time_s"] = times->iteration ? Json(*times->iteration) : Json();
    }
    return document;
}

std::string bytesText(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

} // namespace

Json toDocument(const LiveAnswer& answer) {
    Json ranks = Json::array(), faults = Json::array(), remarks = Json::array();
    for (std::size_t i = 0; i < answer.slices.size(); ++i) ranks.push_back(rankDocument(answer.slices[i], i < answer.times.ranks.size() ? &answer.times.ranks[i] : nullptr));
    for (const LiveFault& fault : answer.faults) faults.push_back({{"code", fault.code}, {"message", fault.message}, {"ranks", fault.ranks}});
    for (const std::string& remark : answer.remarks) remarks.push_back(remark);
    for (const LiveSlice& slice : answer.slices) {
        if (slice.recorded || slice.threadTime <= 0) continue;
        const double share = static_cast<double>(slice.processTime) / static_cast<double>(slice.threadTime) - 1;
        if (share > otherThreadsShare) remarks.push_back("Rank " + std::to_string(slice.rank) + ": other threads took " + std::to_string(static_cast<int>(100 * share)) + " % more CPU time than the main one; the clock has only what the callers' threads took");
    }
    for (const std::string& difference : answer.times.differences) remarks.push_back(difference);
    if (answer.times.freePartners > 0) remarks.push_back(std::to_string(answer.times.freePartners) + " messages go to or come from ranks that no real and no recorded rank stands for: these are taken to be ready at once");
    Json stacks = Json::object();
    for (const auto& [rank, stack] : answer.stacks) stacks[std::to_string(rank)] = stack;
    return {{"format", "orrery-live/1"}, {"world_size", answer.world}, {"network", answer.network.empty() ? Json() : Json(answer.network)}, {"compute_scale", answer.computeScale}, {"ranks", ranks}, {"faults", faults}, {"stacks", stacks}, {"remarks", remarks}};
}

std::vector<std::string> changesBetween(const LiveAnswer& first, const LiveAnswer& last) {
    std::vector<std::string> changes;
    for (const LiveSlice& a : first.slices) {
        const auto b = std::find_if(last.slices.begin(), last.slices.end(), [&](const LiveSlice& slice) { return slice.rank == a.rank && !slice.recorded; });
        if (a.recorded || b == last.slices.end()) continue;
        const std::string of = "Rank " + std::to_string(a.rank) + ": ";
        for (std::size_t axis = 0; axis < std::min(a.axes.size(), b->axes.size()); ++axis)
            if (a.axes[axis].size != b->axes[axis].size) changes.push_back(of + "its group " + std::to_string(axis) + " has " + std::to_string(b->axes[axis].size) + " ranks instead of " + std::to_string(a.axes[axis].size));
        if (a.axes.size() != b->axes.size()) changes.push_back(of + "it is in " + std::to_string(b->axes.size()) + " groups instead of " + std::to_string(a.axes.size()));
        const SliceDifference difference = compareSlices(a, *b);
        for (const std::string& size : difference.sizes) changes.push_back(of + "another size: " + size);
        if (!difference.first.empty()) changes.push_back(of + difference.first);
        if (a.peakBytes != b->peakBytes) changes.push_back(of + "peak memory is " + bytesText(b->peakBytes) + " instead of " + bytesText(a.peakBytes));
    }
    return changes;
}

Json toTrace(const LiveAnswer& answer) {
    Json events = Json::array();
    for (std::size_t i = 0; i < answer.slices.size() && i < answer.times.ranks.size(); ++i) {
        const LiveSlice& slice = answer.slices[i];
        const LiveRankTimes& times = answer.times.ranks[i];
        events.push_back({{"ph", "M"}, {"pid", slice.rank}, {"name", "process_name"}, {"args", {{"name", "rank " + std::to_string(slice.rank) + (slice.recorded ? " (recorded)" : " (real)")}}}});
        double begin = 0;
        for (const LiveRankTimes::Call& call : times.calls) {
            if (call.event >= slice.events.size()) break; // a repeated step of a record
            const LiveSlice::Event& event = slice.events[call.event];
            if (call.called > begin) events.push_back({{"ph", "X"}, {"pid", slice.rank}, {"tid", 0}, {"ts", begin * 1e6}, {"dur", (call.called - begin) * 1e6}, {"name", "program"}, {"cat", "cpu_op"}});
            begin = event.call.synchronous != 0 ? std::max(call.called, call.ended) : call.called;
            const auto place = slice.places.find(event.call.place);
            events.push_back({{"ph", "X"}, {"pid", slice.rank}, {"tid", 1 + event.axis}, {"ts", call.called * 1e6}, {"dur", std::max(0.0, call.ended - call.called) * 1e6}, {"name", wordOf(event.call.kind)}, {"cat", "communication"}, {"args", {{"bytes", event.call.bytes}, {"line", place == slice.places.end() ? "" : placeText(place->second)}}}});
        }
    }
    return {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
}

} // namespace orrery
