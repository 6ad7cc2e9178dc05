// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/uncertainty.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct Result; // core/results/report/result.hpp

/// A figure of a result that has an error bar. `/uncertainty` of the result document holds the bar under the figure's own pointer.
struct FigureWithBar {
    std::string pointer; ///< "/iteration_time_s", "/ttft_s/p50"
    ErrorOf what = ErrorOf::time;
    double value = 0;
    const char* unit = "";
    bool rate = false; ///< more is better: what limits a time from below limits it from above
};

/// The figures are those of what ran: an iteration, a batch or served requests. A figure without a bar is left out.
std::vector<FigureWithBar> figuresWithBars(const Result& result);

/// The chance that the plan fits, by the error bar of its peak memory; nothing where there is none.
std::optional<double> fitsProbability(const Result& result);

/// What the error of a figure is made of: of a latency the first token and those after it. Empty for a figure that no measured run has. A pointer into a
/// result document of that kind ("training").
std::vector<ErrorOf> errorsOf(std::string_view kind, std::string_view pointer);

} // namespace orrery
