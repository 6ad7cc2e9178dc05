// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/timed_operator.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// The step over a rank's share of `elements` parameters (ZeRO shares them out): reads gradient, master and moments, writes
/// master, moments and the 16-bit weight. Adam has two moments, SGD with momentum and Muon one. Muon's matrix products of
/// `orthogonalFlops` come first.
std::vector<TimedOperator> optimizerOperators(const Scenario& scenario, double elements, double orthogonalFlops);

/// FLOP of Muon's five Newton-Schulz iterations over the graph's weight matrices: X Xᵀ, its square and their product with X for an
/// a × b matrix, a ≤ b: 5 (4 a² b + 2 a³) (Jordan et al. 2024). Embedding, head and vectors are Adam's. Each rank takes
/// its own part of a matrix that tensor ranks share.
double orthogonalFlops(const Graph& graph);

/// The square sum of the rank's gradients and its small all-reduce.
TimedOperator gradientNormOperator(const Scenario& scenario, double elements);

/// Bytes one rank sends to the next stage for a micro-batch: with tensor parallelism each rank sends its share
/// (Narayanan et al. 2021, section 4.1; with sequence parallelism that is what it holds).
double transferBytes(const Scenario& scenario);

} // namespace orrery
