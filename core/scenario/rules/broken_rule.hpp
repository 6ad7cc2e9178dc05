// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/plan_numbers.hpp"

#include <cstdint>
#include <string_view>

namespace orrery {

/// What the rules of a training plan look at beside its numbers.
struct PlanFacts {
    std::int64_t givenData = 0;       ///< `/parallelism/data`; 0: not given
    std::int64_t recomputeEvery = 0;  ///< `/execution/recompute/every`; 0: not given
    bool unknownModule = false;       ///< of `/execution/recompute/modules`
    bool offloadsWithoutLink = false; ///< something is offloaded, and the accelerator states no link to the host
};

/// The code of the first error that checkTensorRules, checkRankRules, checkPipelineRules, checkWorkloadRules, checkExpertRules and
/// checkStateRules together find in a plan without a given layout; empty where they find none. What no plan changes (precision, recipe,
/// order, …) is not looked at. It says nothing in words and mends nothing: for whoever asks of thousands of plans.
std::string_view brokenRule(const PlanNumbers& plan, const PlanFacts& facts);

/// Whether a code is one of those that brokenRule gives; an error with another stands whatever the plan is.
bool isPlanRule(std::string_view code);

} // namespace orrery
