// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/measured_cases.hpp"
#include "app/cli/validate_evidence.hpp"
#include "app/common/exit_status.hpp"
#include "core/answers/calibration/calibration_report.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/answers/validation/validate.hpp"
#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "resources/shipped_catalog.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

namespace orrery {

namespace {

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

} // namespace

int runValidate(const ValidateOptions& options) {
    const LoadedCases loaded = loadCases(options.cases, options.settings);
    if (hasErrors(loaded.problems)) return refuse(loaded.problems, options.json);
    RunControl control;
    control.threads = threadsFor(options.threads);
    control.memoryCeiling = options.memoryCeiling * units::gigabyte;
    const Catalog catalog = shippedCatalog();
    std::optional<LeaveOutValidation> leaveOut;
    if (options.leaveOutGroup) leaveOut = validateLeavingOutGroups(loaded.cases, catalog, loaded.readFile, {}, control);
    std::optional<Validation> shipped;
    if (!leaveOut || wantsEvidence(options)) shipped = validate(loaded.cases, scenarioPredictor(catalog, loaded.readFile, control.memoryCeiling), control);
    EvidenceWork evidence;
    if (wantsEvidence(options)) {
        evidence = workOnEvidence(options, loaded.cases, *shipped, leaveOut ? &leaveOut->validation : nullptr, catalog, loaded.readFile);
        if (hasErrors(evidence.problems)) return refuse(evidence.problems, options.json);
    }
    if (options.json) {
        Json document = leaveOut ? leaveOutDocument(*leaveOut) : toJson(*shipped, catalog.calibration());
        if (evidence.coverage) document["coverage"] = toJson(*evidence.coverage);
        printDocument(document);
    } else {
        printText(leaveOut ? leaveOut->validation : *shipped, std::cout);
        if (leaveOut)
            std::cout << "\nEach group by constants fitted without it; mean over groups " << fixedText(meanOverGroups(leaveOut->validation), 1) << " %\n";
        if (evidence.coverage) printCoverage(*evidence.coverage, std::cout);
    }
    return exit_done;
}

} // namespace orrery
