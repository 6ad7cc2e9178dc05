#include "core/base/text.hpp"

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
    return std::to_string(count) + " " + noun + (count == 1 ? "" : hissing ? "es" : "s");
}

} // namespace orrery
