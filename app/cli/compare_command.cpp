// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/output.hpp"
#include "app/cli/simulation.hpp"
#include "app/cli/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/report/compare.hpp"
#include "core/report/measured_serving.hpp"
#include "core/simulation/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace orrery {

namespace {

/// A saved result as it is; a scenario simulated. Problems name the file.
std::optional<Json> resultOf(const std::string& path, const Catalog& catalog, const RunControl& control, Problems& problems) {
    LoadedDocument loaded = loadDocument(path);
    if (loaded.document && loaded.document->is_object() && loaded.document->value("format", Json()) == "orrery-result/1") {
        return std::move(loaded.document);
    }
    Problems own;
    std::optional<Json> document;
    if (!loaded.document) {
        own = std::move(loaded.problems);
    } else {
        const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
        own = reading.problems;
        if (reading.scenario && !hasErrors(own)) {
            const Outcome outcome = simulate(*reading.scenario, control);
            own.insert(own.end(), outcome.problems.begin(), outcome.problems.end());
            if (outcome.result) document = toJson(*outcome.result);
        }
    }
    for (Problem& problem : own) {
        if (problem.file.empty()) problem.file = path;
        problems.push_back(std::move(problem));
    }
    return document;
}

void printText(const Comparison& comparison, std::ostream& out) {
    TextTable headline;
    headline.add({"A", timeText(comparison.a)});
    headline.add({"B", timeText(comparison.b)});
    headline.add({"difference", timeText(comparison.difference), percentText(comparison.difference / comparison.a)});
    out << "Iteration time\n";
    headline.print(out, 2);

    std::vector<Comparison::Part> parts = comparison.parts;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& x, const auto& y) { return std::abs(x.delta) > std::abs(y.delta); });
    TextTable table;
    for (const Comparison::Part& part : parts) {
        if (part.delta != 0) table.add({part.name, timeText(part.delta)});
    }
    if (table.empty()) return;
    out << "\nWhere it comes from\n";
    table.print(out, 2);
}

/// What a benchmark measured, when that is what the file holds.
std::optional<ServerBenchmark> benchmarkOf(const std::string& path) {
    const LoadedDocument loaded = loadDocument(path);
    return loaded.document ? readServerBenchmark(*loaded.document) : std::nullopt;
}

/// A figure of a server's benchmark: of times in seconds, of rates per second.
std::string figureText(const BesideMeasured& row, double value) {
    return row.metric.ends_with("per_s") ? countText(value) + "/s" : timeText(value);
}

int compareWithBenchmark(const Json& result, const ServerBenchmark& benchmark, const CompareOptions& options, Problems& problems) {
    const std::vector<BesideMeasured> rows = besideBenchmark(result, benchmark);
    if (rows.empty()) {
        Problem problem;
        problem.code = "not-comparable";
        problem.file = options.a;
        problem.message = "A is no result of served requests, and " + benchmark.program + " measured nothing else.";
        problem.mend = "Compare a scenario with kind \"serving\".";
        problems.push_back(std::move(problem));
        return refuse(problems, options.json);
    }
    if (options.json) {
        Json list = Json::array();
        for (const BesideMeasured& row : rows) list.push_back({{"metric", row.metric}, {"measured", row.measured}, {"predicted", row.predicted}, {"error_percent", row.errorPercent}});
        printDocument(Json{{"format", "orrery-beside-measured/1"}, {"program", benchmark.program}, {"rows", list}});
        return exit_done;
    }
    TextTable table({"", "measured", "simulated", "error"});
    for (const BesideMeasured& row : rows) table.add({row.metric, figureText(row, row.measured), figureText(row, row.predicted), fixedText(row.errorPercent, 1) + " %"});
    std::cout << "Beside " << benchmark.program << '\n';
    table.print(std::cout, 2);
    return exit_done;
}

} // namespace

int runCompare(const CompareOptions& options) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    RunControl control;
    control.memoryCeiling = options.memoryCeiling * units::gigabyte;
    const std::optional<Json> a = resultOf(options.a, catalog, control, problems);
    if (const auto benchmark = benchmarkOf(options.b)) return a ? compareWithBenchmark(*a, *benchmark, options, problems) : refuse(problems, options.json);
    const std::optional<Json> b = resultOf(options.b, catalog, control, problems);
    if (!a || !b) return refuse(problems, options.json);
    const std::optional<Comparison> comparison = compareResults(*a, *b, problems);
    if (!comparison) return refuse(problems, options.json);
    if (options.json) printDocument(toJson(*comparison));
    else printText(*comparison, std::cout);
    return exit_done;
}

} // namespace orrery
