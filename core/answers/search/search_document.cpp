// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/search_document.hpp"
#include "core/answers/search/search.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

void PrunedCounts::add(const std::string& rule, const std::string& why, std::size_t times) {
    PrunedRule& entry = byRule_[rule];
    if (entry.count == 0) entry = {rule, why, 0, {}};
    entry.count += times;
}

void PrunedCounts::add(std::string_view rule, std::size_t combination) {
    auto known = byRule_.find(rule);
    if (known == byRule_.end()) known = byRule_.emplace(rule, PrunedRule{std::string(rule), {}, 0, combination}).first;
    ++known->second.count;
}

void PrunedCounts::add(const PrunedRule& counted) {
    const auto [known, fresh] = byRule_.emplace(counted.rule, counted);
    if (!fresh) known->second.count += counted.count;
}

void PrunedCounts::add(const PrunedCounts& others) {
    for (const auto& [rule, entry] : others.byRule_) add(entry);
}

void PrunedCounts::explain(const std::function<std::string(std::size_t)>& why) {
    for (auto& [rule, entry] : byRule_) {
        if (!entry.example) continue;
        entry.why = why(*entry.example);
        entry.example.reset();
    }
}

std::vector<PrunedRule> PrunedCounts::rules() const {
    std::vector<PrunedRule> rules;
    rules.reserve(byRule_.size());
    for (const auto& [rule, entry] : byRule_) rules.push_back(entry);
    std::stable_sort(rules.begin(), rules.end(), [](const PrunedRule& a, const PrunedRule& b) { return a.count > b.count; });
    return rules;
}

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

Json frontDocument(const SearchQuestion& question, const SearchRun& run) {
    Json list = Json::array();
    for (const FrontPlan& plan : wholeFront(question, run)) {
        list.push_back(planDocument(question, *plan.plan));
        if (plan.isEstimated) list.back()["estimated"] = true;
    }
    return list;
}

std::optional<Costs> costsOf(const SearchQuestion& question, const FoundPlan& plan) {
    const auto figure = [&](const Measure& measure) -> const Json* {
        for (std::size_t m = 0; m < question.space.measures.size() && m < plan.point.metrics.size(); ++m)
            if (question.space.measures[m].pointer == measure.pointer) return &*plan.point.metrics[m];
        return nullptr;
    };
    const Json *first = figure(question.objective.measure), *second = figure(question.second.measure);
    if (!first || !second || !first->is_number() || !second->is_number()) return std::nullopt;
    return Costs{question.objective.cost(first->get<double>()), question.second.cost(second->get<double>())};
}

Json objectiveDocument(const Objective& objective) { return {{objective.maximise ? "maximize" : "minimize", objective.measure.name}}; }

void addPlan(PlainTable& table, const SearchQuestion& question, const FoundPlan& plan, const char* place) {
    std::vector<PlainCell> row{std::string(place)};
    for (const ScenarioEdit& edit : question.space.changes(plan.index)) row.push_back(plainCell(*edit.value));
    for (const BoxedJson& figure : plan.point.metrics) row.push_back(plainCell(*figure));
    table.rows.push_back(std::move(row));
}

} // namespace

std::vector<FrontPlan> wholeFront(const SearchQuestion& question, const SearchRun& run) {
    std::vector<FrontPlan> plans;
    std::vector<Costs> costs;
    const auto add = [&](const std::vector<FoundPlan>& found, bool estimated) {
        for (const FoundPlan& plan : found) {
            const auto is = costsOf(question, plan);
            if (!is) continue;
            plans.push_back({&plan, estimated});
            costs.push_back(*is);
        }
    };
    add(run.front, false);
    add(run.estimatedFront, true);
    std::vector<FrontPlan> front;
    for (const std::size_t plan : frontOf(costs)) front.push_back(plans[plan]);
    return front;
}

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
                  {"pareto", frontDocument(question, run)},
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
    const std::vector<FrontPlan> front = wholeFront(question, run);
    for (const FrontPlan& plan : front) addPlan(plans, question, *plan.plan, plan.isEstimated ? "front by estimate" : "front");
    for (const FoundPlan& plan : run.best) {
        const auto same = [&](const FrontPlan& other) { return other.plan->index == plan.index; };
        if (std::none_of(front.begin(), front.end(), same)) addPlan(plans, question, plan, "runner-up");
    }
    return {std::move(plans), prunedTable(run.pruned)};
}

} // namespace orrery
