// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/served/inference/engine_model.hpp"

#include <vector>

namespace orrery {

/// What of a scenario one engine instance is: its model on `plan`, with the scenario's software and cost of kernels, on the accelerators from
/// `firstRank` on (by the cluster's numbering).
EngineModel engineOf(const Scenario& scenario, const Parallelism& plan, Precision cache, bool asyncScheduling, int firstRank = 0);
/// The same on the accelerators `ranks`, in the order of the instance's own numbering.
EngineModel engineOf(const Scenario& scenario, const Parallelism& plan, Precision cache, bool asyncScheduling, const std::vector<int>& ranks);

} // namespace orrery
