// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

namespace orrery {
namespace {

std::string significant(double value, int digits) {
    char text[48];
    const double magnitude = std::abs(value);
    const int before = magnitude < 1 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
    std::snprintf(text, sizeof text, "%.*f", std::max(0, digits - before), value);
    return text;
}

} // namespace

std::string fixedText(double value, int decimals) {
    char text[48];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string groupedText(double value) {
    std::string digits = fixedText(std::abs(value), 0);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
    return value < 0 ? "-" + digits : digits;
}

std::string timeText(double seconds) {
    const double magnitude = std::abs(seconds);
    if (magnitude >= 1 || magnitude == 0) return significant(seconds, 4) + " s";
    if (magnitude >= 1e-3) return significant(seconds * 1e3, 4) + " ms";
    return significant(seconds * 1e6, 4) + " µs";
}

std::string spanText(double seconds) {
    constexpr double minute = 60, hour = 3600, day = 86400;
    if (seconds >= 2 * day) return significant(seconds / day, 3) + " days";
    if (seconds >= 2 * hour) return significant(seconds / hour, 3) + " h";
    if (seconds >= 2 * minute) return significant(seconds / minute, 3) + " min";
    return timeText(seconds);
}

std::string bytesText(double bytes) {
    constexpr double step = 1024;
    const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    double value = bytes;
    while (std::abs(value) >= step && unit + 1 < std::size(units)) {
        value /= step;
        ++unit;
    }
    return (unit == 0 ? fixedText(value, 0) : significant(value, 3)) + " " + units[unit];
}

std::string countText(double count) {
    if (count >= 1e12) return significant(count / 1e12, 4) + " T";
    if (count >= 1e9) return significant(count / 1e9, 4) + " B";
    if (count >= 1e6) return significant(count / 1e6, 4) + " M";
    return groupedText(count);
}

std::string percentText(double fraction) { return fixedText(fraction * 100, 1) + " %"; }

std::size_t displayWidth(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TextTable::TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

void TextTable::add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

void TextTable::setLeft(std::size_t column) { left_.push_back(column); }

void TextTable::print(std::ostream& out, int indent) const {
    std::vector<std::size_t> widths;
    const auto measure = [&](const std::vector<std::string>& row) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], displayWidth(row[i]));
    };
    measure(header_);
    for (const auto& row : rows_) measure(row);

    const auto printRow = [&](const std::vector<std::string>& row) {
        std::string line(static_cast<std::size_t>(indent), ' ');
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - displayWidth(row[i]), ' ');
            const bool left = std::find(left_.begin(), left_.end(), i) != left_.end();
            line += (i > 0 ? "  " : "") + (left ? row[i] + padding : padding + row[i]);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    };
    if (!header_.empty()) printRow(header_);
    for (const auto& row : rows_) printRow(row);
}

} // namespace orrery
