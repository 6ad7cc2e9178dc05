// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/uncertainty.hpp"

#include <string>
#include <vector>

namespace orrery {

struct Result; // core/report/result.hpp

/// A figure of a result that has an error bar. `/uncertainty` of the result document holds the bar under the figure's own pointer.
struct FigureWithBar {
    std::string pointer; ///< "/iteration_time_s", "/ttft_s/p50"
    ErrorOf what = ErrorOf::time;
    double value = 0;
    const char* unit = "";
};

/// The figures are those of what ran: an iteration, a batch or served requests. A figure without a bar is left out.
std::vector<FigureWithBar> figuresWithBars(const Result& result);

} // namespace orrery
