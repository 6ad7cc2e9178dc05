// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/exchange/launch/launch.hpp"

#include <iostream>

namespace orrery {

int runLaunch(const LaunchCommandOptions& options) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    const LoadedDocument loaded = loadDocument(options.scenario);
    if (!loaded.document || hasErrors(loaded.problems)) return refuse(loaded.problems, options.json);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems, options.json);
    const auto text = launchText(*loaded.document, *reading.scenario, *launchToolOf(options.tool), problems);
    if (!text) return refuse(problems, options.json);
    if (options.json) printDocument(Json{{"format", "orrery-launch/1"}, {"for", options.tool}, {"text", *text}});
    else std::cout << *text;
    return exit_done;
}

} // namespace orrery
