// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

Json planDocument(const SearchQuestion& question, const FoundPlan& plan) {
    Json document = pointDocument(question.space, plan.index, plan.point);
    document.erase("problem");
    return document;
}

Json plansDocument(const SearchQuestion& question, const std::vector<FoundPlan>& plans) {
    Json list = Json::array();
    for (const FoundPlan& plan : plans) list.push_back(planDocument(question, plan));
    return list;
}

Json objectiveDocument(const Objective& objective) { return {{objective.maximise ? "maximize" : "minimize", objective.measure.name}}; }

void addPlan(PlainTable& table, const SearchQuestion& question, const FoundPlan& plan, const char* place) {
    std::vector<PlainCell> row{std::string(place)};
    for (const ScenarioEdit& edit : question.space.changes(plan.index)) row.push_back(plainCell(*edit.value));
    for (const BoxedJson& figure : plan.point.metrics) row.push_back(plainCell(*figure));
    table.rows.push_back(std::move(row));
}

} // namespace

Json searchDocument(const SearchQuestion& question, const SearchRun& run) {
    Json pruned = Json::array();
    for (const PrunedRule& rule : run.pruned) pruned.push_back({{"rule", rule.rule}, {"count", rule.count}, {"why", rule.why}});
    Json document{{"format", "orrery-search/1"},
                  {"combinations", run.combinations},
                  {"evaluated", run.evaluated},
                  {"feasible", run.feasible},
                  {"pruned", std::move(pruned)},
                  {"objective", objectiveDocument(question.objective)},
                  {"second_objective", objectiveDocument(question.second)},
                  {"best", plansDocument(question, run.best)},
                  {"pareto", plansDocument(question, run.front)},
                  {"rank_correlation", run.rankCorrelation ? Json(*run.rankCorrelation) : Json()}};
    if (run.brokenOff > 0) document["broken_off"] = run.brokenOff;
    return document;
}

PlainTable prunedTable(const std::vector<PrunedRule>& pruned) {
    PlainTable table{"Not simulated", {{std::string("rule"), std::string("plans"), std::string("why")}}};
    for (const PrunedRule& rule : pruned) table.rows.push_back({rule.rule, static_cast<double>(rule.count), rule.why});
    return table;
}

std::vector<PlainTable> searchTables(const SearchQuestion& question, const SearchRun& run) {
    PlainTable plans{"Plans", {{std::string("place")}}};
    for (const SweptKey& axis : question.space.axes) plans.rows.front().emplace_back(axis.pointer);
    for (const Measure& measure : question.space.measures) plans.rows.front().emplace_back(measure.name);
    for (const FoundPlan& plan : run.front) addPlan(plans, question, plan, "front");
    for (const FoundPlan& plan : run.best) {
        const auto same = [&](const FoundPlan& other) { return other.index == plan.index; };
        if (std::none_of(run.front.begin(), run.front.end(), same)) addPlan(plans, question, plan, "runner-up");
    }
    return {std::move(plans), prunedTable(run.pruned)};
}

} // namespace orrery
