// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/model/graph.hpp"
#include "core/results/report/result.hpp"

namespace orrery {

inline double& part(TimeBreakdown& breakdown, TimePart which) { return breakdown[static_cast<std::size_t>(which)]; }

/// The part of an iteration that kernels of a phase belong to.
inline TimePart partOf(Phase phase) {
    switch (phase) {
    case Phase::forward: return TimePart::forward;
    case Phase::recompute: return TimePart::recompute;
    case Phase::optimizer: return TimePart::optimizer;
    default: return TimePart::backward;
    }
}

} // namespace orrery
