// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/model/config_rules.hpp"

namespace orrery {

/// Parts of a row that stand for a whole kind of layer.
void readLatent(const Json& rule, ConfigRules& rules, Architecture& a);
void readState(const Json& rule, ConfigRules& rules, Architecture& a);
void readIndexer(const Json& rule, ConfigRules& rules, Architecture& a);
/// With "when": only where that holds.
void readCompressed(const Json& rule, ConfigRules& rules, Architecture& a);
/// Streams, inputs of layers' own, narrow products beside attention: `row` is the whole row.
void readBesideBlocks(const Json& row, ConfigRules& rules, Architecture& a);
void readExperts(const Json& rule, ConfigRules& rules, Architecture& a);

} // namespace orrery
