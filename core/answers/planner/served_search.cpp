// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/served_search.hpp"
#include "core/answers/planner/plan_space.hpp"
#include "core/answers/search/served_plans.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

constexpr const char* splitAt = "/workload/engine/disaggregation";
/// How many instances of a kind there may be.
constexpr std::array counts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};

Json splitOf(int prefill, int decode) { return {{"prefill", {{"instances", prefill}}}, {"decode", {{"instances", decode}}}}; }

/// One layout's splits.
class Staircase {
public:
    Staircase(ServedPlans& plans, const SearchQuestion& question, const Json& layouts, std::size_t layout, const Json& splits) : plans_(plans), question_(question), layout_(layout), splits_(splits) {
        ranks_ = ranksOf(layouts[layout]);
    }

    struct Best {
        double cost = 0;
        std::size_t index = 0;
    };

    /// From many that decode to few, and from few that read prompts to many.
    std::optional<Best> climb(int mostAccelerators, std::size_t& simulated, const RunControl& control) {
        std::optional<Best> best;
        int most = mostAccelerators / ranks_; // instances
        int prefill = 0, decode = static_cast<int>(counts.size()) - 1;
        while (prefill < static_cast<int>(counts.size()) && decode >= 0 && !control.stop.stop_requested()) {
            const int instances = counts[static_cast<std::size_t>(prefill)] + counts[static_cast<std::size_t>(decode)];
            if (instances > most) {
                --decode;
                continue;
            }
            const auto found = look(prefill, decode, control);
            ++simulated;
            if (found && (!best || found->cost < best->cost)) best = found;
            if (found) {
                most = instances - 1;
                --decode;
            } else {
                ++prefill;
            }
        }
        return best;
    }

private:
    std::optional<Best> look(int prefill, int decode, const RunControl& control) {
        const Json split = splitOf(counts[static_cast<std::size_t>(prefill)], counts[static_cast<std::size_t>(decode)]);
        const auto at = std::find(splits_.begin(), splits_.end(), split);
        if (at == splits_.end()) return std::nullopt;
        const std::size_t index = layout_ * splits_.size() + static_cast<std::size_t>(at - splits_.begin());
        PrunedCounts pruned;
        const ServedPlans::Found found = plans_.find(index, control, pruned);
        if (!found.point || !found.point->fits.value_or(false)) return std::nullopt;
        for (const Constraint& constraint : question_.constraints)
            if (!constraint.holds(figureOf(*found.point, constraint.measure))) return std::nullopt;
        const Json figure = figureOf(*found.point, question_.objective.measure);
        return figure.is_number() ? std::optional(Best{question_.objective.cost(figure), index}) : std::nullopt;
    }

    Json figureOf(const SweptPoint& point, const Measure& measure) const {
        for (std::size_t m = 0; m < question_.space.measures.size(); ++m)
            if (question_.space.measures[m].pointer == measure.pointer) return *point.metrics[m];
        return {};
    }

    ServedPlans& plans_;
    const SearchQuestion& question_;
    std::size_t layout_;
    const Json& splits_;
    int ranks_ = 1;
};

} // namespace

int mostAccelerators(const std::vector<PlannedRun>& plans, const AskedMachine& machine) {
    int most = plans.empty() ? machine.accelerators() : 0;
    for (const PlannedRun& plan : plans) most = std::max(most, acceleratorsUsed(plan.result->scenario));
    return most;
}

std::optional<Json> splitSpace(const Json& space, const std::vector<PlannedRun>& plans, const AskedMachine& machine) {
    Json layouts = Json::array();
    int least = machine.accelerators();
    const auto add = [&](Json layout) {
        layout.erase("data");
        const int ranks = ranksOf(layout);
        if (2 * ranks > machine.accelerators() || std::find(layouts.begin(), layouts.end(), layout) != layouts.end()) return;
        least = std::min(least, ranks);
        layouts.push_back(std::move(layout));
    };
    for (const PlannedRun& plan : plans) add((*plan.scenario)["parallelism"]);
    if (plans.empty())
        for (const Json& plan : space["search"]["vary"]["/parallelism"]) add(plan);
    Json splits = Json::array();
    for (const int prefill : counts)
        for (const int decode : counts)
            if ((prefill + decode) * least <= mostAccelerators(plans, machine)) splits.push_back(splitOf(prefill, decode));
    if (layouts.empty() || splits.empty()) return std::nullopt;
    Json document = space;
    if (!plans.empty())
        for (const auto& [key, value] : (*plans.front().scenario)["workload"]["engine"].items()) document["workload"]["engine"][key] = value;
    document["search"]["vary"] = {{"/parallelism", layouts}, {splitAt, splits}};
    return document;
}

std::optional<PlannedRun> bestSplit(const Json& space, const PlannerGround& ground, int most, LookedAt& looked, const RunControl& control) {
    Problems problems;
    const auto question = searchQuestionOf(space, problems);
    const Trials trials(space, ground.catalog, ground.readFile);
    const auto plans = question ? ServedPlans::of(trials, *question) : nullptr;
    if (!plans) return std::nullopt;
    const Json &layouts = space["search"]["vary"]["/parallelism"], &splits = space["search"]["vary"][splitAt];
    looked.combinations += question->space.points();
    std::vector<std::optional<Staircase::Best>> best(layouts.size());
    std::vector<std::size_t> simulated(layouts.size(), 0);
    RunControl single;
    single.stop = control.stop;
    forEachIndex(layouts.size(), control.threads, [&](std::size_t i) { best[i] = Staircase(*plans, *question, layouts, i, splits).climb(most, simulated[i], single); });
    const Staircase::Best* chosen = nullptr;
    for (std::size_t i = 0; i < best.size(); ++i) {
        looked.estimated += simulated[i];
        if (best[i] && (!chosen || best[i]->cost < chosen->cost)) chosen = &*best[i];
    }
    if (!chosen) return std::nullopt;
    Json scenario = *applyEdits(space, question->space.changes(chosen->index)).document;
    scenario.erase("search");
    ++looked.simulated;
    return plannedRun(scenario, ground, control);
}

namespace {

/// A layout is looked at by all limits of a step that serves this share of what the last of the wanted does, or more.
constexpr double promisingShare = 0.7;

/// Combinations that differ in load alone, from the lightest (many instances, few users) to the heaviest.
struct LoadLine {
    std::string layout;
    std::vector<std::size_t> indices;
    std::vector<int> accelerators; ///< of each
};

/// The best combination of a line.
struct Served {
    double cost = 0, second = 0; ///< by the objectives
    std::size_t index = 0;
    std::size_t at = 0; ///< in its line
    std::string layout;
    bool operator<(const Served& other) const { return std::tie(cost, second, index) < std::tie(other.cost, other.second, other.index); }
};

class ServedSearch {
public:
    ServedSearch(const Trials& trials, const SearchQuestion& question, std::size_t others, const PlannerGround& ground, const RunControl& control)
        : trials_(trials), question_(question), wanted_(others + 1), ground_(ground), control_(control), plans_(ServedPlans::of(trials, question)) {}

    FoundPlans run() {
        found_.looked.combinations = question_.space.points();
        if (!plans_) return std::move(found_);
        byUsers_ = std::any_of(question_.space.axes.begin(), question_.space.axes.end(), [](const SweptKey& axis) { return axis.pointer == "/workload/requests"; });
        const std::vector<LoadLine> lines = loadLines();
        std::vector<std::optional<Served>> best(lines.size());
        lookAtBoundaries(first_, lines, best);
        // Where long prompts hold answers up only short steps keep the limits.
        if (std::count_if(best.begin(), best.end(), [](const auto& one) { return one.has_value(); }) < static_cast<std::ptrdiff_t>(wanted_)) {
            lookAtBoundaries(shortest_, lines, best);
            first_.insert(first_.end(), shortest_.begin(), shortest_.end());
        }
        const std::map<std::string, Served> promising = promisingLayouts(best);
        std::map<std::string, std::vector<std::size_t>> others; // lines by layout
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!best[i] && promising.contains(lines[i].layout) && std::find(first_.begin(), first_.end(), i) == first_.end()) others[lines[i].layout].push_back(i);
        std::vector<std::vector<std::size_t>> ofLayout;
        ofLayout.reserve(others.size());
        for (auto& [layout, own] : others) ofLayout.push_back(std::move(own));
        forEachIndex(ofLayout.size(), control_.threads, [&](std::size_t layout) {
            Served known = promising.at(lines[ofLayout[layout].front()].layout);
            for (const std::size_t i : ofLayout[layout]) {
                best[i] = byUsers_ ? walkFrom(known.at, lines[i]) : walkFrom(known.at + 1, lines[i]);
                if (best[i] && *best[i] < known) known = *best[i];
            }
        });
        std::vector<Served> served;
        for (std::optional<Served>& one : best)
            if (one) served.push_back(std::move(*one));
        found_.looked.legal = served.size();
        found_.looked.estimated = simulated_;
        std::sort(served.begin(), served.end());
        choose(served);
        return std::move(found_);
    }

private:
    /// The layout without how many there are.
    static std::string layoutOf(Json parallelism) {
        parallelism.erase("data");
        return parallelism.dump();
    }

    std::vector<LoadLine> loadLines() {
        std::map<std::string, LoadLine> byKey;
        std::vector<std::string> order;
        const auto count = static_cast<std::size_t>(question_.space.points());
        for (std::size_t index = 0; index < count; ++index) {
            std::string key, layout;
            int taken = 0;
            for (const ScenarioEdit& edit : question_.space.changes(index)) {
                if (edit.pointer == "/workload/requests") continue;
                if (edit.pointer == "/parallelism") {
                    layout = layoutOf(*edit.value);
                    taken = ranksOf(*edit.value) * edit.value->value("data", 1);
                }
                key += edit.pointer == "/parallelism" ? layout : edit.value->dump();
                key += ' ';
            }
            const auto [line, isNew] = byKey.try_emplace(key);
            if (isNew) order.push_back(key);
            line->second.layout = layout;
            line->second.indices.push_back(index);
            line->second.accelerators.push_back(taken);
        }
        std::vector<LoadLine> lines;
        for (const std::string& key : order) {
            LoadLine& line = byKey[key];
            if (!byUsers_) {
                std::reverse(line.indices.begin(), line.indices.end());
                std::reverse(line.accelerators.begin(), line.accelerators.end());
            }
            const auto [tokens, sequences] = limitsOf(line.indices.front());
            if (tokens == Place::middle && sequences == Place::last) first_.push_back(lines.size());
            if (tokens == Place::first && sequences == Place::first) shortest_.push_back(lines.size());
            lines.push_back(std::move(line));
        }
        return lines;
    }

    /// Where limits of a step stand among their values.
    enum class Place { first,
                       middle,
                       last,
                       elsewhere };

    /// They count tokens and sequences.
    std::pair<Place, Place> limitsOf(std::size_t index) const {
        std::pair limits{Place::elsewhere, Place::elsewhere};
        const std::vector<ScenarioEdit> changes = question_.space.changes(index);
        for (std::size_t i = 0; i < changes.size(); ++i) {
            const auto& values = question_.space.axes[i].values;
            const auto place = [&] {
                if (changes[i].value == values.front()) return Place::first;
                if (changes[i].value == values.back()) return Place::last;
                return changes[i].value == values[values.size() / 2] ? Place::middle : Place::elsewhere;
            };
            if (changes[i].pointer == "/workload/engine/max_num_batched_tokens") limits.first = place();
            if (changes[i].pointer == "/workload/engine/max_num_seqs") limits.second = place();
        }
        return limits;
    }

    /// Some lines at a time, so that those after them are looked at no further than to where they can't matter.
    void lookAtBoundaries(const std::vector<std::size_t>& which, const std::vector<LoadLine>& lines, std::vector<std::optional<Served>>& best) {
        constexpr std::size_t together = 4; // fixed, so that no number of threads changes the answer
        for (std::size_t from = 0; from < which.size() && !control_.stop.stop_requested(); from += together) {
            const int most = accelerators(best, lines);
            forEachIndex(std::min(together, which.size() - from), control_.threads, [&](std::size_t i) { best[which[from + i]] = boundaryOf(lines[which[from + i]], most); });
        }
    }

    /// With more accelerators than that no layout is promising.
    int accelerators(const std::vector<std::optional<Served>>& best, const std::vector<LoadLine>& lines) const {
        std::vector<int> taken;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (best[i]) taken.push_back(lines[i].accelerators[best[i]->at]);
        if (byUsers_ || taken.size() < wanted_) return std::numeric_limits<int>::max();
        std::sort(taken.begin(), taken.end());
        return static_cast<int>(taken[wanted_ - 1] / promisingShare);
    }

    /// Layouts that may be among the best by other limits of a step too: those near the last of the wanted.
    std::map<std::string, Served> promisingLayouts(const std::vector<std::optional<Served>>& best) const {
        std::vector<Served> found;
        for (const auto& one : best)
            if (one) found.push_back(*one);
        std::sort(found.begin(), found.end());
        if (found.empty()) return {};
        std::map<std::string, Served> promising;
        for (const Served& one : found)
            if (promising.size() < wanted_ || one.cost <= promisingShare * found[std::min(wanted_, found.size()) - 1].cost) promising.emplace(one.layout, one);
        return promising;
    }

    /// The heaviest load of a line that holds, from the cheap end in doubled steps and then by bisection: few instances are cheap to simulate,
    /// for they break a limit soon; so are few users.
    std::optional<Served> boundaryOf(const LoadLine& line, int most) {
        const std::size_t count = line.indices.size();
        std::optional<Served> best;
        const auto holds = [&](std::size_t at) {
            if (line.accelerators[at] > most) return !byUsers_; // as good as a load that holds: the plan is none that matters
            auto found = costsOf(line, at);
            const bool better = found && (!best || *found < *best);
            const bool held = byUsers_ ? better : found.has_value(); // more users who get no more tokens only wait
            if (better) best = std::move(found);
            return held;
        };
        // In steps from the cheap end; `from` is on its side of the boundary, `to` is not, or is beyond the line.
        const auto place = [&](std::size_t step) { return byUsers_ ? step : count - 1 - step; };
        const bool start = holds(place(0));
        if (start != byUsers_) return best; // the heaviest holds, or not even the lightest
        std::size_t from = 0, to = 1;
        while (to < count && holds(place(to)) == start && !control_.stop.stop_requested()) {
            from = to;
            to = to == count - 1 ? count : std::min(count - 1, 2 * to + 1);
        }
        while (to < count && to - from > 1 && !control_.stop.stop_requested()) {
            const std::size_t middle = from + (to - from) / 2;
            (holds(place(middle)) == start ? from : to) = middle;
        }
        return best;
    }

    /// The same from a load on, step by step. Of users also up to some lighter ones; fewer instances alone make plans better.
    std::optional<Served> walkFrom(std::size_t at, const LoadLine& line) {
        std::optional<Served> best = at < line.indices.size() ? costsOf(line, at) : std::nullopt;
        if (!best) {
            const std::size_t most = byUsers_ ? 3 : 0; // beyond that they are worse than by the first limits
            for (std::size_t step = 1; step <= most && step <= at && !best; ++step) best = costsOf(line, at - step);
            return best;
        }
        for (std::size_t next = at + 1; next < line.indices.size() && !control_.stop.stop_requested(); ++next) {
            auto found = costsOf(line, next);
            if (!found || !(*found < *best)) break;
            best = std::move(found);
        }
        return best;
    }

    const Json* figureOf(const SweptPoint& point, const std::string& pointer) const {
        for (std::size_t m = 0; m < question_.space.measures.size(); ++m)
            if (question_.space.measures[m].pointer == pointer) return &*point.metrics[m];
        return nullptr;
    }

    /// Nothing for what breaks a limit, a rule, or has no room.
    std::optional<Served> costsOf(const LoadLine& line, std::size_t at) {
        const std::size_t index = line.indices[at];
        PrunedCounts pruned;
        RunControl single;
        single.stop = control_.stop;
        ServedPlans::Found found = plans_->find(index, single, pruned);
        ++simulated_;
        if (found.needsWhole) found.point = sweptPoint(trials_.run(question_.space.changes(index), single), question_.space.measures);
        if (!found.point || !found.point->fits.value_or(false)) return std::nullopt;
        for (const Constraint& constraint : question_.constraints) {
            const Json* figure = figureOf(*found.point, constraint.measure.pointer);
            if (!figure || !constraint.holds(*figure)) return std::nullopt;
        }
        const Json *first = figureOf(*found.point, question_.objective.measure.pointer), *second = figureOf(*found.point, question_.second.measure.pointer);
        if (!first || !second || !first->is_number() || !second->is_number()) return std::nullopt;
        return Served{question_.objective.cost(*first), question_.second.cost(*second), index, at, line.layout};
    }

    void choose(const std::vector<Served>& served) {
        std::vector<const Served*> chosen;
        std::set<std::string> taken;
        for (const Served& plan : served)
            if (chosen.size() < wanted_ && taken.insert(plan.layout).second) chosen.push_back(&plan);
        std::vector<std::optional<PlannedRun>> runs(chosen.size());
        forEachIndex(chosen.size(), control_.threads, [&](std::size_t i) {
            const EditOutcome edited = applyEdits(trials_.document(), question_.space.changes(chosen[i]->index));
            Json scenario = *edited.document;
            scenario.erase("search");
            runs[i] = plannedRun(scenario, ground_, control_);
        });
        for (std::optional<PlannedRun>& run : runs) {
            if (!run) continue;
            ++found_.looked.simulated;
            found_.plans.push_back(std::move(*run));
        }
    }

    const Trials& trials_;
    const SearchQuestion& question_;
    std::size_t wanted_;
    const PlannerGround& ground_;
    const RunControl& control_;
    bool byUsers_ = false;                   ///< users make the load of one engine; else instances share it out
    std::vector<std::size_t> first_;         ///< lines by which layouts are told apart
    std::vector<std::size_t> shortest_;      ///< those with the least limits
    std::atomic<std::size_t> simulated_ = 0; ///< for figures alone
    std::unique_ptr<ServedPlans> plans_;     ///< null: the space asks for figures that only whole results have
    FoundPlans found_;
};

} // namespace

FoundPlans servedPlans(const Trials& trials, const SearchQuestion& question, std::size_t others, const PlannerGround& ground, const RunControl& control) {
    return ServedSearch(trials, question, others, ground, control).run();
}

} // namespace orrery
