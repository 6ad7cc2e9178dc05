// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/search_question.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

const Json* memberOf(const Json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found == object.end() ? nullptr : &*found;
}

std::optional<Objective> objectiveIn(const Json& document, const Json& search, const char* key) {
    const Json* given = memberOf(search, key);
    if (!given) return std::nullopt;
    const Json* most = memberOf(*given, "maximize");
    const Json* least = memberOf(*given, "minimize");
    const Json* pointer = most ? most : least;
    if (!pointer || !pointer->is_string()) return std::nullopt;
    return Objective{measureFor(document, pointer->get<std::string>()), most != nullptr};
}

/// The usual objectives of a kind of workload: what is best, and what it costs.
std::vector<Objective> usualObjectives(const Json& document) {
    const Json* kind = valueAt(document, "/workload/kind");
    const auto of = [](const char* pointer, bool maximise) { return Objective{{pointer, pointer}, maximise}; };
    if (kind && *kind == "inference") return {of("/output_tokens_per_s_per_accelerator", true), of("/tpot_s", false)};
    if (kind && *kind == "serving") return {of("/output_tokens_per_s_per_accelerator", true), of("/output_tokens_per_s_per_user", true)};
    return {of("/iteration_time_s", false), of("/memory/peak_bytes", false)};
}

std::vector<Constraint> constraintsIn(const Json& document, const Json& search) {
    std::vector<Constraint> constraints;
    const Json* list = memberOf(search, "constraints");
    if (!list || !list->is_array()) return constraints;
    for (const Json& entry : *list) {
        const Json *pointer = memberOf(entry, "pointer"), *op = memberOf(entry, "op"), *value = memberOf(entry, "value");
        if (pointer && pointer->is_string() && op && op->is_string() && value)
            constraints.push_back({measureFor(document, pointer->get<std::string>()), op->get<std::string>(), *value});
    }
    return constraints;
}

bool isUpper(const Constraint& constraint) { return constraint.op == "<" || constraint.op == "<=" || constraint.op == "=="; }
bool isLower(const Constraint& constraint) { return constraint.op == ">" || constraint.op == ">=" || constraint.op == "=="; }

/// Two limits of one figure between which nothing lies.
bool contradict(const Constraint& a, const Constraint& b) {
    if (a.measure.pointer != b.measure.pointer || !a.value->is_number() || !b.value->is_number()) return false;
    const auto crossed = [](const Constraint& upper, const Constraint& lower) {
        if (!isUpper(upper) || !isLower(lower)) return false;
        const double most = *upper.value, least = *lower.value;
        const bool open = upper.op == "<" || lower.op == ">";
        return most < least || (open && most == least);
    };
    return crossed(a, b) || crossed(b, a);
}

void checkConstraints(const std::vector<Constraint>& constraints, Problems& problems) {
    for (std::size_t i = 0; i < constraints.size(); ++i)
        for (std::size_t j = i + 1; j < constraints.size(); ++j) {
            if (!contradict(constraints[i], constraints[j])) continue;
            Problem problem;
            problem.code = "contradictory-constraints";
            problem.pointer = "/search/constraints/" + std::to_string(j);
            problem.message = "No plan can satisfy both " + constraints[i].text() + " and " + constraints[j].text() + ".";
            problem.mend = "Change or remove one of the two.";
            problems.push_back(std::move(problem));
        }
}

void addMeasure(std::vector<Measure>& measures, const Measure& measure) {
    const bool known = std::any_of(measures.begin(), measures.end(), [&](const Measure& other) { return other.name == measure.name; });
    if (!known) measures.push_back(measure);
}

Problem noSearch() {
    Problem problem;
    problem.code = "no-search";
    problem.pointer = "/search";
    problem.message = "The scenario says nothing to search.";
    problem.mend = R"(Add "search": {"vary": {"/parallelism/tensor": [1, 2, 4, 8]}, "objective": {"minimize": "/iteration_time_s"}}.)";
    return problem;
}

Problem emptyKey(const std::string& pointer) {
    Problem problem;
    problem.code = "empty-space";
    problem.pointer = "/search/vary";
    problem.message = "The search names no value for " + pointer + ", so that it has no plan at all.";
    problem.mend = "Give it values, or take the key out.";
    return problem;
}

} // namespace

bool Constraint::holds(const Json& figure) const {
    if (op == "==") return figure == *value;
    if (op == "!=") return figure != *value;
    if (!figure.is_number() || !value->is_number()) return false;
    const double is = figure, limit = *value;
    if (op == "<") return is < limit;
    if (op == "<=") return is <= limit;
    if (op == ">") return is > limit;
    return is >= limit;
}

bool Constraint::canHold(double low, double high) const {
    if (!value->is_number()) return true;
    const double limit = *value;
    if (op == "<") return low < limit;
    if (op == "<=") return low <= limit;
    if (op == ">") return high > limit;
    if (op == ">=") return high >= limit;
    if (op == "==") return low <= limit && limit <= high;
    return true;
}

std::string Constraint::text() const { return measure.name + " " + op + " " + (value->is_number() ? formatNumber(*value) : value->dump()); }

std::optional<SearchQuestion> searchQuestionOf(const Json& document, Problems& problems) {
    const Json* search = memberOf(document, "search");
    const Json* vary = search ? memberOf(*search, "vary") : nullptr;
    if (!vary || !vary->is_object() || vary->empty()) {
        problems.push_back(noSearch());
        return std::nullopt;
    }
    SearchQuestion question;
    for (const auto& [pointer, values] : vary->items()) {
        SweptKey key{pointer, {}};
        for (const Json& value : values) key.values.emplace_back(value);
        if (key.values.empty()) problems.push_back(emptyKey(pointer));
        question.space.axes.push_back(std::move(key));
    }
    const std::vector<Objective> usual = usualObjectives(document);
    question.objective = objectiveIn(document, *search, "objective").value_or(usual.front());
    const bool isLast = question.objective.measure.pointer == usual.back().measure.pointer;
    question.second = objectiveIn(document, *search, "pareto").value_or(isLast ? usual.front() : usual.back());
    question.asksForFront = memberOf(*search, "pareto") != nullptr;
    question.constraints = constraintsIn(document, *search);
    checkConstraints(question.constraints, problems);
    std::vector<Measure>& measures = question.space.measures;
    addMeasure(measures, question.objective.measure);
    addMeasure(measures, question.second.measure);
    for (const Constraint& constraint : question.constraints) addMeasure(measures, constraint.measure);
    if (const Json* named = memberOf(document, "measures"))
        for (const auto& [name, pointer] : named->items()) addMeasure(measures, measureFor(document, name));
    // What estimates are held against, and what a person asks of every plan.
    const std::string time = "/iteration_time_s";
    const bool timed = std::any_of(measures.begin(), measures.end(), [&](const Measure& measure) { return measure.pointer == time; });
    if (!timed && usual.front().measure.pointer == time) addMeasure(measures, {time, time});
    if (hasErrors(problems)) return std::nullopt;
    return question;
}

std::optional<std::size_t> possiblePlan(const Trials& trials, const SweepQuestion& space) {
    constexpr double most = 2000;
    const double points = space.points(), looked = std::min(points, most);
    for (double i = 0; i < looked; ++i) {
        const auto index = static_cast<std::size_t>(std::floor(i * points / looked));
        Problems ignored;
        if (trials.read(space.changes(index), ignored)) return index;
    }
    return std::nullopt;
}

bool variesWhatIsWrong(const SweepQuestion& space, const Problems& problems) {
    const auto isWithin = [](const std::string& place, const std::string& whole) { return place == whole || place.starts_with(whole + "/"); };
    return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) {
        return std::any_of(space.axes.begin(), space.axes.end(), [&](const SweptKey& axis) { return isWithin(problem.pointer, axis.pointer) || (!problem.pointer.empty() && isWithin(axis.pointer, problem.pointer)); });
    });
}

} // namespace orrery
