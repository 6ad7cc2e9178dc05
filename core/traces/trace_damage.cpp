// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/traces/trace_damage.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace orrery {
namespace {

constexpr std::int64_t jump = 3'600'000'000'000; ///< ns: no step of a training takes an hour

void warn(std::string code, const std::string& fileName, std::string message, std::string mend, Problems& problems) {
    problems.push_back(traceFault(std::move(code), fileName, std::move(message), std::move(mend)));
    problems.back().severity = Severity::warning;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) { return std::to_string(count) + " " + std::string(count == 1 ? one : many); }

/// The latest moment before the first jump of the device's clock, and the earliest after it.
std::optional<Interval> jumpOf(const KinetoTrace& trace) {
    std::vector<Interval> order;
    order.reserve(trace.device.size());
    for (const DeviceEvent& event : trace.device) order.push_back(event.when);
    std::sort(order.begin(), order.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    std::int64_t end = order.empty() ? 0 : order.front().end;
    for (const Interval& when : order) {
        if (when.start - end > jump) return Interval{end, when.start};
        end = std::max(end, when.end);
    }
    return std::nullopt;
}

std::string momentText(const KinetoTrace& trace, std::uint32_t name, const Interval& when) {
    constexpr std::size_t longest = 80;
    const std::string& text = trace.names[name];
    return "\"" + text.substr(0, longest) + (text.size() > longest ? "…" : "") + "\" at " + std::to_string(when.start / 1000) + " µs";
}

} // namespace

Problem traceFault(std::string code, const std::string& fileName, std::string message, std::string mend) {
    Problem problem;
    problem.code = std::move(code);
    problem.file = fileName;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

void warnOfDuplicates(const KinetoTrace& trace, const std::string& fileName, Problems& problems) {
    std::unordered_set<std::int64_t> seen;
    const HostCall* first = nullptr;
    std::int64_t shared = 0;
    for (const HostCall& call : trace.runtimeCalls)
        if (call.correlation > 0 && !seen.insert(call.correlation).second && shared++ == 0) first = &call;
    if (first != nullptr)
        warn("duplicate-ids", fileName, counted(shared, "call of the runtime has", "calls of the runtime have") + " the correlation of another, the first is " + momentText(trace, first->name, first->when) + " with " + std::to_string(first->correlation) + "; all are kept, and a kernel follows the last one before it.", "Give each process's trace by itself: merged files share their numbers.", problems);
    std::set<std::tuple<std::int64_t, std::int64_t, std::uint32_t, std::uint32_t>> events;
    const DeviceEvent* twice = nullptr;
    std::int64_t repeated = 0;
    for (const DeviceEvent& event : trace.device)
        if (event.when.end > event.when.start && !events.emplace(event.when.start, event.when.end, event.stream, event.name).second && repeated++ == 0) twice = &event;
    if (twice != nullptr)
        warn("duplicate-events", fileName, counted(repeated, "event of the device stands", "events of the device stand") + " twice, at the same time on the same stream, the first is " + momentText(trace, twice->name, twice->when) + "; all of them are counted.", "Give the file as the profiler wrote it, once.", problems);
}

void warnOfDamage(const KinetoTrace& trace, std::string_view unit, const std::string& fileName, Problems& problems) {
    const std::string first = "the first is " + std::string(unit) + " ";
    const std::string kept = std::to_string(trace.device.size()) + " events of the device and " + std::to_string(trace.runtimeCalls.size() + trace.operators.size()) + " of the host are kept";
    if (trace.unreadable.count > 0)
        warn("unreadable-times", fileName, counted(trace.unreadable.count, "event has a time", "events have times") + " that can't be read, " + first + std::to_string(trace.unreadable.first) + "; " + kept + ".", "Record again, or go on without these events.", problems);
    if (trace.negative.count > 0)
        warn("negative-durations", fileName, counted(trace.negative.count, "event lasts", "events last") + " less than 0, " + first + std::to_string(trace.negative.first) + "; they count as lasting 0, and " + kept + ".", "Record again, or go on with these events at 0.", problems);
}

void warnOfJump(const KinetoTrace& trace, const std::string& fileName, Problems& problems) {
    if (const auto gap = jumpOf(trace))
        warn("clock-jumps", fileName, "The device's clock jumps by " + std::to_string((gap->end - gap->start) / 1'000'000'000) + " s after " + std::to_string(gap->start / 1000) + " µs; all events are kept.", "Cut the trace where the clock jumps.", problems);
}

} // namespace orrery
