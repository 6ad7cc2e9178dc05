// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/launch_script/option_list.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace orrery {

LinedText LinedText::ofFile(std::string_view text) {
    LinedText lined;
    int line = 1;
    for (char character : text) {
        if (character == '\r') continue; // pasted from elsewhere
        lined.append(character, line);
        if (character == '\n') ++line;
    }
    return lined;
}

LinedText LinedText::part(std::size_t from, std::size_t to) const {
    to = std::min(to, size());
    from = std::min(from, to);
    LinedText piece;
    piece.text_ = text_.substr(from, to - from);
    piece.lines_.assign(lines_.begin() + static_cast<std::ptrdiff_t>(from), lines_.begin() + static_cast<std::ptrdiff_t>(to));
    return piece;
}

namespace {

bool isOption(const std::string& word) {
    if (word.size() < 2 || word[0] != '-') return false;
    if (word[1] == '-') return word.size() > 2;
    return std::isalpha(static_cast<unsigned char>(word[1])) != 0; // -N; -1 is a value
}

/// A field of `"${ARGS[@]}"` may hold an option with its value: the example scripts write "--fp8-format hybrid".
std::vector<LinedText> unpacked(const std::vector<LinedText>& words) {
    std::vector<LinedText> result;
    for (const LinedText& word : words) {
        const std::string& text = word.text();
        const std::size_t blank = text.find(' ');
        if (!isOption(text) || blank == std::string::npos || text.find('=') < blank) {
            result.push_back(word);
            continue;
        }
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            if (i < text.size() && text[i] != ' ') continue;
            if (i > begin) result.push_back(word.part(begin, i));
            begin = i + 1;
        }
    }
    return result;
}

} // namespace

std::string GivenOption::value() const {
    std::string all;
    for (const std::string& one : values) all += (all.empty() ? "" : " ") + one;
    return all;
}

OptionList::OptionList(const std::vector<LinedText>& words) {
    bool inOption = false;
    for (const LinedText& word : unpacked(words)) {
        const std::string& text = word.text();
        if (!isOption(text)) {
            if (inOption) options_.back().values.push_back(text);
            else strays_.push_back(word);
            continue;
        }
        GivenOption option;
        const std::size_t equals = text.find('=');
        option.written = text.substr(0, equals);
        option.name = normalised(option.written);
        option.line = word.line();
        if (equals != std::string::npos) option.values.push_back(text.substr(equals + 1));
        options_.push_back(std::move(option));
        inOption = true;
    }
}

void OptionList::add(GivenOption option) { options_.push_back(std::move(option)); }

void OptionList::add(const OptionList& more) {
    options_.insert(options_.end(), more.options_.begin(), more.options_.end());
    strays_.insert(strays_.end(), more.strays_.begin(), more.strays_.end());
}

std::string OptionList::normalised(const std::string& written) {
    std::string name = written.substr(std::min(written.find_first_not_of('-'), written.size()));
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

bool OptionList::has(const std::string& name) const {
    return std::any_of(options_.begin(), options_.end(), [&](const GivenOption& option) { return option.name == name; });
}

const GivenOption* OptionList::take(const std::string& name) {
    const GivenOption* last = nullptr;
    for (GivenOption& option : options_) {
        if (option.name != name) continue;
        option.used = true;
        last = &option;
    }
    return last;
}

bool OptionList::flag(const std::string& name) {
    bool given = false;
    for (GivenOption& option : options_) {
        if (option.name != name) continue;
        option.used = option.isFlag = given = true;
    }
    return given;
}

std::optional<std::string> OptionList::takeStray(const std::string& expected) {
    if (strays_.empty() || (!expected.empty() && strays_.front().text() != expected)) return std::nullopt;
    const std::string word = strays_.front().text();
    strays_.erase(strays_.begin());
    return word;
}

std::optional<std::int64_t> wholeNumber(const std::string& text) {
    const auto number = anyNumber(text);
    if (!number || *number != std::floor(*number) || std::fabs(*number) > 9e15) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::optional<double> anyNumber(const std::string& text) {
    std::string digits;
    for (char c : text)
        if (c != '_') digits += c;
    if (!digits.empty() && digits.front() == '+') digits.erase(0, 1);
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

bool leftOpen(const std::string& value) {
    const std::size_t dollar = value.find('$');
    const bool placeholder = value.size() > 2 && value.front() == '<' && value.back() == '>';
    return placeholder || (dollar != std::string::npos && dollar + 1 < value.size()) || value.find('`') != std::string::npos;
}

} // namespace orrery
