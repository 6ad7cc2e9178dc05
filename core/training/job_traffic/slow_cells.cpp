// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/job_traffic/slow_cells.hpp"

#include "core/base/index.hpp"

#include <algorithm>
#include <set>

namespace orrery {

std::vector<std::vector<double>> cellSlowdowns(const Scenario& scenario, const JobTraffic& traffic) {
    const Parallelism& plan = scenario.parallelism;
    std::vector<std::vector<double>> slowdown(at(plan.pipeline), std::vector<double>(at(plan.data), 1));
    if (scenario.execution.stragglers.empty()) return slowdown;
    std::vector<double> ofRank(at(scenario.parallelism.ranks()), 1);
    for (const Straggler& straggler : scenario.execution.stragglers)
        if (at(straggler.rank) < ofRank.size()) ofRank[at(straggler.rank)] = std::max(ofRank[at(straggler.rank)], straggler.slowdown);
    for (int stage = 0; stage < plan.pipeline; ++stage)
        for (int cell = 0; cell < plan.data; ++cell)
            for (const int rank : traffic.cell(cell, stage)) slowdown[at(stage)][at(cell)] = std::max(slowdown[at(stage)][at(cell)], ofRank[at(rank)]);
    return slowdown;
}

std::vector<SlowCells> slowCells(const Scenario& scenario, const JobTraffic& traffic) {
    std::vector<SlowCells> all{{1, scenario.parallelism.data}};
    if (scenario.execution.stragglers.empty()) return all;
    const std::vector<std::vector<double>> slowdown = cellSlowdowns(scenario, traffic);
    std::set<double> values;
    for (const std::vector<double>& stage : slowdown) values.insert(stage.begin(), stage.end());
    for (const double value : values) {
        if (value <= 1) continue;
        std::ptrdiff_t most = 0;
        for (const std::vector<double>& stage : slowdown)
            most = std::max(most, std::count_if(stage.begin(), stage.end(), [&](double own) { return own >= value; }));
        all.push_back({value, static_cast<int>(most)});
    }
    return all;
}

} // namespace orrery
