// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/nearest_word.hpp"

#include <algorithm>
#include <cctype>

namespace orrery {

int editDistance(std::string_view a, std::string_view b) {
    // Optimal string alignment; three rows are enough because a swap looks back two.
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) current[j] = std::min(current[j], before[j - 2] + 1);
        }
        std::swap(before, previous);
        std::swap(previous, current);
    }
    return previous[b.size()];
}

namespace {

/// Lower case and without separators, so that "microBatchSize" and "micro-batch-size" meet "micro_batch_size".
std::string folded(std::string_view word) {
    std::string text;
    for (const char c : word) {
        if (c == '_' || c == '-' || c == ' ' || c == '.') continue;
        text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return text;
}

} // namespace

std::optional<NearestWord> nearestWord(std::string_view word, const std::vector<std::string>& candidates) {
    constexpr std::size_t longest = 80; // nobody mistypes further; bounds the work on hostile input
    const std::string given = folded(word.substr(0, longest));
    std::optional<NearestWord> best;
    int bestScore = 0;
    for (const std::string& candidate : candidates) {
        const std::string known = folded(candidate);
        int score = 2 * editDistance(given, known);
        const bool begins = given.size() >= 3 && known.size() >= 3 && (known.starts_with(given) || given.starts_with(known));
        if (begins) score = std::min(score, 3);
        if (best && score >= bestScore) continue;
        bestScore = score;
        const auto length = static_cast<int>(std::max(given.size(), known.size()));
        best = NearestWord{candidate, begins || score <= std::max(2, 2 * (length / 3))};
    }
    return best;
}

} // namespace orrery
