// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/exchange/import/import.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace orrery {

inline Json scenarioOf(const std::string& text, const ImportOptions& options = {}) {
    const Import imported = importCommandLine(text, options);
    for (const Problem& problem : imported.problems) EXPECT_NE(problem.severity, Severity::error) << toText(problem);
    return imported.scenario.value_or(Json::object());
}

/// The value at a pointer, null when there is none.
inline Json at(const Json& document, const std::string& pointer) {
    const Json::json_pointer place(pointer);
    return document.contains(place) ? document.at(place) : Json();
}

/// Problems of one code that mention a word.
inline std::ptrdiff_t mentions(const Problems& problems, const std::string& code, const std::string& word, int line = 0) {
    return std::count_if(problems.begin(), problems.end(), [&](const Problem& problem) {
        return problem.code == code && problem.message.find(word) != std::string::npos && (line == 0 || problem.line == line);
    });
}

/// Reads a scenario as the simulation would; no error is allowed.
inline Scenario soundScenario(const Json& document) {
    ScenarioReading reading = readScenario(document, shippedCatalog());
    for (const Problem& problem : reading.problems) EXPECT_NE(problem.severity, Severity::error) << toText(problem);
    return reading.scenario.value_or(Scenario{});
}

} // namespace orrery
