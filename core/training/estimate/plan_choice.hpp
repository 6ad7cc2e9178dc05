// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// What a search varies of a scenario. Model, cluster, sequence length, global batch, precision, framework and the rest of the
/// execution stay the base scenario's.
struct PlanChoice {
    Parallelism parallelism;
    int microBatch = 1;                            ///< sequences
    RecomputeKind recompute = RecomputeKind::none; ///< not `automatic`
    std::vector<std::string> recomputeModules;
    int recomputeEvery = 1;
    Overlap overlap;
    Offload offload;
};

PlanChoice choiceOf(const Scenario& scenario);
void apply(const PlanChoice& choice, Scenario& scenario);
/// All of a choice in bytes; choices that differ have different ones.
std::string keyOf(const PlanChoice& choice);

} // namespace orrery
