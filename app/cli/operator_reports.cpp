#include "app/cli/operator_reports.hpp"

#include "app/cli/text.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr std::uint32_t folds = 5;

/// Neighbours are searched among all rows of a table: a tenth of the rows judged says enough.
constexpr std::uint32_t neighbourShare = 10;

RowFilter thinned(const RowFilter& judge) {
    return [judge](const SystemTables& system, const MeasuredCall& measured) { return measured.row % neighbourShare == 0 && judge(system, measured); };
}

RowFilter without(const RowFilter& judged) {
    return [judged](const SystemTables& system, const MeasuredCall& measured) { return !judged(system, measured); };
}

LeftOutTable judge(LeftOutTable table, const std::vector<SystemTables>& systems, const Catalog& catalog, int threads, const RowFilter& leftOut) {
    const OperatorPredictor predictor = fitPredictor(systems, threads, without(leftOut));
    table.rows = operatorErrors(systems, timesOf(predictor, systems, catalog), leftOut);
    table.neighbours = operatorErrors(systems, nearestNeighbours(systems, without(leftOut)), thinned(leftOut));
    return table;
}

/// A neighbour has to be of the same system: for a system left out there is none.
LeftOutTable judgeSystems(const std::vector<SystemTables>& systems, const Catalog& catalog, int threads) {
    LeftOutTable table{"systems", "One whole system at a time left out; its nearest relative's residuals over its own data sheet.", {}, {}};
    for (const SystemTables& alone : systems) {
        const RowFilter leftOut = [&alone](const SystemTables& system, const MeasuredCall&) { return &system == &alone; };
        const OperatorPredictor predictor = fitPredictor(systems, threads, without(leftOut));
        for (OperatorErrors& row : operatorErrors(systems, timesOf(predictor, systems, catalog), leftOut)) table.rows.push_back(std::move(row));
    }
    return table;
}

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

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

std::vector<LeftOutTable> leftOutTables(const std::vector<SystemTables>& systems, const Catalog& catalog, int threads) {
    std::vector<LeftOutTable> tables;
    tables.push_back(judge({"shapes", "A fifth of the weight shapes, head shapes and models left out whole, on all systems.", {}, {}}, systems, catalog, threads,
                           [](const SystemTables&, const MeasuredCall& measured) { return shapeFold(measured.call, folds) == 0; }));
    tables.push_back(judge({"largest_fifth", "The largest fifth of m, tokens, bytes or length left out.", {}, {}}, systems, catalog, threads, largestFifth(systems)));
    tables.push_back(judgeSystems(systems, catalog, threads));
    return tables;
}

void printLeftOut(const LeftOutTable& table, std::ostream& out) {
    out << "\n" << table.about << "\n";
    printErrors(table.rows, out);
    if (table.neighbours.empty()) return;
    out << "Median over systems and formats of the median error: fit, four nearest neighbours\n";
    TextTable summary;
    for (std::size_t kind = 0; kind < kernelKinds; ++kind) {
        const std::string name(toString(static_cast<KernelKind>(kind)));
        const auto medians = [&](const std::vector<OperatorErrors>& rows) {
            std::vector<double> values;
            for (const OperatorErrors& row : rows)
                if (row.kind == name && row.count > 0) values.push_back(row.median);
            return values;
        };
        if (medians(table.rows).empty()) continue;
        summary.add({name, fixedText(medianOf(medians(table.rows)), 2), fixedText(medianOf(medians(table.neighbours)), 2)});
    }
    summary.print(out, 2);
}

} // namespace orrery
