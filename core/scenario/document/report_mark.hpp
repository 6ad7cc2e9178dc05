// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// What a report carries beside its words, so that it can be opened and made again.
struct ReportMark {
    std::string version;                   ///< of the program that wrote it
    BoxedJson scenario;                    ///< whole
    std::map<std::string, double> figures; ///< by pointer into the result document, in its units
};

/// The figures that a result document has as numbers: those at its top, and the peak of memory.
std::map<std::string, double> figuresOf(const Json& result);

/// The mark as one line of letters, digits, '-' and '_' (shareTextOf): it can stand in HTML, Markdown and a PDF's metadata alike.
std::string markText(const ReportMark& mark);

/// The mark in the bytes of a report, wherever it stands; nothing where there is none.
std::optional<ReportMark> markIn(std::string_view bytes);

} // namespace orrery
