// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/csv_cell.hpp"

#include <charconv>

namespace orrery {
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

} // namespace orrery
