// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <functional>

namespace orrery {

/// One static batch on every instance of the plan; instances are alike, and the result is one's. The steps' times come from
/// core/served/inference; the timeline shows the prompts' step and the steps after it, in groups where there are many.
Outcome simulateInference(const Scenario& scenario, const InferenceWorkload& workload, const RunControl& control, const std::function<void(Result&)>& finish);

} // namespace orrery
