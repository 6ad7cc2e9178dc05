#include "app/cli/commands.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/output.hpp"
#include "app/cli/text.hpp"
#include "app/common/scenario_files.hpp"
#include "core/validation/predictor.hpp"
#include "core/validation/validate.hpp"
#include "resources/shipped_catalog.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

namespace orrery {

namespace {

std::string percentPoints(const std::optional<double>& value) { return value ? fixedText(*value, 1) : "–"; }

void addRows(TextTable& table, const std::string& group, const MetricSummaries& summaries) {
    std::string label = group;
    for (const auto& [metric, summary] : summaries.metrics) {
        table.add({label, metric, std::to_string(summary.count), std::to_string(summary.scored),
                   percentPoints(summary.meanAbs), percentPoints(summary.meanAbsStrict), percentPoints(summary.medianAbs),
                   percentPoints(summary.p90Abs), percentPoints(summary.maxAbs), percentPoints(summary.mean)});
        label.clear();
    }
}

/// Why cases could not be predicted, most frequent first, each with its first example.
void printRejections(const Validation& validation, std::ostream& out) {
    struct Reason {
        std::size_t cases = 0;
        const ScoredRow* example = nullptr;
    };
    std::map<std::string, Reason> reasons;
    const std::string* lastId = nullptr;
    for (const ScoredRow& row : validation.rows) {
        const bool sameCase = lastId != nullptr && *lastId == row.id;
        lastId = &row.id;
        if (row.status == CaseStatus::ok || sameCase) continue;
        Reason& reason = reasons[std::string(toString(row.status)) + " " + row.code];
        ++reason.cases;
        if (reason.example == nullptr) reason.example = &row;
    }
    if (reasons.empty()) return;
    std::vector<std::pair<std::string, Reason>> sorted(reasons.begin(), reasons.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& x, const auto& y) { return x.second.cases > y.second.cases; });
    out << "\nNot predicted (cases, reason, first example)\n";
    TextTable table;
    table.setLeft(1);
    table.setLeft(2);
    for (const auto& [code, reason] : sorted) {
        table.add({std::to_string(reason.cases), code, reason.example->id + ": " + reason.example->message});
    }
    table.print(out, 2);
}

void printText(const Validation& validation, std::ostream& out) {
    out << validation.cases << " cases; errors in percent, + is too slow or too big\n\n";
    TextTable table({"group", "metric", "count", "scored", "mean |e|", "strict", "median", "p90", "max", "bias"});
    table.setLeft(1);
    for (const auto& [group, summaries] : validation.groups) addRows(table, group, summaries);
    addRows(table, "all", validation.summary);
    table.print(out);
    const OutOfMemorySummary& memory = validation.summary.outOfMemory;
    out << "\nOut of memory, " << memory.count << " cases: predicted and measured " << memory.truePositive
        << ", predicted alone " << memory.falsePositive << ", measured alone " << memory.falseNegative << ", neither "
        << memory.trueNegative << '\n';
    printRejections(validation, out);
}

int threadsFor(int asked) {
    if (asked > 0) return asked;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace

int runValidate(const ValidateOptions& options) {
    const LoadedDocument loaded = loadDocument(options.cases);
    if (!loaded.document || hasErrors(loaded.problems)) return refuse(loaded.problems, options.json);
    const CasesReading reading = readCases(*loaded.document);
    if (hasErrors(reading.problems)) return refuse(reading.problems, options.json);
    if (options.leaveOutGroup) {
        Problem note;
        note.severity = Severity::note;
        note.message = "No constant is fitted to measured cases yet, so leaving a group out changes nothing.";
        printWarnings({note});
    }
    RunControl control;
    control.threads = threadsFor(options.threads);
    const Catalog catalog = shippedCatalog();
    const Validation validation = validate(reading.cases, scenarioPredictor(catalog, loaded.readFile), control);
    if (options.json) printDocument(toJson(validation));
    else printText(validation, std::cout);
    return exit_done;
}

} // namespace orrery
