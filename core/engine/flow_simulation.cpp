// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/flow_simulation.hpp"

#include "core/engine/flow_system.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace orrery {

std::vector<double> finishTimes(const std::vector<double>& capacities, const std::vector<PointFlow>& flows) {
    std::vector<std::vector<FlowUse>> uses(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
        std::map<FlowLink, double> crossings;
        for (const FlowLink link : flows[i].path) ++crossings[link];
        for (const auto& [link, count] : crossings) uses[i].push_back({link, count});
    }
    std::vector<std::size_t> arrivals(flows.size());
    for (std::size_t i = 0; i < flows.size(); ++i) arrivals[i] = i;
    std::stable_sort(arrivals.begin(), arrivals.end(), [&](std::size_t a, std::size_t b) { return flows[a].start < flows[b].start; });

    std::vector<double> finish(flows.size(), std::numeric_limits<double>::infinity());
    FlowSystem system(capacities);
    std::vector<std::size_t> flowOf;
    std::vector<ActivityId> ended;
    std::size_t next = 0;
    while (true) {
        const double arrival = next < arrivals.size() ? flows[arrivals[next]].start : std::numeric_limits<double>::infinity();
        const double end = system.nextEnd();
        const double now = std::min(arrival, end);
        if (now == std::numeric_limits<double>::infinity()) return finish;
        ended.clear();
        system.advance(now, ended);
        for (const ActivityId id : ended) finish[flowOf[id]] = now;
        for (; next < arrivals.size() && flows[arrivals[next]].start <= now; ++next) {
            const std::size_t i = arrivals[next];
            const ActivityId id = system.start(now, uses[i].data(), uses[i].size(), flows[i].bytes, flows[i].cap);
            if (id >= flowOf.size()) flowOf.resize(id + 1);
            flowOf[id] = i;
        }
    }
}

} // namespace orrery
