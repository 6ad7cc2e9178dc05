// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/whole_steps.hpp"

#include <cstdint>
#include <limits>
#include <unordered_set>

namespace orrery {

std::vector<bool> launchedBefore(const KinetoTrace& trace) {
    std::unordered_set<std::int64_t> launches;
    for (const HostCall& call : trace.runtimeCalls)
        if (call.correlation >= 0) launches.insert(call.correlation);
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> first(trace.streams.size(), never); // start of the first launched one, by stream
    const auto isLaunched = [&](const DeviceEvent& event) { return event.correlation >= 0 && launches.contains(event.correlation); };
    for (const DeviceEvent& event : trace.device)
        if (isLaunched(event) && event.when.start < first[event.stream]) first[event.stream] = event.when.start;
    std::vector<bool> before(trace.device.size(), false);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const DeviceEvent& event = trace.device[i];
        before[i] = first[event.stream] != never && !isLaunched(event) && event.when.start < first[event.stream];
    }
    return before;
}

} // namespace orrery
