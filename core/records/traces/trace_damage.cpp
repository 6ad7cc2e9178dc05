// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/trace_damage.hpp"

#include <algorithm>
#include <limits>
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

void warnOfRepairs(const TextRepairs& repairs, std::size_t bytes, std::int64_t events, const std::string& fileName, Problems& problems) {
    std::string list;
    const auto add = [&](std::int64_t count, std::string_view one, std::string_view many) {
        if (count > 0) list += (list.empty() ? "" : ", ") + counted(count, one, many);
    };
    add(repairs.quotes, "quote within a text", "quotes within texts");
    add(repairs.backslashes, "backslash that begins no escape", "backslashes that begin no escapes");
    add(repairs.controls, "control character", "control characters");
    add(repairs.letters, "byte that is no UTF-8", "bytes that are no UTF-8");
    add(repairs.words, "value that is no number", "values that are no numbers");
    add(repairs.commas, "comma too many or missing", "commas too many or missing");
    if (repairs.total() > 0) {
        const std::string repaired = list.empty() ? "The trace is no sound JSON at byte " + std::to_string(repairs.first) : "The trace is no sound JSON: " + list + " were repaired, the first at byte " + std::to_string(repairs.first);
        warn("repaired-json", fileName, repaired + (repairs.leftOut > 0 ? "; " + counted(repairs.leftOut, "event", "events") + " could not be read and were left out." : "."), "Go on: the other events are whole.", problems);
    }
    if (repairs.cut) warn("cut-off", fileName, "The trace breaks off at byte " + std::to_string(repairs.cutAt) + " of " + std::to_string(bytes) + "; the " + counted(events, "event", "events") + " before are kept.", "Copy the file again, whole, or go on with what is there.", problems);
}

void dropUnsetTimes(KinetoTrace& trace, const std::string& fileName, Problems& problems) {
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    const auto see = [&](std::int64_t start) {
        if (start > 0) earliest = std::min(earliest, start);
    };
    for (const DeviceEvent& event : trace.device) see(event.when.start);
    for (const auto* calls : {&trace.runtimeCalls, &trace.operators})
        for (const HostCall& call : *calls) see(call.when.start);
    if (earliest == std::numeric_limits<std::int64_t>::max() || earliest < jump) return;
    std::int64_t dropped = 0;
    const auto isUnset = [](const auto& event) { return event.when.start == 0; };
    // What collectives say stays with the events that are kept.
    std::vector<std::uint32_t> deviceNow(trace.device.size()), operatorNow(trace.operators.size());
    const auto number = [&](const auto& events, std::vector<std::uint32_t>& now) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < events.size(); ++i) now[i] = isUnset(events[i]) ? CollectiveCall::noEvent : next++;
    };
    number(trace.device, deviceNow);
    number(trace.operators, operatorNow);
    std::erase_if(trace.collectiveCalls, [&](CollectiveCall& call) {
        const bool ofDevice = call.deviceEvent != CollectiveCall::noEvent, ofOperator = call.hostOperator != CollectiveCall::noEvent;
        if (ofDevice) call.deviceEvent = deviceNow[call.deviceEvent];
        if (ofOperator) call.hostOperator = operatorNow[call.hostOperator];
        return (ofDevice && call.deviceEvent == CollectiveCall::noEvent) || (ofOperator && call.hostOperator == CollectiveCall::noEvent) || (!ofDevice && isUnset(call));
    });
    dropped += static_cast<std::int64_t>(std::erase_if(trace.device, isUnset));
    dropped += static_cast<std::int64_t>(std::erase_if(trace.runtimeCalls, isUnset));
    dropped += static_cast<std::int64_t>(std::erase_if(trace.operators, isUnset));
    dropped += static_cast<std::int64_t>(std::erase_if(trace.memory, [](const MemoryEvent& event) { return event.when == 0; }));
    for (OtherEvent& event : trace.others)
        if (event.timed && isUnset(event)) {
            event.timed = event.lasting = false;
            event.when = {};
        }
    if (dropped > 0) warn("unset-times", fileName, counted(dropped, "event has the time 0", "events have the time 0") + ", while the others begin at " + std::to_string(earliest / 1000) + " µs; they are left out.", "Go on: the profiler never set these times.", problems);
}

void warnOfNothing(const KinetoTrace& trace, const std::string& fileName, Problems& problems) {
    if (!trace.device.empty() || !trace.operators.empty() || !trace.memory.empty() || trace.completeEvents == 0) return;
    warn("nothing-recognised", fileName, "Nothing was recognised: of " + counted(trace.completeEvents, "complete event", "complete events") + " none is known as a device's work or as an operator.", "Give a trace whose processes are named as devices, or whose events have the category \"kernel\" or name a device and a stream.", problems);
}

void warnOfJump(const KinetoTrace& trace, const std::string& fileName, Problems& problems) {
    if (const auto gap = jumpOf(trace))
        warn("clock-jumps", fileName, "The device's clock jumps by " + std::to_string((gap->end - gap->start) / 1'000'000'000) + " s after " + std::to_string(gap->start / 1000) + " µs; all events are kept.", "Cut the trace where the clock jumps.", problems);
}

} // namespace orrery
