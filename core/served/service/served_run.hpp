// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"

#include <functional>

namespace orrery {

/// Requests served by the instances of the plan: core/order/serving decides who runs in a step, core/served/inference says how long it takes. Pools of a
/// disaggregated engine are instances of their own; keys and values go between them over the drawn network.
Outcome simulateServing(const Scenario& scenario, const ServingWorkload& workload, const RunControl& control, const std::function<void(Result&)>& finish);

} // namespace orrery
