// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/search/search.hpp"

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

} // namespace

Json searchDocument(const SearchQuestion& question, const SearchRun& run) {
    Json pruned = Json::array();
    for (const PrunedRule& rule : run.pruned) pruned.push_back({{"rule", rule.rule}, {"count", rule.count}, {"why", rule.why}});
    return {{"format", "orrery-search/1"},
            {"combinations", run.combinations},
            {"evaluated", run.evaluated},
            {"feasible", run.feasible},
            {"pruned", std::move(pruned)},
            {"objective", objectiveDocument(question.objective)},
            {"second_objective", objectiveDocument(question.second)},
            {"best", plansDocument(question, run.best)},
            {"pareto", plansDocument(question, run.front)},
            {"rank_correlation", run.rankCorrelation ? Json(*run.rankCorrelation) : Json()}};
}

} // namespace orrery
