// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"
#include "core/training/plan/job_symmetry.hpp"

#include <functional>

namespace orrery {

/// Simulates a scenario that was read without errors. Same scenario, same bytes, at any thread count.
/// Without folding every cell runs by itself: the same answer (to rounding) for more work.
/// `finish` may add to the result before it is shared, such as error bars.
Outcome simulate(const Scenario& scenario, const RunControl& control = {}, Folding folding = Folding::exact,
                 const std::function<void(Result&)>& finish = {});

/// The memory account alone, as `orrery-cli memory` prints it.
Json memoryDocument(const Result& result);

} // namespace orrery
