// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "core/served/inference/step_model.hpp"

#include <cstddef>
#include <vector>

namespace orrery {

/// What the results of all runs of engines have in common: names, assumptions, parameters.
void describeRun(Result& result, const Scenario& scenario);

/// Bytes of an accelerator of an instance.
struct EngineMemory {
    double weights = 0, cache = 0, activations = 0, framework = 0;
    double capacity = 0;
    double needed() const { return weights + cache + activations + framework; }
};

/// The stage that needs most of its accelerators' memory, the first of several.
std::size_t fullestStage(const std::vector<EngineMemory>& stages);

/// The memory account of all stages; says whether they fit.
void fillMemory(Result& result, const std::vector<EngineMemory>& stages);

/// Adds a row for each operator of a step that runs `times` times, mean over the instance's accelerators.
void addOperations(Result& result, const StepModel& model, const StepBatch& batch, double times);

} // namespace orrery
