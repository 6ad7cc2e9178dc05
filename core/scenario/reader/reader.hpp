// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

class Catalog; // core/catalog

/// What reading gives: a scenario, or the problems that prevent one (warnings may stand beside a scenario).
struct ScenarioReading {
    std::optional<Scenario> scenario;
    Problems problems;
};

/// Reads a file named in a scenario (`config_file`), relative to it; gives the text, or nothing with `error` set.
using FileReader = std::function<std::optional<std::string>(const std::string& path, std::string& error)>;

/// Parses text as JSON; a syntax error, a number out of range or a duplicate key becomes a problem with file, line and column.
std::optional<Json> parseJson(std::string_view text, const std::string& fileName, Problems& problems);

/// Checks a scenario document against the schema and the rules of the contract, and fills in what it leaves out.
ScenarioReading readScenario(const Json& document, const Catalog& catalog, const FileReader& readFile = {});

} // namespace orrery
