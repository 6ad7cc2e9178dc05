// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/step_model.hpp"

namespace orrery {

/// Counts a layer's keys and values, so many bytes a token, to those of its window.
void addWindowed(StepModel::StageHold& hold, const CacheWindow& window, double cache);

/// What the windows of an engine's layers leave of a block of its cache, on the stage where that is least: all stages hold the same tokens.
/// Windows of several spans count as the widest of them.
CacheWindow cacheWindow(const StepModel& model);

} // namespace orrery
