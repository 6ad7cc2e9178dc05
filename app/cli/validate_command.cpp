// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/measured_cases.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/answers/calibration/calibration_report.hpp"
#include "core/answers/evidence/error_tables.hpp"
#include "core/answers/evidence/evidence.hpp"
#include "core/answers/validation/predictor.hpp"
#include "core/answers/validation/validate.hpp"
#include "core/base/json.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/reader/reader.hpp"
#include "resources/shipped_catalog.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// How well error bars made of a validation's own runs cover those runs.
using EvidenceCoverage = std::vector<std::pair<ErrorOf, Coverage>>;

/// Problems when a file is wrong or cannot be written; without coverage where it was not asked for.
struct EvidenceWork {
    std::optional<EvidenceCoverage> coverage;
    Problems problems;
};

void printCoverage(const EvidenceCoverage& coverage, std::ostream& out);

PredictedValues leftOutValues(const std::vector<std::string>& files, Problems& problems) {
    PredictedValues values;
    for (const std::string& file : files) {
        LoadedDocument loaded = loadDocument(file);
        problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
        if (!loaded.document || hasErrors(problems)) return {};
        Problems found;
        values.merge(predictedValues(*loaded.document, found));
        for (Problem& problem : found) {
            problem.file = file;
            problems.push_back(std::move(problem));
        }
    }
    return values;
}

void addRow(TextTable& table, const std::string& name, const CoverageRow& row) {
    constexpr double mostTold = 100; // times the figure: where runs are so unlike any other, a width has no meaning
    const auto percent = [](double share) { return share > mostTold ? "over " + fixedText(100 * mostTold, 0) : fixedText(100 * share, 1); };
    table.add({name, std::to_string(row.runs), std::to_string(row.covered), percent(row.share()), percent(row.meanHalfWidth), percent(row.medianHalfWidth),
               percent(row.medianError), row.medianError > 0 && row.meanHalfWidth <= mostTold ? fixedText(row.meanHalfWidth / row.medianError, 2) : "–",
               row.medianError > 0 ? fixedText(row.medianHalfWidth / row.medianError, 2) : "–"});
}

void printCoverage(const std::string& title, const Coverage& coverage, std::ostream& out) {
    out << '\n'
        << title << '\n';
    TextTable table({"group", "runs", "covered", "coverage", "mean ±", "median ±", "median |e|", "mean ±/|e|", "median ±/|e|"});
    for (const CoverageRow& row : coverage.groups) addRow(table, row.group, row);
    addRow(table, "all", coverage.all);
    table.print(out, 2);
    if (coverage.all.without > 0) out << "  " << coverage.all.without << " runs with too little evidence beside their own pair\n";
}

/// Whether `--evidence` or `--coverage` was asked for.
bool wantsEvidence(const ValidateOptions& options) { return !options.evidenceFile.empty() || options.coverage; }

/// Writes the evidence and judges its error bars, as asked for. `shipped`: predictions by the shipped constants; `leftOut`: by constants
/// fitted without each case's group, null unless that was done; those of the files of `--left-out` fill in for it.
EvidenceWork workOnEvidence(const ValidateOptions& options, const std::vector<MeasuredCase>& cases, const Validation& shipped, const Validation* leftOut,
                            const Catalog& catalog, const FileReader& readFile) {
    EvidenceWork work;
    PredictedValues withoutGroup = leftOut != nullptr ? predictedValues(*leftOut) : PredictedValues{};
    withoutGroup.merge(leftOutValues(options.leftOut, work.problems));
    if (hasErrors(work.problems)) return work;
    auto evidence = std::make_shared<const Evidence>(makeEvidence(cases, shipped, withoutGroup, catalog, readFile));
    std::string error;
    if (!options.evidenceFile.empty() && !writeFileAtomically(options.evidenceFile, toText(*evidence), error)) {
        work.problems.push_back(fileProblem("cannot-write-file", options.evidenceFile, error, "Give --evidence a file in a folder that can be written to."));
        return work;
    }
    if (options.coverage) {
        const ErrorBars bars(evidence, catalog);
        work.coverage.emplace();
        for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table)
            if (!bars.runs(kind.value).empty()) work.coverage->emplace_back(kind.value, evaluateCoverage(bars, kind.value));
    }
    return work;
}

Json toJson(const EvidenceCoverage& coverage) {
    Json document = Json::object();
    for (const auto& [what, covered] : coverage) document[std::string(wordOf(what))] = toJson(covered);
    return document;
}

void printCoverage(const EvidenceCoverage& coverage, std::ostream& out) {
    out << "\nError bars at 90 %, each run's made of runs of other sources and held against the prediction by constants fitted without its group; in percent\n";
    for (const auto& [what, covered] : coverage) printCoverage(titleOf(what), covered, out);
}

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
