#include "app/desktop/simulation_worker.hpp"
#include "core/simulation/mends.hpp"
#include "core/simulation/pass_effects.hpp"

namespace orrery {

SimulationSteps simulationSteps(const Catalog& catalog) {
    SimulationSteps steps;
    steps.read = [&catalog](const Json& document, const FileReader& readFile) { return readScenario(document, catalog, readFile); };
    steps.simulate = [](const Scenario& scenario, const RunControl& control) { return orrery::simulate(scenario, control); };
    steps.rows = [](const Timeline& timeline, const std::stop_token& stop) { return buildRows(timeline, stop); };
    steps.effects = [](const Scenario& scenario) { return passEffects(scenario); };
    steps.mends = [&catalog](const Json& document, const Result& failed, const FileReader& readFile, const RunControl& control) {
        return tryMends(document, failed, catalog, readFile, control);
    };
    return steps;
}

} // namespace orrery
