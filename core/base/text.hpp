// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Bytes of the well-formed UTF-8 sequence at `at` (1 to 4), or 0 when there is none (overlong forms, surrogates and
/// code points above U+10FFFF are not well-formed).
std::size_t utf8SequenceLength(std::string_view text, std::size_t at);

/// Appends a Unicode scalar value.
void appendUtf8(std::string& text, std::uint32_t code);

/// A place in a text, both from 1. Columns count characters, not bytes.
struct TextPlace {
    int line = 1;
    int column = 1;
};

TextPlace placeAt(std::string_view text, std::size_t byteOffset);

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

/// Single-letter insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int editDistance(std::string_view a, std::string_view b);

/// The candidate a mistyped word most likely meant. A word that is the beginning of a candidate, or the other way
/// round, counts as near ("micro_batch" for "micro_batch_size"). The first of equals wins.
struct NearestWord {
    std::string word;
    bool likely = false; ///< near enough to be offered as the mend, not only named
};

std::optional<NearestWord> nearestWord(std::string_view word, const std::vector<std::string>& candidates);

/// A text as a cell of a CSV file (RFC 4180): quoted where it holds a comma, a quote or a line's end. A text with which a spreadsheet would begin a formula (=, +, −, @,
/// a tab or a return in front, and no number) gets an apostrophe before it, as the OWASP's guide to CSV injection says: names come from anybody.
std::string csvCell(std::string_view text);

/// A CSV file with each of its cells written as `csvCell` does.
std::string csvWithoutFormulas(std::string_view csv);

/// ASCII letters in small ones; other bytes stay.
constexpr char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lowered(std::string text);

} // namespace orrery
