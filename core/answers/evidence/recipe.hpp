// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"

#include <string>

namespace orrery {

/// What of a scenario variants of it mostly differ in, beside what RunTraits tells; as its document states it.
struct RunRecipe {
    double tensor = 1, pipeline = 1, chunks = 1, context = 1, expert = 1;
    double batch = 1;      ///< micro-batch of training, batch of a static one, sequences that an engine runs at once
    double allBatches = 1; ///< global batch
    double length = 1;     ///< tokens of a sequence, of a prompt
    std::string policy;    ///< recomputation, sharding, schedule, overlap: whatever is left
};

/// `document`: as a scenario file holds it; what it leaves out is left out on both sides of a comparison.
RunRecipe recipeOf(const Json& document);
/// Of a scenario that was read, with every default filled in.
RunRecipe recipeOf(const Scenario& scenario);

} // namespace orrery
