// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/html_page.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace orrery::html {

std::string escaped(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char character : text) {
        switch (character) {
        case '&': result += "&amp;"; break;
        case '<': result += "&lt;"; break;
        case '>': result += "&gt;"; break;
        case '"': result += "&quot;"; break;
        case '\'': result += "&#39;"; break;
        default: result += character;
        }
    }
    return result;
}

std::string link(std::string_view address, std::string_view text) {
    const bool isOfTheWeb = address.substr(0, 8) == "https://" || address.substr(0, 7) == "http://";
    return isOfTheWeb ? "<a href=\"" + escaped(address) + "\">" + escaped(text) + "</a>" : escaped(text);
}

std::string number(double value, int decimals) {
    if (!std::isfinite(value)) return "–";
    std::array<char, 400> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(value), std::chars_format::fixed, decimals);
    std::string text(digits.data(), error == std::errc() ? end : digits.data());
    const bool isNothing = text.find_first_not_of("0.") == std::string::npos;
    const std::size_t point = std::min(text.find('.'), text.size());
    for (std::size_t place = point; place > 3; place -= 3) text.insert(place - 3, ",");
    return value < 0 && !isNothing ? "−" + text : text;
}

std::string cell(const std::string& content) { return "<td>" + content + "</td>"; }

std::string numberCell(const std::string& content) { return "<td class=\"n\">" + content + "</td>"; }

std::string page(std::string_view title, std::string_view style, std::string_view content) {
    std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
    text += escaped(title);
    text += "</title>\n<style>\n";
    text += style;
    text += "</style>\n</head>\n<body>\n";
    text += content;
    text += "</body>\n</html>\n";
    return text;
}

} // namespace orrery::html
