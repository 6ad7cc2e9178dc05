// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/records/traces/trace_figures.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace orrery {
namespace {

Json orNull(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(); }
Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// Kernels of communication by start; equal starts in the file's order.
std::vector<Interval> communicationOf(const KinetoTrace& trace) {
    std::vector<Interval> all;
    for (const DeviceEvent& event : trace.device)
        if (event.communication) all.push_back(event.when);
    std::stable_sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    return all;
}

Json collectiveFigure(std::size_t index, const std::vector<std::pair<std::int64_t, Interval>>& members) {
    Interval first = members.front().second, last = first;
    std::int64_t shortest = first.end - first.start, longest = shortest, latest = members.front().first;
    for (const auto& [rank, when] : members) {
        first.start = std::min(first.start, when.start);
        first.end = std::min(first.end, when.end);
        if (when.start > last.start) latest = rank;
        last.start = std::max(last.start, when.start);
        last.end = std::max(last.end, when.end);
        shortest = std::min(shortest, when.end - when.start);
        longest = std::max(longest, when.end - when.start);
    }
    return {{"index", index}, {"arrival_skew_us", microsecondsJson(last.start - first.start)}, {"end_skew_us", microsecondsJson(last.end - first.end)}, {"shortest_us", microsecondsJson(shortest)}, {"longest_us", microsecondsJson(longest)}, {"last_to_arrive", latest}};
}

} // namespace

Json kinetoFigures(const KinetoTrace& trace) {
    std::vector<Interval> kernels, communication, computation, all;
    std::int64_t copies = 0, sets = 0, sum = 0;
    std::set<std::uint32_t> kernelStreams, deviceStreams;
    std::map<std::string, std::int64_t> perStream;
    for (const DeviceEvent& event : trace.device) {
        all.push_back(event.when);
        deviceStreams.insert(event.stream);
        if (event.work == DeviceWork::copy) ++copies;
        if (event.work == DeviceWork::set) ++sets;
        if (event.work != DeviceWork::kernel) continue;
        kernels.push_back(event.when);
        (event.communication ? communication : computation).push_back(event.when);
        kernelStreams.insert(event.stream);
        ++perStream[trace.streams[event.stream].second];
        sum += event.when.end - event.when.start;
    }
    const std::int64_t busy = coveredBy(kernels), compute = coveredBy(computation), communicating = coveredBy(communication);
    Json streams = Json::object();
    for (const auto& [stream, count] : perStream) streams[stream] = count;
    return {{"kind", "kineto"},
            {"device", orNull(trace.deviceName)},
            {"backend", orNull(trace.backend)},
            {"rank", orNull(trace.rank)},
            {"world_size", orNull(trace.worldSize)},
            {"process_groups", orNull(trace.processGroups)},
            {"events", trace.events},
            {"complete_events", trace.completeEvents},
            {"cpu_ops", trace.hostOperators},
            {"flow_starts", trace.flowStarts},
            {"kernels", kernels.size()},
            {"comm_kernels", communication.size()},
            {"memcpys", copies},
            {"memsets", sets},
            {"kernel_streams", kernelStreams.size()},
            {"device_streams", deviceStreams.size()},
            {"kernels_per_stream", std::move(streams)},
            {"gpu_span_us", microsecondsJson(spanOf(kernels))},
            {"device_span_us", microsecondsJson(spanOf(all))},
            {"busy_us", microsecondsJson(busy)},
            {"compute_union_us", microsecondsJson(compute)},
            {"comm_union_us", microsecondsJson(communicating)},
            {"overlapped_us", microsecondsJson(compute + communicating - busy)},
            {"exposed_comm_us", microsecondsJson(busy - compute)},
            {"kernel_time_sum_us", microsecondsJson(sum)},
            {"memory_events", trace.memoryEvents},
            {"profiler_steps", trace.profilerSteps}};
}

std::optional<Json> collectiveFigures(const std::vector<KinetoTrace>& ranks) {
    std::map<std::int64_t, std::vector<Interval>> byRank;
    for (const KinetoTrace& trace : ranks)
        if (!trace.rank || !byRank.emplace(*trace.rank, communicationOf(trace)).second) return std::nullopt;
    if (byRank.size() < 2) return std::nullopt;
    const std::size_t count = byRank.begin()->second.size();
    const bool alike = std::all_of(byRank.begin(), byRank.end(), [&](const auto& rank) { return rank.second.size() == count; });
    if (!alike || count == 0) return std::nullopt;
    Json collectives = Json::array();
    std::int64_t firstArrival = std::numeric_limits<std::int64_t>::max(), lastEnd = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::pair<std::int64_t, Interval>> members;
        members.reserve(byRank.size());
        for (const auto& [rank, kernels] : byRank) members.emplace_back(rank, kernels[i]);
        collectives.push_back(collectiveFigure(i, members));
        for (const auto& [rank, when] : members) {
            if (i == 0) firstArrival = std::min(firstArrival, when.start);
            lastEnd = std::max(lastEnd, when.end);
        }
    }
    return Json{{"ranks", byRank.size()}, {"collectives", std::move(collectives)}, {"first_arrival_to_last_end_us", microsecondsJson(lastEnd - firstArrival)}};
}

} // namespace orrery
