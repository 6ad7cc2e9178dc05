// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>
#include <string_view>

namespace orrery {

/// The value that the reader filled in at a place of the scenario document, in the document's words; nothing for a place
/// whose value a scenario does not keep.
std::optional<Json> filledValue(const Scenario& scenario, std::string_view pointer);

} // namespace orrery
