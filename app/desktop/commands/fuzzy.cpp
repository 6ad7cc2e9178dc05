// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/commands/fuzzy.hpp"

#include <algorithm>
#include <vector>

namespace orrery {

std::optional<int> fuzzyScore(const QString& pattern, const QString& text) {
    QString wanted = pattern.toCaseFolded();
    wanted.remove(u' ');
    const QString folded = text.toCaseFolded();
    if (wanted.isEmpty()) return 0;

    constexpr int none = -1'000'000;
    constexpr int wordStart = 8;
    constexpr int inARow = 9; // more than the first letter of another word: "rep" begins "Report", and is scattered over "Rearrange panels"
    // best[j]: the best score of the letters so far with the last of them at position j of the text.
    std::vector<int> best;
    for (qsizetype i = 0; i < wanted.size(); ++i) {
        std::vector<int> now(static_cast<std::size_t>(folded.size()), none);
        int bestBefore = i == 0 ? 0 : none;
        for (qsizetype j = 0; j < folded.size(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (folded[j] == wanted[i]) {
                const int bonus = j == 0 || !folded[j - 1].isLetterOrNumber() ? wordStart : 1;
                const int row = i > 0 && j > 0 ? best[at - 1] : none;
                const int score = std::max(bestBefore, row == none ? none : row + inARow);
                if (score != none) now[at] = score + bonus;
            }
            if (i > 0) bestBefore = std::max(bestBefore, best[at]);
        }
        best = std::move(now);
    }
    const int score = best.empty() ? none : *std::max_element(best.begin(), best.end());
    if (score <= none / 2) return std::nullopt;
    // The shorter text of equal matches is the closer one.
    return score * 16 - static_cast<int>(std::min<qsizetype>(folded.size(), 15));
}

} // namespace orrery
