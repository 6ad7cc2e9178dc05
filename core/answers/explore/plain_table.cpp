// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/explore/plain_table.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <array>
#include <charconv>

namespace orrery {
namespace {

/// The shortest text that reads back as the same number.
std::string inCsv(double number) {
    constexpr std::size_t longest = 32;
    std::array<char, longest> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), written.ptr};
}

struct CellText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool is) const { return is ? "true" : "false"; }
    std::string operator()(double number) const { return inCsv(number); }
    std::string operator()(const std::string& text) const { return csvCell(text); }
};

} // namespace

PlainCell plainCell(const Json& value) {
    if (value.is_null()) return std::monostate();
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>();
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string csvText(const PlainTable& table) {
    std::string text;
    for (const std::vector<PlainCell>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) text += ',';
            text += std::visit(CellText(), row[i]);
        }
        text += '\n';
    }
    return text;
}

} // namespace orrery
