// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.hpp"
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/file_io.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/share_text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>
#include <thread>

namespace orrery {
namespace {

constexpr double rounding = 1e-9; ///< relative: another machine's library may round the last digit otherwise

/// A figure of the report, and what it is now; nothing: the result has it no longer.
struct Reproduced {
    std::string pointer;
    double reported = 0;
    std::optional<double> now;
    bool same() const { return now && std::abs(*now - reported) <= rounding * std::max(std::abs(*now), std::abs(reported)); }
};

std::vector<Reproduced> comparedFigures(const ReportMark& mark, const Json& result) {
    const std::map<std::string, double> now = figuresOf(result);
    std::vector<Reproduced> figures;
    for (const auto& [pointer, value] : mark.figures) {
        const auto found = now.find(pointer);
        figures.push_back({pointer, value, found == now.end() ? std::nullopt : std::optional(found->second)});
    }
    return figures;
}

Json documentOf(const ReportMark& mark, const std::vector<Reproduced>& figures, bool same) {
    Json list = Json::array();
    for (const Reproduced& one : figures) list.push_back({{"pointer", one.pointer}, {"reported", one.reported}, {"now", one.now ? Json(*one.now) : Json()}, {"same", one.same()}});
    return {{"format", "orrery-reproduction/1"}, {"version", mark.version}, {"same", same}, {"figures", std::move(list)}};
}

} // namespace

int runReproduce(const ReproduceOptions& options) {
    std::string reason;
    const std::optional<std::string> bytes = readTextFile(options.report, reason);
    if (!bytes) return refuse({fileProblem("file-unreadable", options.report, "Cannot read the report: " + reason + ".", "Name a readable report.")}, options.json);
    const std::optional<ReportMark> mark = markIn(*bytes);
    if (!mark) return refuse({fileProblem("no-report", options.report, "No scenario stands in this file.", "Give a report that \"orrery render SCENARIO --report F\" or the window wrote, as .html, .md or .pdf.")}, options.json);
    Problems unread;
    const Catalog catalog = userCatalog(unread);
    const ScenarioReading reading = readScenario(*mark->scenario, catalog, fileReaderFor(std::filesystem::path(options.report).parent_path().string()));
    if (!reading.scenario || hasErrors(reading.problems)) return refuse(reading.problems, options.json);
    RunControl control;
    control.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const Outcome outcome = simulate(*reading.scenario, control);
    if (!outcome.result) return refuse(outcome.problems, options.json);
    const std::vector<Reproduced> figures = comparedFigures(*mark, toJson(*outcome.result));
    const bool same = std::all_of(figures.begin(), figures.end(), [](const Reproduced& one) { return one.same(); });
    if (options.json) {
        printDocument(documentOf(*mark, figures, same));
        return same ? exit_done : exit_does_not_fit;
    }
    TextTable table({"figure", "reported", "now", ""});
    for (const Reproduced& one : figures) table.add({one.pointer, formatNumber(one.reported), one.now ? formatNumber(*one.now) : "–", one.same() ? "same" : "other"});
    table.print(std::cout);
    std::cout << (same ? "All figures come out again." : "Other figures come out than Orrery " + mark->version + " reported.") << '\n';
    return same ? exit_done : exit_does_not_fit;
}

} // namespace orrery
