// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/job_traffic/job_traffic.hpp"

#include <vector>

namespace orrery {

/// How many times as long the slowest accelerator of each cell takes, by stage, as the scenario's named stragglers make it.
std::vector<std::vector<double>> cellSlowdowns(const Scenario& scenario, const JobTraffic& traffic);

/// Cells that are at least so slow, in the stage that has most of them.
struct SlowCells {
    double slowdown = 1;
    int cells = 1;
};

/// Ascending; the first stands for all cells of a stage, with slowdown 1.
std::vector<SlowCells> slowCells(const Scenario& scenario, const JobTraffic& traffic);

} // namespace orrery
