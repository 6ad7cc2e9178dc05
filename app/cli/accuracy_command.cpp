// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "core/answers/evidence/accuracy_report.hpp"
#include "core/answers/evidence/error_tables.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"
#include "resources/shipped_evidence.hpp"

#include <array>
#include <iostream>
#include <utility>

namespace orrery {
namespace {

constexpr std::array<std::pair<ErrorGrouping, const char*>, 4> groupings{{{ErrorGrouping::accelerator, "accelerator"},
                                                                          {ErrorGrouping::model, "model"},
                                                                          {ErrorGrouping::framework, "framework"},
                                                                          {ErrorGrouping::source, "collection"}}};

Json orNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json document(const ErrorSummary& summary) {
    return Json{{"scored", summary.scored},
                {"median_abs_error_percent", orNull(summary.medianAbs)},
                {"mean_abs_error_percent", orNull(summary.meanAbs)},
                {"p90_abs_error_percent", orNull(summary.p90Abs)},
                {"max_abs_error_percent", orNull(summary.maxAbs)},
                {"mean_error_percent", orNull(summary.mean)}};
}

Json document(const ErrorTableRow& row) {
    Json object{{"runs", row.runs}, {"in_sample", document(row.inSample)}};
    if (row.leftOut.scored > 0) object["left_out"] = document(row.leftOut);
    return object;
}

Json document(const Evidence& evidence, ErrorOf what, const Catalog& catalog) {
    Json object{{"all", document(errorTotal(evidence, what))}};
    Json without = Json::object();
    for (const auto& [grouping, name] : groupings) {
        Json rows = Json::array();
        for (const ErrorTableRow& row : errorTable(evidence, grouping, what)) {
            Json one{{name, row.key}};
            one.update(document(row));
            rows.push_back(std::move(one));
        }
        object[std::string("by_") + name] = std::move(rows);
        if (grouping != ErrorGrouping::source) without[name] = withoutEvidence(evidence, grouping, what, catalog);
    }
    object["without_evidence"] = std::move(without);
    return object;
}

void add(TextTable& table, const std::string& name, const ErrorTableRow& row) {
    table.add({name, std::to_string(row.runs), percentPoints(row.inSample.medianAbs), percentPoints(row.inSample.meanAbs), percentPoints(row.inSample.p90Abs),
               percentPoints(row.inSample.mean), percentPoints(row.leftOut.medianAbs), percentPoints(row.leftOut.meanAbs), percentPoints(row.leftOut.p90Abs)});
}

void print(const Evidence& evidence, ErrorOf what, const Catalog& catalog, std::ostream& out) {
    for (const auto& [grouping, name] : groupings) {
        TextTable table({name, "runs", "median", "mean", "p90", "bias", "left out: median", "mean", "p90"});
        for (const ErrorTableRow& row : errorTable(evidence, grouping, what)) add(table, row.key, row);
        add(table, "all", errorTotal(evidence, what));
        table.print(out);
        const std::vector<std::string> without = withoutEvidence(evidence, grouping, what, catalog);
        if (!without.empty()) out << "no run with " << without.size() << " more of the catalogue\n";
        out << '\n';
    }
}

} // namespace

int runAccuracy(const AccuracyOptions& options) {
    const Catalog catalog = shippedCatalog();
    const auto evidence = shippedEvidence();
    if (!options.html.empty()) {
        std::string error;
        if (!writeFileAtomically(options.html, accuracyReport(*evidence, catalog, ErrorBars(evidence, catalog)), error))
            return refuse(fileProblem("cannot-write-file", options.html, error, "Name a file in a folder that you may write to, on a disk with room."), options.json);
        if (!options.json) return exit_done;
    }
    if (options.json) {
        Json whole{{"format", "orrery-accuracy/1"}};
        for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) whole[std::string(kind.word)] = document(*evidence, kind.value, catalog);
        printDocument(whole);
        return exit_done;
    }
    std::cout << evidence->runs.size() << " measured runs; absolute errors in percent, bias + is too slow\n\n";
    for (const Word<ErrorOf>& kind : WordsOf<ErrorOf>::table) {
        std::cout << titleOf(kind.value) << "\n\n";
        print(*evidence, kind.value, catalog, std::cout);
    }
    return exit_done;
}

} // namespace orrery
