// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Single-letter insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int editDistance(std::string_view a, std::string_view b);

/// The candidate a mistyped word most likely meant. A word that is the beginning of a candidate, or the other way
/// round, counts as near ("micro_batch" for "micro_batch_size"). The first of equals wins.
struct NearestWord {
    std::string word;
    bool likely = false; ///< near enough to be offered as the mend, not only named
};

std::optional<NearestWord> nearestWord(std::string_view word, const std::vector<std::string>& candidates);

} // namespace orrery
