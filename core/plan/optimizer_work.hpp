#pragma once

#include "core/report/timeline.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// Adam over a rank's share of `elements` parameters (ZeRO shares them out): reads gradient, master, two moments; writes
/// master, moments and the 16-bit weight.
TimedOperator optimizerOperator(const Scenario& scenario, double elements);

/// The square sum of the rank's gradients and its small all-reduce.
TimedOperator gradientNormOperator(const Scenario& scenario, double elements);

/// Bytes one rank sends to the next stage for a micro-batch: with tensor parallelism each rank sends its share
/// (Narayanan et al. 2021, section 4.1; with sequence parallelism that is what it holds).
double transferBytes(const Scenario& scenario);

} // namespace orrery
