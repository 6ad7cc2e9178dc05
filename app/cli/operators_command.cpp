// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/simulation.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/measured_cases.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/operator_tables.hpp"
#include "core/base/json.hpp"
#include "core/base/json_forward.hpp"
#include "core/catalog/catalog.hpp"
#include "core/operators/fitting.hpp"
#include "resources/shipped_catalog.hpp"
#include "resources/shipped_predictor.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <ostream>
#include <string_view>

namespace orrery {
namespace {

/// What a fit is kept from seeing, to be judged on it.
enum class LeftOut {
    shapes,  ///< each fifth of the weight shapes, head shapes and models in turn
    lengths, ///< the largest fifth of m, tokens, bytes or length
    system,  ///< each system in turn
};

/// Errors on rows that a fit never saw, and those of the four nearest rows it did see and of the data sheet's roofline.
struct LeftOutTable {
    LeftOut what = LeftOut::shapes;
    std::string name;  ///< that of LeftOut's value
    std::string about; ///< one sentence
    std::vector<OperatorErrors> rows, neighbours, rooflines;
};

/// What errors are to stay below, percent; nothing where none is set: for lengths, and for machines whose links are none.
struct ErrorAim {
    double median = 0;
    std::optional<double> p90;
};

/// The document of its rows, with "left_out": its name, and "four_nearest" and "roofline": rows of those.
Json toDocument(const LeftOutTable& table);

/// Kinds that are measured in few models have so many, so that each of those is left out alone.
constexpr std::size_t shapeParts = 20;

/// Neighbours are searched among all rows of a table: a tenth of the rows judged says enough.
constexpr std::uint32_t neighbourShare = 10;

RowFilter thinned(const RowFilter& judge) {
    return [judge](const SystemTables& system, const MeasuredCall& measured) { return measured.row % neighbourShare == 0 && judge(system, measured); };
}

RowFilter without(const RowFilter& judged) {
    return [judged](const SystemTables& system, const MeasuredCall& measured) { return !judged(system, measured); };
}

/// Errors where row by row one of several fits is asked: the one that did not see it.
LeftOutTable judge(LeftOutTable table, const std::vector<SystemTables>& systems, const Catalog& catalog, int threads,
                   const std::vector<RowFilter>& parts, const std::function<std::size_t(const SystemTables&, const KernelCall&)>& partOf) {
    std::vector<OperatorPredictor> predictors;
    predictors.reserve(parts.size());
    for (const RowFilter& part : parts) predictors.push_back(fitPredictor(systems, threads, without(part)));
    std::vector<CallTime> fitted, nearest;
    for (const OperatorPredictor& predictor : predictors) fitted.push_back(timesOf(predictor, systems, catalog));
    for (const RowFilter& part : parts) nearest.push_back(nearestNeighbours(systems, without(part)));
    const RowFilter judged = [&](const SystemTables& system, const MeasuredCall& measured) {
        return std::any_of(parts.begin(), parts.end(), [&](const RowFilter& part) { return part(system, measured); });
    };
    const auto ask = [&partOf](const std::vector<CallTime>& times) {
        return [&times, &partOf](const SystemTables& system, const KernelCall& call) { return times[partOf(system, call)](system, call); };
    };
    table.rows = operatorErrors(systems, ask(fitted), judged);
    table.neighbours = operatorErrors(systems, ask(nearest), thinned(judged));
    table.rooflines = operatorErrors(systems, rooflineTimes(systems), judged);
    return table;
}

LeftOutTable judgeShapes(const std::vector<SystemTables>& systems, const Catalog& catalog, int threads) {
    const ShapePart partOf = dealShapes(systems, shapeParts);
    std::vector<RowFilter> parts;
    for (std::size_t part = 0; part < shapeParts; ++part)
        parts.push_back([part, partOf](const SystemTables&, const MeasuredCall& measured) { return partOf(measured.call) == part; });
    return judge({LeftOut::shapes, "shapes", "Each twentieth of the weight shapes, head shapes and models in turn left out whole, on all systems.", {}, {}, {}},
                 systems, catalog, threads, parts, [partOf](const SystemTables&, const KernelCall& call) { return partOf(call); });
}

LeftOutTable judgeLengths(const std::vector<SystemTables>& systems, const Catalog& catalog, int threads) {
    return judge({LeftOut::lengths, "lengths", "The largest fifth of m, tokens, bytes or length left out.", {}, {}, {}}, systems, catalog, threads,
                 {largestFifth(systems)}, [](const SystemTables&, const KernelCall&) { return std::size_t(0); });
}

/// Neighbours are those on its nearest relative, over its own data sheet's times: as the fit has it.
LeftOutTable judgeSystems(const std::vector<SystemTables>& systems, const Catalog& catalog, int threads) {
    LeftOutTable table{LeftOut::system, "system", "One whole system at a time left out; its nearest relative's residuals over its own data sheet.", {}, {}, {}};
    table.rooflines = operatorErrors(systems, rooflineTimes(systems));
    for (const SystemTables& alone : systems) {
        const RowFilter leftOut = [&alone](const SystemTables& system, const MeasuredCall&) { return &system == &alone; };
        const OperatorPredictor predictor = fitPredictor(systems, threads, without(leftOut));
        for (OperatorErrors& row : operatorErrors(systems, timesOf(predictor, systems, catalog), leftOut)) table.rows.push_back(std::move(row));
        const SystemTables* relative = nearestSystem(alone, systems);
        if (!relative) continue;
        const CallTime nearest = nearestNeighbours(systems, without(leftOut), {{&alone, relative}});
        for (OperatorErrors& row : operatorErrors(systems, nearest, thinned(leftOut))) table.neighbours.push_back(std::move(row));
    }
    return table;
}

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// `{"rows": [{"system", "operator", "dtype", "count", "median_abs_error_percent", "p90_abs_error_percent"}]}`; rows that nothing is
/// predicted for stand beside as `refused`.
Json toDocument(const std::vector<OperatorErrors>& rows) {
    Json list = Json::array();
    for (const OperatorErrors& row : rows) {
        Json entry;
        entry["system"] = row.system;
        entry["operator"] = row.kind;
        entry["dtype"] = row.format;
        entry["count"] = row.count;
        entry["median_abs_error_percent"] = row.count > 0 ? Json(row.median) : Json();
        entry["p90_abs_error_percent"] = row.count > 0 ? Json(row.p90) : Json();
        if (row.refused > 0) entry["refused"] = row.refused;
        list.push_back(std::move(entry));
    }
    Json document;
    document["rows"] = std::move(list);
    return document;
}

Json toDocument(const LeftOutTable& table) {
    Json document = toDocument(table.rows);
    document["left_out"] = table.name;
    document["four_nearest"] = toDocument(table.neighbours)["rows"];
    document["roofline"] = toDocument(table.rooflines)["rows"];
    return document;
}

void printErrors(const std::vector<OperatorErrors>& rows, std::ostream& out) {
    out << "Absolute errors in percent\n";
    TextTable table({"system", "operator", "dtype", "count", "not predicted", "median", "p90"});
    table.setLeft(1);
    table.setLeft(2);
    for (const OperatorErrors& row : rows)
        table.add({row.system, row.kind, row.format, std::to_string(row.count), row.refused > 0 ? std::to_string(row.refused) : "",
                   row.count > 0 ? fixedText(row.median, 2) : "–", row.count > 0 ? fixedText(row.p90, 2) : "–"});
    table.print(out);
}

std::optional<LeftOut> leftOutFrom(std::string_view name) {
    if (name == "shapes") return LeftOut::shapes;
    if (name == "lengths") return LeftOut::lengths;
    if (name == "system") return LeftOut::system;
    return std::nullopt;
}

/// Fits as often as there are parts to leave out: 4 CPU minutes for shapes, less for the others.
LeftOutTable leftOutTable(LeftOut what, const std::vector<SystemTables>& systems, const Catalog& catalog, int threads) {
    switch (what) {
    case LeftOut::shapes: return judgeShapes(systems, catalog, threads);
    case LeftOut::lengths: return judgeLengths(systems, catalog, threads);
    case LeftOut::system: return judgeSystems(systems, catalog, threads);
    }
    return {};
}

std::optional<ErrorAim> errorAim(LeftOut what, const OperatorErrors& row) {
    if (row.system == "l40s" || row.count == 0 || what == LeftOut::lengths) return std::nullopt; // a host without links between its cards
    const auto kind = kernelKindFrom(row.kind);
    if (kind && hasSourceColumns(*kind)) return ErrorAim{what == LeftOut::system ? 15.0 : 10.0, std::nullopt};
    if (what == LeftOut::system) return ErrorAim{20, std::nullopt};
    if (row.kind == "gemm" || row.kind == "context_attention") return ErrorAim{3, 10};
    if (row.kind == "generation_attention") return ErrorAim{3.5, 16};
    if (row.kind == "context_mla" || row.kind == "generation_mla") return ErrorAim{3, std::nullopt};
    if (row.kind == "moe") return ErrorAim{11, 36};
    return ErrorAim{13, 36};
}

void printLeftOut(const LeftOutTable& table, std::ostream& out) {
    out << table.about << "\nAbsolute errors in percent\n";
    TextTable rows({"system", "operator", "dtype", "count", "not predicted", "median", "p90", "four nearest", "p90 ", "roofline", "aim", ""});
    rows.setLeft(1);
    rows.setLeft(2);
    rows.setLeft(11);
    std::size_t held = 0, judged = 0;
    for (const OperatorErrors& row : table.rows) {
        const auto like = [&row](const OperatorErrors& other) { return other.system == row.system && other.kind == row.kind && other.format == row.format && other.count > 0; };
        const auto nearest = std::find_if(table.neighbours.begin(), table.neighbours.end(), like);
        const auto roofline = std::find_if(table.rooflines.begin(), table.rooflines.end(), like);
        const bool compared = nearest != table.neighbours.end();
        std::string aim, verdict;
        if (const auto wanted = errorAim(table.what, row)) {
            const bool holds = row.median <= wanted->median && (!wanted->p90 || row.p90 <= *wanted->p90);
            ++judged;
            held += holds ? 1 : 0;
            aim = fixedText(wanted->median, 1) + (wanted->p90 ? " / " + fixedText(*wanted->p90, 0) : "");
            verdict = holds ? "holds" : "misses";
        }
        rows.add({row.system, row.kind, row.format, std::to_string(row.count), row.refused > 0 ? std::to_string(row.refused) : "",
                  row.count > 0 ? fixedText(row.median, 2) : "–", row.count > 0 ? fixedText(row.p90, 2) : "–",
                  compared ? fixedText(nearest->median, 2) : "–", compared ? fixedText(nearest->p90, 2) : "–", roofline != table.rooflines.end() ? fixedText(roofline->median, 0) : "–", aim, verdict});
    }
    rows.print(out);
    if (judged > 0) out << held << " of " << judged << " hold their aim\n";
    out << "Median over systems and formats of the median error\n";
    TextTable summary({"operator", "fit", "four nearest", "roofline"});
    for (std::size_t kind = 0; kind < kernelKinds; ++kind) {
        const std::string name(toString(static_cast<KernelKind>(kind)));
        const auto medians = [&](const std::vector<OperatorErrors>& of) {
            std::vector<double> values;
            for (const OperatorErrors& row : of)
                if (row.kind == name && row.count > 0) values.push_back(row.median);
            return values;
        };
        if (medians(table.rows).empty()) continue;
        const auto shown = [](const std::vector<double>& of) { return of.empty() ? "–" : fixedText(medianOf(of), 2); };
        summary.add({name, shown(medians(table.rows)), shown(medians(table.neighbours)), shown(medians(table.rooflines))});
    }
    summary.print(out);
}

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
