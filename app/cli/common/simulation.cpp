// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/simulation.hpp"

#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/mends/mends.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/catalog/catalog.hpp"
#include "resources/shipped_evidence.hpp"

#include <algorithm>
#include <thread>

namespace orrery {

ResultPtr simulateFile(const std::string& path, const RunControl& asked, Problems& problems, Mends mends) {
    const LoadedDocument loaded = loadDocument(path);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.document || hasErrors(loaded.problems)) return nullptr;
    const Catalog catalog = userCatalog(problems);
    const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (!reading.scenario || hasErrors(reading.problems)) return nullptr;
    RunControl control = asked;
    // Bars are a third of what the smallest scenario costs: only what has some waits for them.
    const auto addBars = [&catalog](Result& result) {
        if (!result.scenario.recorded() && !result.scenario.model.toy) addErrorBars(result, *shippedErrorBars(catalog, EvidenceParts::figures));
    };
    const Outcome outcome = simulate(*reading.scenario, control, Folding::exact, addBars);
    problems.insert(problems.end(), outcome.problems.begin(), outcome.problems.end());
    if (mends == Mends::none) return outcome.result;
    // Dozens of simulations that do not depend on each other.
    control.threads = std::max(asked.threads, static_cast<int>(std::thread::hardware_concurrency()));
    return withTriedMends(outcome.result, *loaded.document, catalog, loaded.readFile, control);
}

int threadsFor(int asked) { return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int exitStatusOf(const Result& result) { return result.fits ? exit_done : exit_does_not_fit; }

} // namespace orrery
