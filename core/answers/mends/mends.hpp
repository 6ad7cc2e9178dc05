// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/reader/reader.hpp"
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

class Catalog; // core/catalog

/// Changes to a plan that does not fit which make it fit, the cheapest first: by iteration time, then by how many there are.
/// `document` is the scenario's, `failed` its result.
///
/// Every one was read and estimated (core/training/estimate); those that are shown are simulated as well where that takes a moment. Single changes
/// are tried first, then pairs of those that helped, then triples while fewer than three fit, and of them the most promising; several
/// changes are offered only where none of them does as well without the others. A change that can't be tried is left out. The answer does
/// not depend on `control.threads`. Empty when nothing tried fits, or when stopped.
std::vector<TriedMend> tryMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile,
                                const RunControl& control = {});

/// The result with the mends in its `outOfMemory`; the same one when it fits, or where there is no memory to try anything.
ResultPtr withTriedMends(ResultPtr result, const Json& document, const Catalog& catalog, const FileReader& readFile,
                         const RunControl& control = {});

} // namespace orrery
