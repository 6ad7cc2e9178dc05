// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A column of a sweep or a search, an axis of a chart.
struct Measure {
    std::string name;    ///< of the scenario's `measures`, or the pointer itself
    std::string pointer; ///< RESULT POINTER
};

/// The one that a text asks for: a name of the scenario's `measures`, else a RESULT POINTER.
Measure measureFor(const Json& document, const std::string& asked);

/// Those asked for, then the scenario's own; its headline figures where both are none. Each once.
std::vector<Measure> measuresFor(const Json& document, const std::vector<std::string>& asked);

/// What a result says of a measure: null where it says nothing.
Json measured(const Json& result, const Measure& measure);

/// Those that a result does not have, as problems.
Problems problemsOf(const std::vector<Measure>& measures, const Json& result);

} // namespace orrery
