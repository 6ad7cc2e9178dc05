// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orrery {

/// A number for a message: whole numbers as they are, others with up to 6 significant digits.
std::string formatNumber(double value);

/// "a, b or c".
std::string joinWords(const std::vector<std::string>& words, const std::string& lastGlue);

/// Each word in double quotes.
std::vector<std::string> quoted(std::vector<std::string> words);

/// `"word"`.
inline std::string inQuotes(const std::string& word) { return "\"" + word + "\""; }

/// "1 stage", "4 stages", "4 batches"; for nouns with a regular plural.
std::string counted(std::int64_t count, const std::string& noun);

/// The text up to `most` bytes, whole UTF-8 characters, with "…" where something was left out.
std::string shortened(const std::string& text, std::size_t most);

/// Each word (what stands between spaces) up to 300 bytes: longer ones were given by the user, who knows them.
std::string withShortWords(const std::string& text);

} // namespace orrery
