// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace orrery {

/// What the name of a published checkpoint says.
struct ServedModel {
    std::string preset;                   ///< the catalogue's id, as far as names follow one pattern: "llama-3.1-8b"
    std::optional<std::string> precision; ///< of its weights, where the name or the checkpoint's own configuration says so
    bool blockScaled = false;             ///< fp8 with a scale for each block of 128 × 128
};

/// What model is meant by "nvidia/Llama-3.3-70B-Instruct-FP8" or "/models/DeepSeek-V3": case, publisher, tuning, date and number format are no part of the id.
ServedModel servedModel(const std::string& name);

} // namespace orrery
