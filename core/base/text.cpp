// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace orrery {

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

} // namespace orrery
