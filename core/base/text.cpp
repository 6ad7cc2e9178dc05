// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace orrery {

std::size_t utf8SequenceLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned lead = byte(0);
    if (at >= text.size()) return 0;
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = lead == 0xED && byte(1) > 0x9F;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool overlong = lead == 0xF0 && byte(1) < 0x90;
        const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
        return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

void appendUtf8(std::string& text, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | (code >> 6));
        put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | (code >> 12));
        put(0x80 | ((code >> 6) & 0x3F));
        put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | (code >> 18));
        put(0x80 | ((code >> 12) & 0x3F));
        put(0x80 | ((code >> 6) & 0x3F));
        put(0x80 | (code & 0x3F));
    }
}

TextPlace placeAt(std::string_view text, std::size_t byteOffset) {
    const std::size_t end = std::min(byteOffset, text.size());
    TextPlace place;
    std::size_t i = text.starts_with("\xEF\xBB\xBF") && end >= 3 ? 3 : 0; // a byte order mark is no character
    while (i < end) {
        if (text[i] == '\n') {
            ++place.line;
            place.column = 1;
            ++i;
        } else {
            const std::size_t length = utf8SequenceLength(text, i);
            i += length == 0 ? 1 : length;
            ++place.column;
        }
    }
    return place;
}

std::string formatNumber(double value) {
    char text[40];
    const bool whole = value == std::trunc(value) && std::fabs(value) < 1e15;
    std::snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", value);
    return text;
}

std::string joinWords(const std::vector<std::string>& words, const std::string& lastGlue) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " " + lastGlue + " " : ", ";
        text += words[i];
    }
    return text;
}

std::vector<std::string> quoted(std::vector<std::string> words) {
    for (std::string& word : words) word = "\"" + word + "\"";
    return words;
}

std::string counted(std::int64_t count, const std::string& noun) {
    const bool hissing = noun.ends_with("ch") || noun.ends_with("s");
    return std::to_string(count) + " " + noun + (count == 1 ? "" : hissing ? "es"
                                                                           : "s");
}

std::string shortened(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    std::size_t end = most;
    const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
    for (int back = 0; back < 3 && end > 0 && continues(end); ++back) --end; // bytes that are no UTF-8 are cut anywhere
    return text.substr(0, end) + "…";
}

std::string withShortWords(const std::string& text) {
    constexpr std::size_t longestWord = 300;
    if (text.size() <= longestWord) return text;
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t space = std::min(text.find_first_of(" \n\t", at), text.size());
        all += shortened(text.substr(at, space - at), longestWord);
        if (space < text.size()) all += text[space];
        at = space + 1;
    }
    return all;
}

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
        text += lowered(c);
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

namespace {

bool isPlainNumber(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

/// Whether a spreadsheet may take the text for a formula. Some look behind blanks.
bool beginsFormula(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos || std::string_view("=+-@\t\r").find(text[first]) == std::string_view::npos) return false;
    return !isPlainNumber(text);
}

} // namespace

std::string csvCell(std::string_view text) {
    const bool formula = beginsFormula(text);
    if (!formula && !text.starts_with('\'') && text.find_first_of(",\"\r\n\t") == std::string_view::npos) return std::string(text);
    std::string cell = formula ? "\"'" : "\"";
    for (const char letter : text) {
        cell += letter;
        if (letter == '"') cell += '"';
    }
    return cell + '"';
}

std::string csvWithoutFormulas(std::string_view csv) {
    std::string out, cell;
    bool quoted = false, begun = false;
    for (std::size_t i = 0; i < csv.size(); ++i) {
        const char letter = csv[i];
        if (quoted) {
            if (letter != '"') cell += letter;
            else if (i + 1 < csv.size() && csv[i + 1] == '"') cell += csv[++i];
            else quoted = false;
        } else if (letter == '"' && cell.empty()) {
            quoted = true;
        } else if (letter == ',' || letter == '\n') {
            out += csvCell(cell);
            out += letter;
            cell.clear();
            begun = false;
            continue;
        } else {
            cell += letter;
        }
        begun = true;
    }
    return begun ? out + csvCell(cell) : out;
}

std::string lowered(std::string text) {
    for (char& c : text) c = lowered(c);
    return text;
}

} // namespace orrery
