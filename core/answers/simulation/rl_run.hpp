// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"

#include <functional>

namespace orrery {

/// Runs one scenario; each half of a loop goes through it.
using RunHalf = std::function<Outcome(const Scenario&, const RunControl&)>;

/// One step of reinforcement learning, as loops settle: each half alone, then the weights' way to the engines.
///
/// A step takes rollout + reward + training + sync where both take turns (verl's HybridFlow: Sheng et al. 2024, arXiv:2409.19256). With a staleness of 1 the
/// next rollout runs beside reward and training; with more, rewards run beside both; the new weights then go out between two rollouts, so that a step
/// takes the longest of what runs at once and the sync (AReaL: Fu et al. 2025, arXiv:2505.24298, without the interruption of answers).
Outcome simulateRl(const Scenario& scenario, const RlWorkload& loop, const RunControl& control, const RunHalf& runHalf);

} // namespace orrery
