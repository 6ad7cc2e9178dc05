// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/output.hpp"
#include "app/cli/common/text.hpp"
#include "app/cli/trace/trace_commands.hpp"
#include "app/common/exit_status.hpp"
#include "app/common/scenario_files.hpp"
#include "app/common/user_catalog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/records/ranks/rank_classes.hpp"

#include <iostream>

namespace orrery {
namespace {

Json planDocument(const std::vector<RankClass>& classes, int ranks) {
    Json list = Json::array(), record = Json::array();
    for (const RankClass& one : classes) {
        record.push_back(one.ranks.front());
        list.push_back({{"class", one.name}, {"count", one.ranks.size()}, {"record", one.ranks.front()}});
    }
    return {{"format", "orrery-trace-plan/1"}, {"ranks", ranks}, {"record", std::move(record)}, {"classes", std::move(list)}, {"snippet", profilerSnippet(classes)}};
}

void printPlan(const std::vector<RankClass>& classes, int ranks) {
    std::cout << "Record " << classes.size() << " of " << groupedText(ranks) << " ranks: one of each class.\n";
    TextTable table({"rank", "stands for", "class"});
    table.setLeft(2);
    for (const RankClass& one : classes) table.add({std::to_string(one.ranks.front()), groupedText(static_cast<double>(one.ranks.size())), one.name});
    table.print(std::cout, 2);
    std::cout << '\n'
              << profilerSnippet(classes);
}

} // namespace

int runTracePlan(const TracePlanOptions& options) {
    Problems problems;
    const Catalog catalog = userCatalog(problems);
    const ScenarioReading reading = loadScenario(options.scenario, catalog);
    problems.insert(problems.end(), reading.problems.begin(), reading.problems.end());
    if (!reading.scenario || hasErrors(problems)) return refuse(problems, options.json);
    printWarnings(problems);
    const std::vector<RankClass> classes = rankClasses(*reading.scenario);
    const int ranks = reading.scenario->parallelism.ranks();
    if (options.json) printDocument(planDocument(classes, ranks));
    else printPlan(classes, ranks);
    return exit_done;
}

} // namespace orrery
