// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace orrery {

/// Numbers as a person reads them in a terminal: four significant digits and a unit.
std::string timeText(double seconds);     ///< "11.84 s", "3.2 ms", "45 µs"
std::string spanText(double seconds);     ///< "30 min", "7.2 h", "65.1 days"
std::string bytesText(double bytes);      ///< "61.3 GiB"
std::string countText(double count);      ///< "70.55 B", "1,384"
std::string percentText(double fraction); ///< "42.1 %"
std::string fixedText(double value, int decimals);

/// With one decimal; a dash where there is no value.
inline std::string percentPoints(const std::optional<double>& value) { return value ? fixedText(*value, 1) : "–"; }
std::string groupedText(double value); ///< "1,384,221"

/// Columns of a terminal: the first flush left, the others flush right, two spaces between.
class TextTable {
public:
    explicit TextTable(std::vector<std::string> header = {});
    void add(std::vector<std::string> row);
    /// Columns from here on are flush left again, for words.
    void setLeft(std::size_t column);
    void print(std::ostream& out, int indent = 0) const;
    bool empty() const { return rows_.empty(); }

private:
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> left_{0};
};

/// Places a text takes in a terminal: code points, not bytes.
std::size_t displayWidth(const std::string& text);

} // namespace orrery
