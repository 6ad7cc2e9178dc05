// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// What a rank's tasks are to each other when they run at once. Copies to and from the host have engines of their own and the
/// host's launches no part in it: neither slows nor is slowed.
enum class RankLoad : LoadClass { none,
                                  compute,
                                  collective,
                                  send };

/// How many times as long kernels take while their own rank communicates. A collective takes multiprocessors and memory bandwidth
/// from them (KernelConstants::overlapSlowdown; the same over scale-up and scale-out links, for it is mostly the multiprocessors:
/// DeepSeek-V3, arXiv 2412.19437, section 3.2.2, gives 20 of 132 to communication). Communication is not slowed: its kernels come
/// first. A send to another stage takes fewer channels: PhysicsConstants::sendShareOfOverlap of the effect.
struct OverlapSlowdown {
    double collective = 1;
    double send = 1;

    bool any() const { return collective > 1; }
};

inline OverlapSlowdown overlapSlowdown(const Scenario& scenario) {
    const double slowdown = scenario.kernels.overlapSlowdown;
    if (slowdown <= 1) return {};
    return {slowdown, 1 + scenario.kernels.physics.sendShareOfOverlap * (slowdown - 1)};
}

} // namespace orrery
