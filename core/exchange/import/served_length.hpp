// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {

/// A line of vLLM without --max-model-len asks for the model's positions, and vLLM does not start where its cache is shorter. An imported
/// scenario says so itself, as one that leaves the key out serves what comes and warns. `read`: what the document is read as.
void stateContextLength(Json& document, const Scenario& read, Problems& notes);

} // namespace orrery
