// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/split_search.hpp"

#include "core/answers/planner/plan_space.hpp"
#include "core/answers/search/served_plans.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
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

} // namespace orrery
