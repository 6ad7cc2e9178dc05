// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/operator_reports.hpp"

#include "app/cli/common/text.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>

namespace orrery {
namespace {

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

} // namespace orrery
