#include "app/desktop/simulation_worker.hpp"

namespace orrery {

SimulationSteps simulationSteps(const Catalog& catalog) {
    SimulationSteps steps;
    steps.read = [&catalog](const Json& document, const FileReader& readFile) { return readScenario(document, catalog, readFile); };
    steps.simulate = [](const Scenario& scenario, const RunControl& control) { return orrery::simulate(scenario, control); };
    steps.rows = [](const Timeline& timeline, const std::stop_token& stop) { return buildRows(timeline, stop); };
    return steps;
}

} // namespace orrery
