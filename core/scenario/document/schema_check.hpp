// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/scenario/document/schema_table.hpp"

#include <string>

namespace orrery {

/// Holds a value against its shape: unknown and missing keys, types, ranges, words. Problems point below `pointer`.
/// Codes: unknown-key, missing-key, conflicting-keys, wrong-type, not-a-whole-number, not-a-number, out-of-range, unknown-value.
void checkShape(const Json& value, const Shape& shape, const std::string& pointer, Problems& problems);

/// Appends a key to a JSON pointer, with ~ and / escaped.
std::string below(const std::string& pointer, const std::string& key);

/// A value as a message shows it: short, on one line.
std::string shown(const Json& value);

} // namespace orrery
