// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// What of a plan a change touches; two changes of one kind exclude each other.
enum class MendKind : std::uint8_t { recompute,
                                     sequence,
                                     micro_batch,
                                     zero,
                                     tensor,
                                     pipeline,
                                     context,
                                     expert,
                                     schedule,
                                     attention,
                                     offload_optimizer,
                                     offload_activations,
                                     weights,
                                     cache,
                                     sequences,
                                     memory_share };

/// A change that usually saves memory, not yet held against the rules.
struct MendCandidate {
    MendKind kind = MendKind::recompute;
    std::string text;
    std::vector<ScenarioEdit> edits;
};

/// Everything worth trying on a plan, of each kind the smaller steps first. `document` is the scenario's: keys that a change makes
/// wrong (`data`, `pipeline_layout`) are taken out where it has them.
std::vector<MendCandidate> mendCandidates(const Json& document, const Scenario& scenario);

/// The same for a static batch or served requests: more ranks for an instance, narrower weights, keys and values, less at once.
std::vector<MendCandidate> servedMendCandidates(const Json& document, const Scenario& scenario);

} // namespace orrery
