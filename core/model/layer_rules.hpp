// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/model/config_rules.hpp"

namespace orrery {

/// Sets `kinds` and `kindByLayer` by the row's rules "layers_are" (what each layer is), "experts_in", "rotary_in", "heads_each" (a
/// list of query heads), "cache_shared" (how many of the last layers meet an earlier one's keys and values, and how wide their MLPs are) and "blocks".
void readLayers(const Json& row, ConfigRules& rules, Architecture& a);

} // namespace orrery
