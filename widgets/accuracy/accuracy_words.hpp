// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_tables.hpp"

#include <QString>

namespace orrery {

/// "−12.3 %", "+4.0 %"; "–" for nothing.
QString signedPercent(const std::optional<double>& percent);
/// "12.3 %"; "–" for nothing.
QString plainPercent(const std::optional<double>& percent);
/// A measured or predicted figure with its unit: "12.4 s", "5,120 tokens/s", "61.3 GiB".
QString figureText(const std::string& metric, double value);
/// "time to first token".
QString errorKindWord(ErrorOf what);
/// The same for a box that has little room: "TTFT".
QString errorKindLabel(ErrorOf what);
/// What groups of runs are called: "accelerator".
QString groupingWord(ErrorGrouping grouping);

} // namespace orrery
