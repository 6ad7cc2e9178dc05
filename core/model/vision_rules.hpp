// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/model/architecture.hpp"
#include "core/model/architecture_table.hpp"

#include <optional>
#include <string>

namespace orrery {

/// What a wrapper's config says of its vision tower, read by the row of resources/catalog/architectures.json for the tower's or the wrapper's type.
/// Rules see the tower's fields, the wrapper's as "outer/NAME", and the language model's width as {"same": "text_hidden"}. None where there is no
/// tower, no row for it, or where it can't be read: text alone runs all the same.
std::optional<VisionTower> readVision(const Json& config, const std::string& pointer, const ArchitectureTable& table, const Architecture& text);

} // namespace orrery
