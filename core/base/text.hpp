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

} // namespace orrery
