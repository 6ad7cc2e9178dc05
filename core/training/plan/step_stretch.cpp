// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/plan/step_stretch.hpp"

#include "core/engine/draws.hpp"

#include <cmath>

namespace orrery {

double StepStretch::ofTask(int stage, double slowdown, std::uint32_t segment, std::uint64_t index) const {
    const double factor = ofStage.at(slowdown)[static_cast<std::size_t>(stage)];
    if (segment >= ofSegment.size()) return factor;
    const LogNormal& own = ofSegment[segment];
    return factor * std::exp(own.mu + own.sigma * normalDraw(seed, static_cast<std::uint64_t>(stage), 2 * index));
}

} // namespace orrery
