// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// Parses text as JSON (RFC 8259, UTF-8, a byte order mark tolerated) and explains the first mistake in plain words.
///
/// The library's own parser accepts repeated keys and unbounded nesting and reports in tokens; a person's file deserves
/// the line, the column (in characters) and what to write instead. Integers that fit keep their exact value.
/// Gives nothing, and one problem with `file`, `line` and `column`, when the text is no JSON.
std::optional<Json> parseJsonText(std::string_view text, const std::string& fileName, Problems& problems);

/// Arrays and objects may be this deep inside each other.
inline constexpr int deepestJson = 100;

} // namespace orrery
