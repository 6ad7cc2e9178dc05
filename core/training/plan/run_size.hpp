// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/plan/iteration.hpp"

namespace orrery {

/// What an event simulation will take, known before it runs.
struct RunSize {
    double tasks = 0;
    double bytes = 0;     ///< of the program, its times and its timeline
    double onceBytes = 0; ///< of these, what does not grow with the micro-batches
};

/// An upper bound from the plan's numbers, with one lane a stage: a task for every unit and pass of every micro-batch, and what moves its
/// weights, gradients and activations. Costs microseconds.
RunSize sizeOfRun(const Scenario& scenario, const RankWork& work);

/// The same plan on more lanes, or with each operator of a segment and its launch as tasks of their own (`expandTensor`): an upper bound from
/// `plain`, which was built with one lane a stage.
RunSize sizeOfRun(const Iteration& plain, const LaneMap& lanes, bool expandTensor);

} // namespace orrery
