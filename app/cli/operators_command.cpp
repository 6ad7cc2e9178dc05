// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/measured_cases.hpp"
#include "app/cli/operator_reports.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/operator_tables.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"
#include "resources/shipped_predictor.hpp"

#include <filesystem>
#include <iostream>

namespace orrery {
namespace {

/// The predictor of a file that `operators fit` wrote, or the shipped one.
std::shared_ptr<const OperatorPredictor> predictorFrom(const std::string& file, Problems& problems) {
    if (file.empty()) return shippedPredictor();
    Problem problem;
    problem.code = "bad-predictor-file";
    problem.file = file;
    std::string reason;
    if (const auto bytes = tryReadFile(file, reason)) {
        try {
            return std::make_shared<const OperatorPredictor>(OperatorPredictor::fromBytes(*bytes));
        } catch (const std::invalid_argument& wrong) {
            reason = wrong.what();
        }
    }
    problem.message = "Cannot use " + file + " as a predictor: " + reason + ".";
    problem.mend = "Make it again with \"orrery-cli operators fit\".";
    problems.push_back(problem);
    return nullptr;
}

/// An error when `file` can't be written, before minutes are spent on what it should hold.
bool writable(const std::string& file, Problems& problems) {
    std::string error;
    std::string reason;
    const auto old = tryReadFile(file, reason, {.regularOnly = true});
    std::error_code ignored;
    if (!old && std::filesystem::is_regular_file(file, ignored)) error = "Cannot keep what is in " + file + ": " + reason + ".";
    else if (writeFileAtomically(file, old.value_or(""), error)) return true;
    Problem problem;
    problem.code = "cannot-write";
    problem.file = file;
    problem.message = error;
    problem.mend = "Give --out a file in a folder that can be written to.";
    problems.push_back(problem);
    return false;
}

} // namespace

int runOperatorsEvaluate(const OperatorsEvaluateOptions& options) {
    Problems problems;
    const Catalog catalog = shippedSpecifications();
    const auto systems = loadOperatorTables(options.folder, catalog, problems);
    if (hasErrors(problems)) return refuse(problems, options.json);
    if (const auto leftOut = leftOutFrom(options.leftOut)) {
        printWarnings(problems);
        const LeftOutTable table = leftOutTable(*leftOut, systems, catalog, threadsFor(options.threads));
        if (options.json) printDocument(toDocument(table));
        else printLeftOut(table, std::cout);
        return exit_done;
    }
    const auto predictor = predictorFrom(options.predictor, problems);
    if (!predictor) return refuse(problems, options.json);
    printWarnings(problems);
    const auto rows = operatorErrors(systems, timesOf(*predictor, systems, catalog));
    if (options.json) printDocument(toDocument(rows));
    else printErrors(rows, std::cout);
    return exit_done;
}

int runOperatorsFit(const OperatorsFitOptions& options) {
    Problems problems;
    const Catalog catalog = shippedSpecifications();
    const auto systems = loadOperatorTables(options.folder, catalog, problems);
    if (hasErrors(problems) || !writable(options.out, problems)) return refuse(problems, options.json);
    printWarnings(problems);
    const int threads = threadsFor(options.threads);
    const OperatorPredictor predictor = fitPredictor(systems, threads);
    const std::string bytes = predictor.toBytes();
    std::string error;
    if (!writeFileAtomically(options.out, bytes, error)) {
        Problem problem;
        problem.code = "cannot-write";
        problem.file = options.out;
        problem.message = error;
        return refuse(problem, options.json);
    }
    Json document;
    document["format"] = "orrery-operator-fit/1";
    document["file"] = options.out;
    document["bytes"] = bytes.size();
    document["models"] = predictor.models().size();
    if (!options.json) std::cout << options.out << ": " << predictor.models().size() << " models, " << bytes.size() << " bytes\n";
    if (options.leaveOut) {
        for (const LeftOut what : {LeftOut::shapes, LeftOut::lengths, LeftOut::system}) {
            const LeftOutTable table = leftOutTable(what, systems, catalog, threads);
            document["left_out"][table.name] = toDocument(table);
            if (options.json) continue;
            std::cout << "\n";
            printLeftOut(table, std::cout);
        }
    }
    if (options.json) printDocument(document);
    return exit_done;
}

int runOperatorsImport(const OperatorsImportOptions& options) {
    Problems problems;
    const auto imported = importMeasuredTable(options.file, options.accelerator, options.kind, shippedCatalog(), problems);
    if (!imported) return refuse(problems, options.json);
    printWarnings(problems);
    if (options.json) {
        Json document;
        document["format"] = "orrery-operator-import/1";
        document["file"] = imported->file;
        document["accelerator"] = imported->accelerator;
        document["operator"] = toString(imported->kind);
        document["rows"] = imported->rows;
        document["kept"] = imported->kept;
        printDocument(document);
    } else {
        std::cout << imported->rows << " measured times of " << toString(imported->kind) << " on " << imported->accelerator << " imported; "
                  << imported->kept << " are kept in " << imported->file << "\n";
    }
    return exit_done;
}

} // namespace orrery
