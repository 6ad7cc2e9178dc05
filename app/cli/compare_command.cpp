// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/figure_text.hpp"
#include "app/cli/common/kept_answer.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/compare_records.hpp"
#include "app/cli/trace/recorded_files.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/evidence/difference_bars.hpp"
#include "core/answers/explore/measures.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/results/comparison/compare.hpp"
#include "core/results/comparison/measured_serving.hpp"
#include "resources/shipped_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>

namespace orrery {
namespace {

/// What one side of a comparison is.
struct Compared {
    Json result;
    Json document; ///< the scenario's; null for a saved result
    std::optional<Scenario> scenario;
};

/// A saved result as it is; a scenario simulated. Problems name the file.
std::optional<Compared> comparedOf(const std::string& path, LoadedDocument loaded, const Catalog& catalog, const RunControl& control, Problems& problems) {
    if (loaded.document && loaded.document->is_object() && loaded.document->value("format", Json()) == "orrery-result/1") {
        return Compared{std::move(*loaded.document), {}, {}};
    }
    Problems own;
    std::optional<Compared> compared;
    if (!loaded.document) {
        own = std::move(loaded.problems);
    } else {
        const ScenarioReading reading = readScenario(*loaded.document, catalog, loaded.readFile);
        own = reading.problems;
        if (reading.scenario && !hasErrors(own)) {
            const Outcome outcome = simulate(*reading.scenario, control);
            own.insert(own.end(), outcome.problems.begin(), outcome.problems.end());
            if (outcome.result) compared = Compared{toJson(*outcome.result), *loaded.document, reading.scenario};
        }
    }
    for (Problem& problem : own) {
        if (problem.file.empty()) problem.file = path;
        problems.push_back(std::move(problem));
    }
    return compared;
}

/// Which of the two is better, and how sure that is.
void printSureness(const Comparison& comparison, const std::function<std::string(double)>& figure, std::ostream& out) {
    const auto interval = comparison.interval();
    const auto better = comparison.probabilityABetter();
    if (!interval || !better) return;
    const bool a = *better >= 0.5;
    out << "  " << (a ? "A" : "B") << " is better in " << percentText(a ? *better : 1 - *better) << " of such comparisons; 9 of 10 differences lie between " << figure(interval->low) << " and "
        << figure(interval->high) << "\n  from " << comparison.sureness->basis << '\n';
}

/// `pointer`: empty where the usual figure was asked for.
void printText(const Comparison& comparison, const std::string& pointer, std::ostream& out) {
    const Measure measure{comparison.metric, pointer.empty() ? "/" + comparison.metric : pointer};
    const auto figure = [&](double value) { return figureText(measure, value); };
    TextTable headline;
    headline.add({"A", figure(comparison.a)});
    headline.add({"B", figure(comparison.b)});
    headline.add({"difference", figure(comparison.difference), comparison.a != 0 ? percentText(comparison.difference / comparison.a) : ""});
    out << comparison.metric << '\n';
    headline.print(out, 2);
    printSureness(comparison, figure, out);

    std::vector<Comparison::Part> parts = comparison.parts;
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& x, const auto& y) { return std::abs(x.delta) > std::abs(y.delta); });
    TextTable table;
    for (const Comparison::Part& part : parts) {
        if (part.delta != 0) table.add({part.name, figure(part.delta)});
    }
    if (table.empty()) return;
    out << "\nWhere it comes from\n";
    table.print(out, 2);
}

/// What benchmarks measured, when that is what the file holds. What comes through a pipe comes once, and is read as one document.
std::vector<ServerBenchmark> benchmarksOf(const std::string& path) {
    std::string reason;
    const auto text = tryReadFile(path, reason, {.regularOnly = true});
    return text ? readServerBenchmarks(*text) : std::vector<ServerBenchmark>();
}

/// A figure of a server's benchmark: of times in seconds, of rates per second.
std::string figureText(const BesideMeasured& row, double value) {
    return row.metric.find("per_s") != std::string::npos ? countText(value) + "/s" : timeText(value);
}

int compareWithBenchmarks(const Json& result, const std::vector<ServerBenchmark>& benchmarks, const CompareOptions& options, Problems& problems) {
    const bool several = benchmarks.size() > 1;
    Json list = Json::array();
    std::vector<TextTable> tables;
    for (std::size_t run = 0; run < benchmarks.size(); ++run) {
        tables.push_back(TextTable({"", "measured", "simulated", "error"}));
        for (const BesideMeasured& row : besideBenchmark(result, benchmarks[run])) {
            list.push_back({{"metric", row.metric}, {"measured", row.measured}, {"predicted", row.predicted}, {"error_percent", row.errorPercent}});
            if (several) list.back()["run"] = run + 1;
            tables.back().add({row.metric, figureText(row, row.measured), figureText(row, row.predicted), fixedText(row.errorPercent, 1) + " %"});
        }
    }
    const std::string& program = benchmarks.front().program;
    if (list.empty()) {
        Problem problem;
        problem.code = "not-comparable";
        problem.file = options.a;
        problem.message = "A is no result of served requests, and " + program + " measured nothing else.";
        problem.mend = "Compare a scenario with kind \"serving\".";
        problems.push_back(std::move(problem));
        return refuse(problems, options.json);
    }
    printWarnings(problems);
    if (options.json) {
        Json document{{"format", "orrery-beside-measured/1"}, {"program", program}, {"rows", std::move(list)}};
        if (several) document["runs"] = benchmarks.size();
        printDocument(document);
        return exit_done;
    }
    for (std::size_t run = 0; run < benchmarks.size(); ++run) {
        std::cout << "Beside " << benchmarks[run].program << (several ? ", run " + std::to_string(run + 1) + " of " + std::to_string(benchmarks.size()) : std::string()) << '\n';
        tables[run].print(std::cout, 2);
    }
    return exit_done;
}

} // namespace

int runCompare(const CompareOptions& options) {
    Problems problems;
    const bool aIsRecord = isRecord(options.a), bIsRecord = isRecord(options.b);
    if (aIsRecord && bIsRecord && !options.metric.empty()) return refuse(fileProblem("bad-option", options.a, "--metric points into results; recorded traces are compared by the span of their devices.", "Leave --metric out."), options.json);
    if (aIsRecord && bIsRecord) return runCompareRecords(options.a, options.b, options.communication, options.json);
    if (aIsRecord || bIsRecord) {
        const std::string &record = aIsRecord ? options.a : options.b, &other = aIsRecord ? options.b : options.a;
        return refuse(fileProblem("not-comparable", record, "\"" + record + "\" is a recorded trace or a folder of them, \"" + other + "\" is not.", "Compare two recorded traces; \"trace beside SCENARIO FILE\" holds a scenario beside a record."), options.json);
    }
    const Catalog catalog = userCatalog(problems);
    RunControl control = commandControl();
    control.memoryCeiling = options.memoryCeiling * units::gigabyte;
    const std::optional<Compared> a = comparedOf(options.a, loadDocument(options.a), catalog, control, problems);
    if (!a) return refuse(problems, options.json);
    if (const auto benchmarks = benchmarksOf(options.b); !benchmarks.empty()) return compareWithBenchmarks(a->result, benchmarks, options, problems);
    LoadedDocument other = loadDocument(options.b);
    if (other.document)
        if (auto benchmark = readServerBenchmark(*other.document)) return compareWithBenchmarks(a->result, {std::move(*benchmark)}, options, problems);
    const std::optional<Compared> b = comparedOf(options.b, std::move(other), catalog, control, problems);
    if (!b) return refuse(problems, options.json);
    const std::string metric = options.metric.empty() ? "" : measureFor(a->document, options.metric).pointer;
    std::optional<Comparison> comparison = compareResults(a->result, b->result, problems, metric);
    if (!comparison) return refuse(problems, options.json);
    if (!options.metric.empty()) comparison->metric = options.metric;
    if (a->scenario && b->scenario) judge(*comparison, EvidenceJudge(shippedErrorBars(catalog), catalog), *a->scenario, *b->scenario);
    if (options.json) printDocument(toJson(*comparison));
    else printText(*comparison, metric, std::cout);
    return exit_done;
}

} // namespace orrery
