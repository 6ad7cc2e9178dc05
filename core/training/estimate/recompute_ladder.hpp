// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// One step of what `recompute: auto` chooses from.
struct RecomputeChoice {
    RecomputeKind kind = RecomputeKind::none;
    int every = 1;
    double parked = 0; ///< share of activations in host memory
    std::vector<std::string> modules = {};
};

/// What `auto` chooses from, the least recomputation first: every n-th layer whole between the attention core of all and all of all; or
/// more and more of the activations in host memory before anything is made again.
std::vector<RecomputeChoice> recomputeLadder(const Scenario& scenario);

/// Whether `auto` parks activations in host memory: where the host's link carries them beside a layer's work.
bool parksActivations(const Scenario& scenario);

/// The scenario with a step of its ladder in place of `auto`.
void takeChoice(const RecomputeChoice& choice, Scenario& scenario);

} // namespace orrery
