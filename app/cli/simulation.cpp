#include "app/cli/simulation.hpp"

#include "app/cli/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "core/simulation/simulate.hpp"
#include "resources/shipped_catalog.hpp"

namespace orrery {

ResultPtr simulateFile(const std::string& path, int threads, Problems& problems) {
    const ScenarioReading reading = loadScenario(path, shippedCatalog());
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (!reading.scenario || hasErrors(reading.problems)) return nullptr;
    RunControl control;
    control.threads = threads;
    const Outcome outcome = simulate(*reading.scenario, control);
    problems.insert(problems.end(), outcome.problems.begin(), outcome.problems.end());
    return outcome.result;
}

int exitStatusOf(const Result& result) { return result.fits ? exit_done : exit_does_not_fit; }

} // namespace orrery
