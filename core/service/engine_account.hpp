// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/inference/step_model.hpp"
#include "core/report/result.hpp"

namespace orrery {

/// What the results of all runs of engines have in common: names, assumptions, parameters.
void describeRun(Result& result, const Scenario& scenario);

/// Bytes of the fullest accelerator of an instance.
struct EngineMemory {
    double weights = 0, cache = 0, activations = 0, framework = 0;
    double capacity = 0;
    double needed() const { return weights + cache + activations + framework; }
};

/// The memory account, every stage as full as the fullest; says whether it fits.
void fillMemory(Result& result, const EngineMemory& memory);

/// Adds a row for each operator of a step that runs `times` times, mean over the instance's accelerators.
void addOperations(Result& result, const StepModel& model, const StepBatch& batch, double times);

} // namespace orrery
