// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

/// Pieces of an HTML page. Texts that are given as such are escaped.

namespace orrery::html {

/// For text and for attributes in double quotes.
std::string escaped(std::string_view text);

/// A link where the address is one of the web, else the text alone.
std::string link(std::string_view address, std::string_view text);

/// With a point for decimals and commas between thousands, "−" for minus, whatever the locale.
std::string number(double value, int decimals);

std::string cell(const std::string& content);       ///< of a table; content is HTML
std::string numberCell(const std::string& content); ///< the same, flush right

/// What all pages have before and after their content. `content` is HTML.
std::string page(std::string_view title, std::string_view style, std::string_view content);

} // namespace orrery::html
