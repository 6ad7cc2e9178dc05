// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/model/architecture_table.hpp"
#include "core/model/config_reader.hpp"

#include <string>

namespace orrery {

/// What a config of an unknown type looks like; null where nothing does.
const Likeness* likenessOf(const Json& config, const ArchitectureTable& table);

/// A problem for each field that changes what layers a model has, says so (it is not null, false, 0 or all alike), and was asked for by
/// nothing in the row: the model would silently be another one.
void refuseUnreadStructure(const Json& row, const ConfigReader& reader, const ArchitectureTable& table, const std::string& type);

} // namespace orrery
