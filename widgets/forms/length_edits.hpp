// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <string_view>
#include <vector>

namespace orrery {

/// Whether the place says how lengths of prompts or answers are drawn: `distribution` of `input_tokens` or `output_tokens`.
bool isLengthDistribution(std::string_view pointer);

/// What another distribution takes: the numbers that it needs, about the same mean, and away with those that it does not. Null: all are
/// alike again, as long as the mean was.
std::vector<ScenarioEdit> lengthEdits(const Json& document, const ScenarioEdit& wanted);

} // namespace orrery
