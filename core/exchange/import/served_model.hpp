// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>
#include <string>

namespace orrery {

/// A line of vLLM without --max-model-len asks for the model's positions, and vLLM does not start where its cache is shorter. An imported
/// scenario says so itself, as one that leaves the key out serves what comes and warns. `read`: what the document is read as.
void stateContextLength(Json& document, const Scenario& read, Problems& notes);

/// What the name of a published checkpoint says.
struct ServedModel {
    std::string preset;                   ///< the catalogue's id, as far as names follow one pattern: "llama-3.1-8b"
    std::optional<std::string> precision; ///< of its weights, where the name or the checkpoint's own configuration says so
    bool blockScaled = false;             ///< fp8 with a scale for each block of 128 × 128
};

/// What model is meant by "nvidia/Llama-3.3-70B-Instruct-FP8" or "/models/DeepSeek-V3": case, publisher, tuning, date and number format are no part of the id.
ServedModel servedModel(const std::string& name);

} // namespace orrery
