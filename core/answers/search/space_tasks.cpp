// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/space_tasks.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace orrery {
namespace {

/// Combinations and plans of one task: some milliseconds of work, which is some hundred times what a message costs.
constexpr std::size_t surveyedATask = 1024, estimatedATask = 8;
/// Tickets of simulations are their index; those of other tasks lie above.
constexpr std::size_t firstOther = std::size_t{1} << 62;

/// JSON has no infinity; nothing else is null here.
Json orNull(double value) { return value == std::numeric_limits<double>::infinity() ? Json() : Json(value); }
double orInfinity(const Json& value) { return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>(); }

Json rangeDocument(const PlanRange& range) { return {orNull(range.iterationTime.low), orNull(range.iterationTime.high), orNull(range.devicePeak.low), orNull(range.devicePeak.high)}; }
PlanRange rangeFrom(const Json& document) { return {{orInfinity(document[0]), orInfinity(document[1])}, {orInfinity(document[2]), orInfinity(document[3])}}; }

Json countsDocument(const PrunedCounts& counts) {
    Json list = Json::array();
    for (const PrunedRule& rule : counts.rules()) list.push_back({rule.rule, rule.why, rule.count, rule.example ? Json(*rule.example) : Json()});
    return list;
}

PrunedCounts countsFrom(const Json& document) {
    PrunedCounts counts;
    for (const Json& rule : document) counts.add(PrunedRule{rule[0].get<std::string>(), rule[1].get<std::string>(), rule[2].get<std::size_t>(), rule[3].is_null() ? std::nullopt : std::optional(rule[3].get<std::size_t>())});
    return counts;
}

std::string surveyAnswer(const std::vector<Candidate>& candidates, const PrunedCounts& counts) {
    Json list = Json::array();
    for (const Candidate& candidate : candidates)
        list.push_back({candidate.index, candidate.family, candidate.canBeEstimated, candidate.floor.iterationTime, candidate.floor.devicePeak, candidate.range ? rangeDocument(*candidate.range) : Json()});
    return Json{{"candidates", std::move(list)}, {"counts", countsDocument(counts)}}.dump();
}

std::vector<Candidate> surveyedFrom(const Json& document) {
    std::vector<Candidate> candidates;
    for (const Json& is : document["candidates"]) {
        Candidate candidate;
        candidate.index = is[0].get<std::size_t>();
        candidate.family = is[1].get<std::size_t>();
        candidate.canBeEstimated = is[2].get<bool>();
        candidate.floor = {is[3].get<double>(), is[4].get<double>()};
        if (!is[5].is_null()) candidate.range = rangeFrom(is[5]);
        candidates.push_back(candidate);
    }
    return candidates;
}

std::string estimateAnswer(const std::vector<Candidate>& kept, const PrunedCounts& counts) {
    Json list = Json::array();
    for (const Candidate& candidate : kept)
        list.push_back({candidate.index, candidate.estimatedTime ? Json(*candidate.estimatedTime) : Json(), candidate.estimatedPeak, candidate.isEstimatedToFit, candidate.range ? rangeDocument(*candidate.range) : Json()});
    return Json{{"kept", std::move(list)}, {"counts", countsDocument(counts)}}.dump();
}

void addEstimate(const Json& is, Candidate& candidate) {
    candidate.canBeEstimated = false;
    candidate.estimatedTime = is[1].is_null() ? std::nullopt : std::optional(is[1].get<double>());
    candidate.estimatedPeak = is[2].get<double>();
    candidate.isEstimatedToFit = is[3].get<bool>();
    candidate.range = is[4].is_null() ? std::nullopt : std::optional(rangeFrom(is[4]));
}

RunControl oneThread(const RunControl& control) {
    RunControl single;
    single.memoryCeiling = control.memoryCeiling;
    return single;
}

} // namespace

SpaceTasks::SpaceTasks(const Trials& trials, const SearchQuestion& question, const RunControl& control, bool prune)
    : trials_(trials), space_(question.space), control_(oneThread(control)), survey_(trials, question.space, control_, prune), served_(prune ? ServedPlans::of(trials, question) : nullptr) {}

SpaceTasks::SpaceTasks(const Trials& trials, const SweepQuestion& space, const RunControl& control) : trials_(trials), space_(space), control_(oneThread(control)), survey_(trials, space, control_, false) {}

std::string SpaceTasks::servedAnswer(const Json& plans) {
    PrunedCounts counts;
    Json list = Json::array();
    for (const Json& index : plans) {
        const ServedPlans::Found found = served_->find(index.get<std::size_t>(), control_, counts);
        list.push_back({found.needsWhole, found.isBroken, found.point ? pointDocument(space_, index.get<std::size_t>(), *found.point) : Json()});
    }
    return Json{{"found", std::move(list)}, {"counts", countsDocument(counts)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string SpaceTasks::answer(const std::string& task, const std::stop_token& stop) {
    const Json asked = Json::parse(task);
    PrunedCounts counts;
    if (const auto stretch = asked.find("survey"); stretch != asked.end()) {
        const std::vector<Candidate> found = survey_.between((*stretch)[0].get<std::size_t>(), (*stretch)[1].get<std::size_t>(), counts);
        return surveyAnswer(found, counts);
    }
    if (const auto plans = asked.find("estimate"); plans != asked.end()) {
        std::vector<Candidate> candidates;
        for (const Json& index : *plans) candidates.push_back(survey_.candidateAt(index.get<std::size_t>()));
        const std::vector<Candidate> kept = survey_.estimated(candidates, counts);
        return estimateAnswer(kept, counts);
    }
    if (const auto plans = asked.find("serve"); plans != asked.end()) return servedAnswer(*plans);
    const auto index = asked["simulate"].get<std::size_t>();
    RunControl stopped = control_;
    stopped.stop = stop;
    return pointDocument(space_, index, triedPoint(trials_, space_, index, stopped)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> SpreadSpace::gather(const std::vector<std::string>& tasks, const std::function<void(std::size_t, const std::string&, double)>& onAnswer) {
    for (std::size_t i = 0; i < tasks.size(); ++i) pool_.begin({firstOther + i, tasks[i]});
    std::vector<std::string> answers(tasks.size());
    for (std::size_t open = tasks.size(); open > 0;) {
        std::optional<Task> answer = pool_.next();
        if (!answer) break;
        if (answer->ticket < firstOther) {
            simulated_.push_back(std::move(*answer));
            continue;
        }
        const std::size_t task = answer->ticket - firstOther;
        answers[task] = std::move(answer->text);
        --open;
        if (onAnswer) onAnswer(task, answers[task], 1 - double(open) / double(tasks.size()));
    }
    return answers;
}

std::vector<Candidate> SpreadSpace::all(PrunedCounts& pruned, const RunControl& control) {
    const auto count = static_cast<std::size_t>(space_.points());
    std::vector<std::string> tasks;
    for (std::size_t from = 0; from < count; from += surveyedATask) tasks.push_back(Json{{"survey", {from, std::min(count, from + surveyedATask)}}}.dump());
    std::vector<Candidate> candidates;
    constexpr double half = 0.5;
    for (const std::string& answer : gather(tasks, [&](std::size_t, const std::string&, double share) { if (control.progress) control.progress(half * share); })) {
        const Json document = Json::parse(answer);
        for (Candidate& candidate : surveyedFrom(document)) candidates.push_back(candidate);
        pruned.add(countsFrom(document["counts"]));
    }
    explainPruned(pruned, trials_, space_);
    return candidates;
}

std::vector<Candidate> SpreadSpace::estimated(const std::vector<Candidate>& candidates, PrunedCounts& pruned) {
    std::vector<std::string> tasks;
    for (std::size_t from = 0; from < candidates.size(); from += estimatedATask) {
        Json indices = Json::array();
        for (std::size_t i = from; i < std::min(candidates.size(), from + estimatedATask); ++i) indices.push_back(candidates[i].index);
        tasks.push_back(Json{{"estimate", std::move(indices)}}.dump());
    }
    std::vector<Candidate> kept;
    std::size_t next = 0;
    for (const std::string& answer : gather(tasks)) {
        const Json document = Json::parse(answer);
        for (const Json& is : document["kept"]) { // in the order asked
            while (candidates[next].index != is[0].get<std::size_t>()) ++next;
            kept.push_back(candidates[next++]);
            addEstimate(is, kept.back());
        }
        pruned.add(countsFrom(document["counts"]));
    }
    return kept;
}

std::vector<std::vector<ServedPlans::Found>> SpreadSpace::served(const std::vector<std::vector<std::size_t>>& groups, std::vector<PrunedCounts>& pruned, const RunControl& control, const OnSweptPoint& onPoint) {
    std::vector<std::string> tasks;
    for (const std::vector<std::size_t>& group : groups) tasks.push_back(Json{{"serve", Json(group)}}.dump());
    std::vector<std::vector<ServedPlans::Found>> all(groups.size());
    gather(tasks, [&](std::size_t group, const std::string& answer, double share) {
        const Json document = Json::parse(answer);
        for (const Json& is : document["found"]) {
            ServedPlans::Found& found = all[group].emplace_back();
            found.needsWhole = is[0].get<bool>();
            found.isBroken = is[1].get<bool>();
            if (!is[2].is_null()) found.point = pointFrom(space_, is[2]);
            if (found.point) onPoint(groups[group][all[group].size() - 1], *found.point);
        }
        pruned[group] = countsFrom(document["counts"]);
        if (control.progress) control.progress(share);
    });
    return all;
}

void SpreadSpace::begin(std::size_t index) { pool_.begin({index, Json{{"simulate", index}}.dump()}); }

std::optional<TrialPool::Done> SpreadSpace::next() {
    std::optional<Task> answer;
    if (!simulated_.empty()) {
        answer = std::move(simulated_.front());
        simulated_.pop_front();
    } else {
        answer = pool_.next();
    }
    if (!answer) return std::nullopt;
    auto point = pointFrom(space_, Json::parse(answer->text, nullptr, false));
    if (!point) return std::nullopt;
    return Done{answer->ticket, std::move(*point)};
}

void SpreadSpace::drop() {
    simulated_.clear();
    pool_.drop();
}

} // namespace orrery
