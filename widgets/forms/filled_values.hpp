// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"
#include "widgets/forms/field_table.hpp"

#include <QString>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery {

/// The value that the reader filled in at a place of the scenario document, in the document's words; nothing for a place
/// whose value a scenario does not keep.
std::optional<Json> filledValue(const Scenario& scenario, std::string_view pointer);

/// Whether a sweep can set a field: one key with values that a person can list.
bool isSweepable(const FieldSpec& spec);

/// Values to try of a field around the one it has, as `sweep` writes them: "1,2,4,8". `choices`: ids of the catalogue, where the field takes those.
QString proposedValues(const FieldSpec& spec, const Json& present, const std::vector<Json>& choices);

} // namespace orrery
