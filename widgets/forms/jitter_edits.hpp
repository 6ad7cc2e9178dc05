// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <string_view>
#include <vector>

namespace orrery {

/// Whether the place is one of `execution.jitter`'s fields.
bool isJitterField(std::string_view pointer);

/// What setting one of these fields takes so that the scenario stays sound and something varies: jitter given as a number becomes an
/// object, a method alone gets kernels that vary, slow hosts their slowdown and the other way round; null removes the value, with
/// the last one that says anything the jitter, and so does no method.
std::vector<ScenarioEdit> jitterEdits(const Json& document, const ScenarioEdit& wanted);

} // namespace orrery
