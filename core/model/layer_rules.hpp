// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/model/config_rules.hpp"

namespace orrery {

/// Sets `kinds` and `kindByLayer` by the row's rules "layers_are" (what each layer is), "experts_in", "rotary_in" and "blocks".
void readLayers(const Json& row, ConfigRules& rules, Architecture& a);

} // namespace orrery
