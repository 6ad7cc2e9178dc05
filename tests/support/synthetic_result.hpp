// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

namespace orrery::test {

/// A training result made by hand, for tests of views: Llama-3.1-70B-like layers on H100s, 1F1B, tensor-parallel inside
/// a node. Its numbers are plausible, not right; its sums hold: operations are the timeline's operators, a stage's kinds
/// of memory its peak, a stage's time parts the iteration.
struct SyntheticOptions {
    int stages = 2;
    int microBatches = 32;
    int layers = 80;                 ///< a multiple of `stages`
    double capacityGib = 79.6;       ///< smaller than 68: does not fit
    std::string operatorPrefix = {}; ///< put before every operator's name, to try long ones
};

ResultPtr syntheticResult(const SyntheticOptions& options = {});

} // namespace orrery::test
