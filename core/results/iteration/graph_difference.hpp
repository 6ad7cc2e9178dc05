// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/results/report/pass_effects.hpp"

namespace orrery {

/// What leads from one graph of a piece to another: operators found by phase and name (the first with the first where several
/// have the same), and sums over all.
PieceEffect difference(const Graph& before, const Graph& after);

} // namespace orrery
