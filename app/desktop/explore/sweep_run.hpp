// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/sensitivity.hpp"
#include "core/answers/explore/sweep.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// What a combination changes. Where `input` stands for the first key, all places that change with it take the same multiple.
std::vector<ScenarioEdit> sweptChanges(const SweepQuestion& question, std::size_t point, const std::optional<SensitivityInput>& input);

/// runSweep over such changes. Nothing but problems where a key is no place of the scenario.
SweepRun runTiedSweep(const Trials& trials, const SweepQuestion& question, const std::optional<SensitivityInput>& input, const RunControl& control, const OnSweptPoint& onPoint);

} // namespace orrery
