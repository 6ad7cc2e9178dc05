// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/traces/trace_damage.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace orrery {
namespace {

constexpr std::int64_t jump = 3'600'000'000'000; ///< ns: no step of a training takes an hour

void warn(std::string code, const std::string& fileName, std::string message, std::string mend, Problems& problems) {
    Problem problem;
    problem.severity = Severity::warning;
    problem.code = std::move(code);
    problem.file = fileName;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problems.push_back(std::move(problem));
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

} // namespace

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
