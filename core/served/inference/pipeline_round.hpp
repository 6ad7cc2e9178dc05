// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/step_model.hpp"

#include <vector>

namespace orrery {

/// What an engine with several stages keeps in flight: as many micro-batches, one on each stage, so that all stages work. A round is one
/// step of each.
///
/// Decodes are dealt out evenly; each prompt (or chunk) goes to the micro-batch with the fewest tokens, and is cut only where that would hold
/// more than `mostTokens`. Micro-batches without work are left out.
std::vector<StepBatch> microBatches(const StepBatch& batch, int stages, int mostTokens);

/// Seconds of a round: no less than any micro-batch takes through all stages, nor than the slowest stage needs for all of them. With one
/// stage the time of the step.
double roundSeconds(const StepModel& model, const StepBatch& batch, int mostTokens);

} // namespace orrery
