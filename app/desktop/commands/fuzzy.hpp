// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>

namespace orrery {

/// How well `text` answers what was typed: every letter of `pattern` must appear in it in order, letters at the start of words
/// and letters in a row count more. Higher is better; nothing when it doesn't match. Case and spaces in the pattern don't matter.
std::optional<int> fuzzyScore(const QString& pattern, const QString& text);

} // namespace orrery
