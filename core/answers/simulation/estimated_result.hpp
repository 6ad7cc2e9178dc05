// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

namespace orrery {

/// What an estimate (core/training/estimate) says of a training iteration, in a few ms: its time, the rates that follow from it, the peak memory of each stage and
/// whether it fits. Nothing else of the result is filled in. Null: there is no estimate (another workload, a plan that is impossible), or
/// it might be far too short: it times each stage's traffic as if it were alone, but links above the hosts hold several back (hasFullBisection).
ResultPtr estimatedResult(const Scenario& scenario);

} // namespace orrery
