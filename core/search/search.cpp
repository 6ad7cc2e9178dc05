// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search.hpp"

#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/base/text.hpp"
#include "core/search/estimated_range.hpp"
#include "core/search/front.hpp"
#include "core/simulation/estimated_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

/// Combinations that one estimator looks at after each other: enough to learn from its own, few enough to share out.
constexpr std::size_t combinationsTogether = 4096;
/// Plans that are simulated before the next look at what is left; fixed, so that no number of threads changes the answer.
constexpr std::size_t simulatedTogether = 16;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Keys that an estimator varies; whoever differs in another belongs to another family.
bool isOfPlan(const std::string& pointer) {
    const auto under = [&](std::string_view prefix) { return pointer.starts_with(prefix); };
    return under("/parallelism") || under("/workload/micro_batch_size") || under("/execution/recompute") || under("/execution/overlap") || under("/execution/offload");
}

/// Estimates say nothing of jobs beside this one, nor of what is drawn by a seed.
bool canBeEstimated(const Scenario& scenario) {
    const bool drawn = scenario.execution.jitter.sigma > 0 || (scenario.jitter.any() && scenario.jitter.method == JitterMethod::sampled);
    return scenario.isTraining() && !scenario.recorded() && scenario.beside.empty() && !drawn;
}

/// A combination that is a scenario.
struct Candidate {
    std::size_t index = 0;
    std::size_t family = 0;
    std::optional<EstimatedPlan> estimate;
    Costs least{-unbounded, -unbounded}; ///< no simulation gives less
};

/// What a stretch of the space holds.
struct Surveyed {
    std::vector<Candidate> candidates;
    std::map<std::string, PrunedRule> pruned;
};

void count(std::map<std::string, PrunedRule>& pruned, const std::string& rule, const std::string& why, std::size_t times = 1) {
    PrunedRule& entry = pruned[rule];
    if (entry.count == 0) entry = {rule, why, 0};
    entry.count += times;
}

std::optional<double> spearman(std::vector<std::pair<double, double>> pairs) {
    constexpr std::size_t least = 3;
    if (pairs.size() < least) return std::nullopt;
    const auto ranksOf = [&](auto member) {
        std::vector<std::size_t> order(pairs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return pairs[a].*member < pairs[b].*member; });
        std::vector<double> ranks(pairs.size());
        for (std::size_t from = 0; from < order.size();) {
            std::size_t to = from;
            while (to < order.size() && pairs[order[to]].*member == pairs[order[from]].*member) ++to;
            for (std::size_t i = from; i < to; ++i) ranks[order[i]] = double(from + to - 1) / 2; // equal ones share their ranks
            from = to;
        }
        return ranks;
    };
    const std::vector<double> a = ranksOf(&std::pair<double, double>::first), b = ranksOf(&std::pair<double, double>::second);
    const double mean = double(pairs.size() - 1) / 2;
    double both = 0, ofA = 0, ofB = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        both += (a[i] - mean) * (b[i] - mean);
        ofA += (a[i] - mean) * (a[i] - mean);
        ofB += (b[i] - mean) * (b[i] - mean);
    }
    if (ofA == 0 || ofB == 0) return std::nullopt;
    return both / std::sqrt(ofA * ofB);
}

class Search {
public:
    Search(const Trials& trials, const SearchQuestion& question, SearchOptions options, const RunControl& control)
        : trials_(trials), question_(question), options_(std::move(options)), control_(control) {}

    SearchRun run() {
        run_.combinations = question_.space.points();
        survey();
        if (!stopped()) learnFamilies();
        if (!stopped()) boundAll();
        if (!stopped()) simulateWhatMatters();
        return finished();
    }

private:
    bool stopped() const { return control_.stop.stop_requested(); }

    /// By the values of all keys that are not the plan's.
    std::size_t familyOf(std::size_t index) const {
        std::size_t family = 0, radix = 1;
        for (std::size_t i = question_.space.axes.size(); i-- > 0;) {
            const SweptKey& axis = question_.space.axes[i];
            if (!isOfPlan(axis.pointer)) {
                family += radix * (index % axis.values.size());
                radix *= axis.values.size();
            }
            index /= axis.values.size();
        }
        return family;
    }

    void survey() {
        const auto all = static_cast<std::size_t>(run_.combinations);
        const std::size_t stretches = (all + combinationsTogether - 1) / combinationsTogether;
        std::vector<Surveyed> surveyed(stretches);
        std::mutex one;
        std::size_t done = 0;
        forEachIndex(stretches, control_.threads, [&](std::size_t stretch) {
            const std::size_t from = stretch * combinationsTogether, to = std::min(all, from + combinationsTogether);
            std::map<std::size_t, PlanEstimates> estimates;
            for (std::size_t index = from; index < to && !stopped(); ++index) surveyOne(index, estimates, surveyed[stretch]);
            if (!control_.progress) return;
            const std::lock_guard lock(one);
            constexpr double share = 0.5;
            control_.progress(share * double(++done) / double(stretches));
        });
        for (Surveyed& stretch : surveyed) {
            std::move(stretch.candidates.begin(), stretch.candidates.end(), std::back_inserter(candidates_));
            for (const auto& [rule, entry] : stretch.pruned) count(pruned_, rule, entry.why, entry.count);
        }
    }

    void surveyOne(std::size_t index, std::map<std::size_t, PlanEstimates>& estimates, Surveyed& surveyed) const {
        Problems problems;
        const std::optional<Scenario> scenario = trials_.read(question_.space.changes(index), problems);
        if (!scenario) {
            const Problem& problem = problems.front();
            count(surveyed.pruned, problem.code, problem.message);
            return;
        }
        Candidate candidate{index, familyOf(index), {}};
        if (options_.prune && canBeEstimated(*scenario)) {
            const std::optional<Estimate> estimate = estimates[candidate.family].estimate(*scenario);
            if (estimate) candidate.estimate = EstimatedPlan{estimate->iterationTime, estimate->devicePeak};
            if (estimate && estimate->devicePeak > scenario->cluster.accelerator.memoryBytes * (1 + mostPeakError)) {
                count(surveyed.pruned, "does-not-fit", "The estimated peak is above the memory by more than estimates are ever off (" + formatNumber(100 * mostPeakError) + " %).");
                return;
            }
        }
        surveyed.candidates.push_back(candidate);
    }

    /// Some figures of a plan follow from its time once one plan of its family was simulated: the fastest one, which is wanted anyway.
    void learnFamilies() {
        std::vector<std::string> wanted;
        for (const Measure& measure : question_.space.measures)
            if (FamilyFigures::mustBeLearned(measure.pointer)) wanted.push_back(measure.pointer);
        if (wanted.empty() || !options_.prune) return;
        std::map<std::size_t, std::size_t> fastest; // by family
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (!candidates_[i].estimate) continue;
            const auto [found, isNew] = fastest.emplace(candidates_[i].family, i);
            if (!isNew && candidates_[i].estimate->iterationTime < candidates_[found->second].estimate->iterationTime) found->second = i;
        }
        std::vector<std::size_t> first;
        first.reserve(fastest.size());
        for (const auto& [family, candidate] : fastest) first.push_back(candidate);
        simulateAll(first);
        for (const std::size_t i : first) {
            const auto found = simulated_.find(candidates_[i].index);
            if (found == simulated_.end()) continue;
            const Json* time = figureOf(found->second, "/iteration_time_s");
            if (!time || !time->is_number()) continue;
            for (std::size_t m = 0; m < question_.space.measures.size(); ++m) {
                const Json& figure = *found->second.metrics[m];
                if (figure.is_number()) families_[candidates_[i].family].learn(question_.space.measures[m].pointer, figure, *time);
            }
        }
    }

    const Json* figureOf(const SweptPoint& point, const std::string& pointer) const {
        for (std::size_t m = 0; m < question_.space.measures.size(); ++m)
            if (question_.space.measures[m].pointer == pointer) return &*point.metrics[m];
        return nullptr;
    }

    std::optional<FigureRange> rangeOf(const Candidate& candidate, const Measure& measure) const {
        if (!candidate.estimate) return std::nullopt;
        const auto family = families_.find(candidate.family);
        static const FamilyFigures unknown;
        return (family == families_.end() ? unknown : family->second).rangeOf(measure.pointer, *candidate.estimate);
    }

    double leastCost(const Candidate& candidate, const Objective& objective) const {
        const auto range = rangeOf(candidate, objective.measure);
        return range ? objective.cost(objective.maximise ? range->high : range->low) : -unbounded;
    }

    void boundAll() {
        for (Candidate& candidate : candidates_) candidate.least = {leastCost(candidate, question_.objective), leastCost(candidate, question_.second)};
        std::vector<Candidate> left;
        for (const Candidate& candidate : candidates_) {
            const Constraint* broken = brokenBy(candidate);
            if (!broken) left.push_back(candidate);
            else if (!simulated_.contains(candidate.index)) count(pruned_, "constraint", "A constraint can't hold even if the estimate is as far off as estimates ever are (first: " + broken->text() + ").");
        }
        candidates_ = std::move(left);
        std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
            return std::tuple(a.least.first, a.least.second, a.index) < std::tuple(b.least.first, b.least.second, b.index);
        });
    }

    const Constraint* brokenBy(const Candidate& candidate) const {
        for (const Constraint& constraint : question_.constraints) {
            const auto range = rangeOf(candidate, constraint.measure);
            if (range && !constraint.canHold(range->low, range->high)) return &constraint;
        }
        return nullptr;
    }

    /// The most promising first, so that what they reach spares the others.
    void simulateWhatMatters() {
        std::size_t next = 0;
        while (next < candidates_.size() && !stopped()) {
            std::vector<std::size_t> wave;
            for (; next < candidates_.size() && wave.size() < simulatedTogether; ++next) {
                if (simulated_.contains(candidates_[next].index)) continue;
                if (isBeaten(candidates_[next])) count(pruned_, "beaten", "Plans that were simulated are better in both objectives, even if the estimate is as far off as estimates ever are; " + std::to_string(listedPlans) + " or more are better in the first.");
                else wave.push_back(next);
            }
            simulateAll(wave);
            if (!control_.progress) continue;
            constexpr double half = 0.5;
            control_.progress(half + half * double(next) / double(candidates_.size()));
        }
    }

    bool isBeaten(const Candidate& candidate) const {
        if (candidate.least.first == -unbounded) return false;
        std::size_t better = 0;
        bool inBoth = false;
        for (const Costs& costs : feasible_) {
            if (!(costs.first < candidate.least.first)) continue;
            ++better;
            inBoth = inBoth || costs.second <= candidate.least.second;
            if (inBoth && better >= listedPlans) return true;
        }
        return false;
    }

    void simulateAll(const std::vector<std::size_t>& candidates) {
        std::vector<std::optional<SweptPoint>> points(candidates.size());
        std::vector<std::string> refusals(candidates.size());
        std::mutex one;
        RunControl single;
        single.stop = control_.stop;
        single.memoryCeiling = control_.memoryCeiling;
        forEachIndex(candidates.size(), control_.threads, [&](std::size_t i) {
            const std::size_t index = candidates_[candidates[i]].index;
            const auto known = options_.known.find(index);
            if (known != options_.known.end()) {
                points[i] = known->second;
                return;
            }
            if (stopped()) return;
            const Trial trial = trials_.run(question_.space.changes(index), single);
            if (!trial.result && stopped()) return;
            points[i] = sweptPoint(trial, question_.space.measures);
            const std::lock_guard lock(one);
            if (options_.onPoint) options_.onPoint(index, *points[i]);
        });
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (points[i]) take(candidates_[candidates[i]], std::move(*points[i]));
    }

    void take(const Candidate& candidate, SweptPoint point) {
        if (!point.fits) {
            count(pruned_, "no-result", point.problem);
            simulated_.emplace(candidate.index, std::move(point));
            return;
        }
        ++run_.evaluated;
        const Json* time = figureOf(point, "/iteration_time_s");
        if (candidate.estimate && time && time->is_number()) compared_.emplace_back(candidate.estimate->iterationTime, time->get<double>());
        if (const auto costs = costsOf(point)) {
            feasible_.push_back(*costs);
            feasibleIndex_.push_back(candidate.index);
        }
        simulated_.emplace(candidate.index, std::move(point));
    }

    /// Nothing for a plan that does not fit, breaks a constraint, or has no such figures.
    std::optional<Costs> costsOf(const SweptPoint& point) const {
        if (!point.fits.value_or(false)) return std::nullopt;
        for (const Constraint& constraint : question_.constraints) {
            const Json* figure = figureOf(point, constraint.measure.pointer);
            if (!figure || !constraint.holds(*figure)) return std::nullopt;
        }
        const Json* first = figureOf(point, question_.objective.measure.pointer);
        const Json* second = figureOf(point, question_.second.measure.pointer);
        if (!first || !second || !first->is_number() || !second->is_number()) return std::nullopt;
        return Costs{question_.objective.cost(*first), question_.second.cost(*second)};
    }

    SearchRun finished() {
        run_.cancelled = stopped();
        run_.feasible = feasible_.size();
        std::vector<std::size_t> order(feasible_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        // The same order whatever was simulated first.
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::tuple(feasible_[a].first, feasible_[a].second, feasibleIndex_[a]) < std::tuple(feasible_[b].first, feasible_[b].second, feasibleIndex_[b]);
        });
        std::vector<Costs> sorted;
        sorted.reserve(order.size());
        for (const std::size_t i : order) sorted.push_back(feasible_[i]);
        const auto planAt = [&](std::size_t i) { return FoundPlan{feasibleIndex_[order[i]], simulated_.at(feasibleIndex_[order[i]])}; };
        for (std::size_t i = 0; i < std::min(order.size(), listedPlans); ++i) run_.best.push_back(planAt(i));
        for (const std::size_t i : frontOf(sorted)) run_.front.push_back(planAt(i));
        for (auto& [rule, entry] : pruned_) run_.pruned.push_back(std::move(entry));
        std::stable_sort(run_.pruned.begin(), run_.pruned.end(), [](const PrunedRule& a, const PrunedRule& b) { return a.count > b.count; });
        run_.rankCorrelation = spearman(compared_);
        return std::move(run_);
    }

    const Trials& trials_;
    const SearchQuestion& question_;
    SearchOptions options_;
    const RunControl& control_;
    SearchRun run_;
    std::vector<Candidate> candidates_;
    std::map<std::string, PrunedRule> pruned_;
    std::map<std::size_t, FamilyFigures> families_;
    std::map<std::size_t, SweptPoint> simulated_;
    std::vector<Costs> feasible_; ///< of what was simulated, in that order
    std::vector<std::size_t> feasibleIndex_;
    std::vector<std::pair<double, double>> compared_; ///< iteration times, estimated and simulated, s
};

} // namespace

SearchRun runSearch(const Trials& trials, const SearchQuestion& question, SearchOptions options, const RunControl& control) {
    return Search(trials, question, std::move(options), control).run();
}

} // namespace orrery
