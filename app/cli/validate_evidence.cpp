// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/validate_evidence.hpp"

#include "app/cli/common/text.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/answers/evidence/error_tables.hpp"
#include "core/answers/evidence/evidence.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <memory>
#include <utility>

namespace orrery {

namespace {

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

} // namespace

bool wantsEvidence(const ValidateOptions& options) { return !options.evidenceFile.empty() || options.coverage; }

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

} // namespace orrery
