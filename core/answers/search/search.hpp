// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/task_pool.hpp"
#include "core/answers/search/search_document.hpp"
#include "core/answers/search/search_memory.hpp"
#include "core/answers/search/search_question.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A combination that was simulated, or that estimates put where it is.
struct FoundPlan {
    std::size_t index = 0; ///< into the space
    SweptPoint point;
};

/// A combination that is a scenario and fell without a simulation.
struct FallenPlan {
    std::size_t index = 0;                    ///< into the space
    std::string rule;                         ///< as in `pruned`
    std::vector<std::optional<double>> known; ///< by measure, the best that its estimate or floor allows; nothing: they say nothing of it
};

struct SearchRun {
    double combinations = 0;
    std::size_t evaluated = 0; ///< simulated
    std::size_t feasible = 0;  ///< of those: fit and satisfy every constraint
    std::size_t brokenOff = 0; ///< of those: simulated as far as it takes to see that a constraint can't hold
    std::vector<PrunedRule> pruned;
    std::vector<FoundPlan> best;  ///< by objective
    std::vector<FoundPlan> front; ///< of what was simulated, by objective; no plan dominates another
    /// Where the search does not ask for its front: plans that were not simulated and whose estimates no plan dominates, by objective; their figures
    /// are the estimates', null where estimates say nothing of one.
    std::vector<FoundPlan> estimatedFront;
    /// Spearman's rank correlation of estimated and simulated times over all that was simulated; nothing without estimates.
    std::optional<double> rankCorrelation;
    std::vector<FallenPlan> fallen; ///< by index, as many as were asked for
    Problems problems;              ///< figures that no result has
    bool cancelled = false;
};

struct SearchOptions {
    bool prune = true; ///< by estimate; without, every combination that is a scenario is simulated
    std::map<std::size_t, SweptPoint> known{};
    OnSweptPoint onPoint{};         ///< of each simulated plan that counts
    OnSweptPoint onSimulated{};     ///< after each simulation, of those too that never come to count; what a checkpoint keeps
    TaskPool* pool = nullptr;       ///< processes that the work is spread over (space_tasks.hpp); outlives the search; null: `control.threads` threads of this one
    std::size_t mostFallen = 0;     ///< plans that fell, to be told one by one
    SearchMemory* memory = nullptr; ///< of searches before this one; outlives this
};

/// How many of the best a search lists.
inline constexpr std::size_t listedPlans = 10;

/// Looks at every combination: those that break a rule of the scenario fall first, then (in training) those whose floor says that they can't
/// fit, can't satisfy a constraint, or are beaten in both objectives even if estimates are as far off as they ever are. The most
/// promising of the others are estimated in full, which lets most of them fall as well, and then simulated, until the ten best are proven to be
/// the best. The front is simulated too where the question asks for it; else estimates say what is of it. The answer does not depend on how many
/// threads or processes there are.
SearchRun runSearch(const Trials& trials, const SearchQuestion& question, SearchOptions options = {}, const RunControl& control = {});

/// A plan of the front.
struct FrontPlan {
    const FoundPlan* plan = nullptr; ///< of the run
    bool isEstimated = false;        ///< its figures are an estimate's
};
/// What was simulated and what estimates add to it, by objective: no plan dominates another.
std::vector<FrontPlan> wholeFront(const SearchQuestion& question, const SearchRun& run);

/// The contract's `orrery-search/1`; plans of `pareto` by estimate say `"estimated": true`.
Json searchDocument(const SearchQuestion& question, const SearchRun& run);

/// What `searchDocument` lists as tables: the plans of the front and the best of the others, then what was not simulated and why.
std::vector<PlainTable> searchTables(const SearchQuestion& question, const SearchRun& run);

/// The second of these.
PlainTable prunedTable(const std::vector<PrunedRule>& pruned);

} // namespace orrery
