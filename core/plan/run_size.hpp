#pragma once

#include "core/plan/lanes.hpp"
#include "core/plan/rank_work.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// What an event simulation will take, known before it runs.
struct RunSize {
    double tasks = 0;
    double bytes = 0; ///< of the program, its times and its timeline
};

/// An upper bound from the plan's numbers: a task for every unit and pass of every micro-batch on every lane, what moves its weights,
/// gradients and activations, and, with `expandTensor`, one for each operator of a segment and its launch. Costs microseconds.
RunSize sizeOfRun(const Scenario& scenario, const RankWork& work, const LaneMap& lanes, bool expandTensor);

} // namespace orrery
