// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/records/ranks/beside_record.hpp"

#include <cmath>
#include <iostream>

namespace orrery {
namespace {

constexpr const char* products = "matrix products";

std::string signedPercent(const Json& value) { return value.is_null() ? "–" : (value.get<double>() >= 0 ? "+" : "") + fixedText(value.get<double>(), 1) + " %"; }

void printBeside(const Json& document) {
    std::cout << "Stage " << document.at("stage") << ": " << timeText(document.at("recorded_span_s").get<double>()) << " recorded, " << timeText(document.at("simulated_span_s").get<double>()) << " simulated (" << signedPercent(document.at("span_error_percent")) << ")\n";
    TextTable table({"recorded", "simulated", "error", "kernels recorded", "simulated", "class"});
    table.setLeft(5);
    for (const Json& one : document.at("classes"))
        table.add({timeText(one.at("recorded_s").get<double>()), timeText(one.at("simulated_s").get<double>()), signedPercent(one.at("error_percent")), one.at("recorded_kernels").dump(), one.at("simulated_kernels").dump(), one.at("class").get<std::string>()});
    table.print(std::cout, 2);
    if (const Json& fit = document.at("calibration"); !fit.is_null())
        std::cout << "With execution.calibration.gemm_rate_of_peak " << fixedText(fit.at("gemm_rate_of_peak").get<double>(), 4) << " matrix products are " << signedPercent(fit.at("error_percent")) << " off.\n";
}

std::optional<ResultPtr> simulated(const ScenarioReading& reading, Problems& problems) {
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (!reading.scenario || hasErrors(problems)) return std::nullopt;
    const Outcome outcome = simulate(*reading.scenario);
    problems.insert(problems.end(), outcome.problems.begin(), outcome.problems.end());
    if (!outcome.result || hasErrors(problems)) return std::nullopt;
    return outcome.result;
}

/// The rate of large products at which these take as long as recorded, kept only where a run with it is nearer to the record; null otherwise.
Json calibrated(const LoadedDocument& loaded, const Catalog& catalog, const BesideRecord& beside, double rate, const KinetoTrace& trace) {
    const OperatorClassTimes& before = beside.of(products);
    if (before.recorded <= 0 || before.simulated <= 0) return nullptr;
    const double wanted = rate * before.simulated / before.recorded, error = std::abs(before.simulated / before.recorded - 1);
    if (!(wanted > 0 && wanted <= 1)) return nullptr;
    Json document = *loaded.document;
    document["execution"]["calibration"]["gemm_rate_of_peak"] = wanted;
    Problems problems;
    const auto again = simulated(readScenario(document, catalog, loaded.readFile), problems);
    if (!again) return nullptr;
    const BesideRecord calibratedRun = besideRecord(**again, trace);
    const OperatorClassTimes& after = calibratedRun.of(products);
    if (std::abs(after.simulated / after.recorded - 1) >= error) return nullptr;
    return {{"gemm_rate_of_peak", wanted}, {"error_percent", 100 * (after.simulated / after.recorded - 1)}};
}

} // namespace

int runTraceBeside(const TraceBesideOptions& options) {
    LoadedDocument loaded = loadDocument(options.scenario);
    Problems problems = loaded.problems;
    if (!loaded.document || hasErrors(problems)) return refuse(problems, options.json);
    loaded.document->erase("hybrid");
    const Catalog catalog = userCatalog(problems);
    const auto rules = communicationFile(options.communication, problems);
    const auto trace = rules ? kinetoFile(options.file, *rules, problems) : std::nullopt;
    if (!trace) return refuse(problems, options.json);
    const auto result = simulated(readScenario(*loaded.document, catalog, loaded.readFile), problems);
    if (!result) return refuse(problems, options.json);
    if ((*result)->timeline.operators.empty())
        return refuse(fileProblem("no-timeline", options.scenario, "The scenario has no timeline of one iteration or batch.", "Give a workload of kind \"training\" or \"inference\"."), options.json);
    printWarnings(problems);
    const BesideRecord beside = besideRecord(**result, *trace);
    Json document = besideDocument(beside);
    document["calibration"] = calibrated(loaded, catalog, beside, (*result)->scenario.kernels.gemmRateOfPeak, *trace);
    if (options.json) printDocument(document);
    else printBeside(document);
    return exit_done;
}

} // namespace orrery
