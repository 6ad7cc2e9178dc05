// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/freed_elsewhere.hpp"
#include "app/desktop/background/simulation_worker.hpp"
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/mends/mends.hpp"
#include "core/answers/simulation/estimated_result.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/iteration/pass_effects.hpp"
#include "resources/shipped_evidence.hpp"

#include <memory>
#include <mutex>

namespace orrery {

SimulationSteps simulationSteps(const Catalog& catalog) {
    SimulationSteps steps;
    steps.read = [&catalog](const Json& document, const FileReader& readFile) { return readScenario(document, catalog, readFile); };
    // Read in a worker's thread, at the first run: the window is there before. Several workers may come to it at once.
    struct Bars {
        std::once_flag once;
        std::shared_ptr<const ErrorBars> read;
        std::shared_ptr<const DifferenceJudge> differences;
    };
    const auto bars = std::make_shared<Bars>();
    steps.simulate = [&catalog, bars](const Scenario& scenario, const RunControl& control) {
        std::call_once(bars->once, [&] {
            bars->read = shippedErrorBars(catalog);
            bars->differences = std::make_shared<EvidenceJudge>(bars->read, catalog);
        });
        Outcome outcome = orrery::simulate(scenario, control, Folding::exact, [&bars](Result& result) {
            addErrorBars(result, *bars->read);
            result.differences = bars->differences;
        });
        outcome.result = freedElsewhere(std::move(outcome.result));
        return outcome;
    };
    steps.rows = [](const Timeline& timeline, const std::stop_token& stop) { return freedElsewhere(buildRows(timeline, stop)); };
    steps.estimate = [](const Scenario& scenario) { return freedElsewhere(estimatedResult(scenario)); };
    steps.effects = [](const Scenario& scenario) { return passEffects(scenario); };
    steps.mends = [&catalog](const Json& document, const Result& failed, const FileReader& readFile, const RunControl& control) {
        return tryMends(document, failed, catalog, readFile, control);
    };
    return steps;
}

} // namespace orrery
