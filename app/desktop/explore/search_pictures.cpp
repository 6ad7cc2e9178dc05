// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/search_pictures.hpp"

#include "core/answers/search/front.hpp"
#include "core/base/json.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QCoreApplication>

#include <algorithm>

namespace orrery {
namespace {

class SearchText {
    Q_DECLARE_TR_FUNCTIONS(orrery::SearchPage)
};

constexpr std::size_t mostRowsWithin = 500;

bool isFeasible(const SearchQuestion& question, const SweptPoint& point) {
    if (!point.fits.value_or(false)) return false;
    return std::all_of(question.constraints.begin(), question.constraints.end(), [&](const Constraint& constraint) {
        const Json* figure = searchFigure(question, point, constraint.measure);
        return figure && constraint.holds(*figure);
    });
}

bool mostIsBetter(const SearchQuestion& question, const Measure& measure) {
    for (const Objective* objective : {&question.objective, &question.second})
        if (objective->measure.pointer == measure.pointer) return objective->maximise;
    for (const Constraint& constraint : question.constraints)
        if (constraint.measure.pointer == measure.pointer && !constraint.op.empty()) return constraint.op.front() == '>';
    return !lessIsBetter(measure.pointer);
}

/// The axes, and which key or measure each is.
std::vector<std::pair<ParallelAxis, std::size_t>> axesOf(const SearchQuestion& question, const FoundPlans& found) {
    std::vector<std::pair<ParallelAxis, std::size_t>> axes;
    for (std::size_t i = 0; i < question.space.axes.size(); ++i) {
        const SweptKey& key = question.space.axes[i];
        if (key.values.size() > 1) axes.emplace_back(ParallelAxis{key.pointer, keyName(key.pointer), key.values, false}, i);
    }
    for (std::size_t m = 0; m < question.space.measures.size(); ++m) {
        const Measure& measure = question.space.measures[m];
        const bool isNumber = std::any_of(found.begin(), found.end(), [m](const auto& plan) { return m < plan.second->metrics.size() && plan.second->metrics[m]->is_number(); });
        const bool twice = std::any_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first.pointer == measure.pointer; });
        if (!isNumber || twice) continue;
        const QString name = measure.name == measure.pointer ? figureName(measure.pointer) : QString::fromStdString(measure.name);
        axes.emplace_back(ParallelAxis{measure.pointer, name, {}, mostIsBetter(question, measure)}, m);
    }
    return axes;
}

/// Where a combination lies on an axis of the space: the last axis counts fastest.
std::size_t valueOf(const SweepQuestion& space, std::size_t combination, std::size_t axis) {
    for (std::size_t i = space.axes.size(); i-- > axis + 1;) combination /= space.axes[i].values.size();
    return combination % space.axes[axis].values.size();
}

std::optional<double> placeOn(const SearchQuestion& question, const ParallelAxis& axis, std::size_t which, std::size_t combination, const SweptPoint& point) {
    if (axis.isKey()) return static_cast<double>(valueOf(question.space, combination, which));
    if (which >= point.metrics.size() || !point.metrics[which]->is_number()) return std::nullopt;
    return point.metrics[which]->get<double>();
}

QString whyFallen(const std::string& rule) {
    if (rule == "does-not-fit") return SearchText::tr("does not fit by its estimate");
    if (rule == "constraint-broken") return SearchText::tr("broke a constraint, and ended there");
    return rule == "beaten" ? SearchText::tr("others are better in both figures") : SearchText::tr("can't satisfy a constraint");
}

} // namespace

QString planOf(const SearchQuestion& question, std::size_t plan) {
    std::vector<ScenarioEdit> changes = question.space.changes(plan), varied;
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (question.space.axes[i].values.size() > 1) varied.push_back(changes[i]);
    return planWords(varied.empty() ? changes : varied);
}

const Json* searchFigure(const SearchQuestion& question, const SweptPoint& point, const Measure& measure) {
    for (std::size_t m = 0; m < question.space.measures.size() && m < point.metrics.size(); ++m)
        if (question.space.measures[m].pointer == measure.pointer) return &*point.metrics[m];
    return nullptr;
}

SearchPictures picturesOf(const SearchQuestion& question, const FoundPlans& found, const std::vector<FallenPlan>& fallen) {
    SearchPictures pictures;
    pictures.front.xFigure = question.second.measure.pointer;
    pictures.front.yFigure = question.objective.measure.pointer;
    pictures.front.mostOfX = question.second.maximise;
    pictures.front.mostOfY = question.objective.maximise;
    const auto axes = axesOf(question, found);
    for (const auto& axis : axes) pictures.parallel.axes.push_back(axis.first);
    std::vector<FrontChartData::Plan>& plans = pictures.front.plans;
    std::vector<Costs> costs;
    std::vector<std::size_t> planOfCosts; // into `plans`
    for (const auto& [index, point] : found) {
        const Json* x = searchFigure(question, *point, question.second.measure);
        const Json* y = searchFigure(question, *point, question.objective.measure);
        if (!x || !y || !x->is_number() || !y->is_number()) continue;
        FrontChartData::Plan plan{x->get<double>(), y->get<double>(), index, isFeasible(question, *point), false, planOf(question, index)};
        if (plan.feasible) {
            costs.push_back({question.objective.cost(plan.y), question.second.cost(plan.x)});
            planOfCosts.push_back(plans.size());
        }
        ParallelPlans::Plan line{{}, index, plan.feasible, false, plan.words, {}};
        for (const auto& [axis, which] : axes) line.at.push_back(placeOn(question, axis, which, index, *point));
        pictures.parallel.plans.push_back(std::move(line));
        plans.push_back(std::move(plan));
    }
    for (const FallenPlan& plan : fallen) {
        if (found.contains(plan.index)) continue;
        ParallelPlans::Plan line{{}, plan.index, false, false, planOf(question, plan.index), whyFallen(plan.rule)};
        for (const auto& [axis, which] : axes)
            line.at.push_back(axis.isKey() ? std::optional(static_cast<double>(valueOf(question.space, plan.index, which))) : which < plan.known.size() ? plan.known[which]
                                                                                                                                                        : std::nullopt);
        pictures.parallel.plans.push_back(std::move(line));
    }
    std::vector<std::size_t> order(costs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a].first < costs[b].first || (costs[a].first == costs[b].first && costs[a].second < costs[b].second); });
    for (const std::size_t i : order) pictures.ranked.push_back(plans[planOfCosts[i]].point);
    for (const std::size_t i : frontOf(costs)) {
        FrontChartData::Plan& plan = plans[planOfCosts[i]];
        plan.onFront = true;
        pictures.parallel.plans[planOfCosts[i]].onFront = true;
        pictures.rows.push_back({plan.point, found.at(plan.point), SearchText::tr("front")});
    }
    for (std::size_t i = 0; i < std::min(order.size(), listedPlans); ++i) {
        const FrontChartData::Plan& plan = plans[planOfCosts[order[i]]];
        if (!plan.onFront) pictures.rows.push_back({plan.point, found.at(plan.point), SearchText::tr("runner-up")});
    }
    return pictures;
}

std::vector<PointsModel::Listed> rowsWithin(const SearchPictures& pictures, const FoundPlans& found, const Brushes& brushes) {
    std::map<std::size_t, const ParallelPlans::Plan*> within;
    for (const ParallelPlans::Plan& plan : pictures.parallel.plans)
        if (!plan.isFallen() && isWithin(plan, brushes)) within.emplace(plan.point, &plan);
    std::vector<PointsModel::Listed> rows;
    for (const std::size_t point : pictures.ranked) {
        const auto plan = within.find(point);
        if (plan != within.end() && rows.size() < mostRowsWithin) rows.push_back({point, found.at(point), plan->second->onFront ? SearchText::tr("front") : QString()});
    }
    for (const auto& [point, plan] : within)
        if (!plan->feasible && rows.size() < mostRowsWithin) rows.push_back({point, found.at(point), found.at(point)->fits.value_or(false) ? SearchText::tr("breaks a constraint") : SearchText::tr("does not fit")});
    return rows;
}

} // namespace orrery
