// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/simulation_worker.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/simulation/mends.hpp"
#include "core/simulation/pass_effects.hpp"
#include "resources/shipped_evidence.hpp"

#include <memory>

namespace orrery {

SimulationSteps simulationSteps(const Catalog& catalog) {
    SimulationSteps steps;
    steps.read = [&catalog](const Json& document, const FileReader& readFile) { return readScenario(document, catalog, readFile); };
    // Read in the worker's thread, at the first run: the window is there before.
    const auto bars = std::make_shared<std::shared_ptr<const ErrorBars>>();
    steps.simulate = [&catalog, bars](const Scenario& scenario, const RunControl& control) {
        if (!*bars) *bars = shippedErrorBars(catalog);
        return orrery::simulate(scenario, control, Folding::exact, [&bars](Result& result) { addErrorBars(result, **bars); });
    };
    steps.rows = [](const Timeline& timeline, const std::stop_token& stop) { return buildRows(timeline, stop); };
    steps.effects = [](const Scenario& scenario) { return passEffects(scenario); };
    steps.mends = [&catalog](const Json& document, const Result& failed, const FileReader& readFile, const RunControl& control) {
        return tryMends(document, failed, catalog, readFile, control);
    };
    return steps;
}

} // namespace orrery
