// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/search.hpp"

#include "core/answers/search/estimated_front.hpp"
#include "core/answers/search/front.hpp"
#include "core/answers/search/plan_survey.hpp"
#include "core/answers/search/rank_correlation.hpp"
#include "core/answers/search/served_plans.hpp"
#include "core/answers/search/space_tasks.hpp"
#include "core/answers/search/trials_ahead.hpp"
#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

/// Plans that are estimated before the next look at what is left, and how many of the most promising must have been before the first of them is
/// simulated; fixed, so that no number of threads changes the answer.
constexpr std::size_t estimatedTogether = 64, estimatedAhead = 16;

class Search {
public:
    Search(const Trials& trials, const SearchQuestion& question, SearchOptions options, const RunControl& control)
        : trials_(trials), question_(question), options_(std::move(options)), control_(control),
          survey_(trials, question.space, control, options_.prune, options_.memory), spread_(options_.pool ? std::make_unique<SpreadSpace>(*options_.pool, trials, question.space) : nullptr),
          threads_(options_.pool ? nullptr : threadPool(trials, question.space, control)),
          ahead_(spread_ ? static_cast<TrialPool&>(*spread_) : *threads_, options_.known, options_.onSimulated, control.stop),
          wholeFront_(!options_.prune || question.asksForFront || !mayBeEstimated(question.constraints)) {
        if (options_.prune) served_ = ServedPlans::of(trials, question);
    }

    SearchRun run() {
        run_.combinations = question_.space.points();
        candidates_ = served_ ? simulateServed() : surveyed();
        if (options_.mostFallen > 0 && !served_)
            for (const Candidate& candidate : candidates_) surveyed_.insert(candidate.index);
        if (!stopped()) learnFamilies();
        if (!stopped()) enqueue(std::exchange(candidates_, {}));
        if (!stopped()) simulateWhatMatters();
        ahead_.drop();
        if (!stopped() && !wholeFront_) run_.estimatedFront = EstimatedFront(
                                                                  question_, [this](const auto& asked, auto& counted) { return estimated(asked, counted); }, families_)
                                                                  .of(std::move(beaten_), feasible_);
        if (!stopped() && !served_) noteUnsurveyed();
        return finished();
    }

private:
    std::vector<Candidate> surveyed() { return spread_ ? spread_->all(pruned_, control_) : survey_.all(pruned_); }
    std::vector<Candidate> estimated(const std::vector<Candidate>& asked, PrunedCounts& pruned) { return spread_ ? spread_->estimated(asked, pruned) : survey_.estimated(asked, pruned); }

    bool stopped() const { return control_.stop.stop_requested(); }

    /// Simulates all served plans for their figures alone; gives those that only whole simulations know.
    std::vector<Candidate> simulateServed() {
        const std::vector<std::vector<std::size_t>> groups = served_->groups();
        std::vector<std::vector<std::size_t>> asked(groups.size());
        std::vector<Candidate> whole;
        for (std::size_t group = 0; group < groups.size(); ++group)
            for (const std::size_t index : groups[group]) {
                if (options_.known.contains(index)) whole.push_back(numbered(index));
                else asked[group].push_back(index);
            }
        const OnSweptPoint onPoint = [this](std::size_t index, const SweptPoint& point) {
            if (options_.onSimulated) options_.onSimulated(index, point);
            if (options_.onPoint) options_.onPoint(index, point);
        };
        std::vector<PrunedCounts> counts(groups.size());
        std::vector<std::vector<ServedPlans::Found>> found = spread_ ? spread_->served(asked, counts, control_, onPoint) : served_->all(asked, counts, control_, onPoint);
        for (std::size_t group = 0; group < groups.size(); ++group) {
            pruned_.add(counts[group]);
            for (std::size_t i = 0; i < found[group].size(); ++i) {
                const Candidate candidate = numbered(asked[group][i]);
                ServedPlans::Found& plan = found[group][i];
                if (plan.needsWhole) whole.push_back(candidate);
                if (plan.point) take(candidate, std::move(*plan.point));
                if (!plan.isBroken) continue;
                ++run_.evaluated;
                ++run_.brokenOff;
                noteFallen(candidate, "constraint-broken");
            }
        }
        return whole;
    }

    static Candidate numbered(std::size_t index) {
        Candidate candidate;
        candidate.index = index;
        return candidate;
    }

    /// Some figures of a plan follow from its time once one plan of its family was simulated: the fastest one, which is wanted anyway.
    void learnFamilies() {
        std::vector<std::string> wanted;
        for (const Measure& measure : question_.space.measures)
            if (FamilyFigures::mustBeLearned(measure.pointer)) wanted.push_back(measure.pointer);
        if (wanted.empty() || !options_.prune) return;
        const auto leastTime = [](const Candidate& candidate) { return candidate.range ? candidate.range->iterationTime.low : 0; };
        std::map<std::size_t, const Candidate*> fastest; // by family
        for (const Candidate& candidate : candidates_) {
            if (!candidate.canBeEstimated) continue;
            const Candidate*& known = fastest[candidate.family];
            if (!known || leastTime(candidate) < leastTime(*known)) known = &candidate;
        }
        std::vector<Candidate> first;
        first.reserve(fastest.size());
        for (const auto& [family, candidate] : fastest) first.push_back(*candidate);
        simulateAll(first);
        for (const Candidate& candidate : first) {
            const auto found = simulated_.find(candidate.index);
            if (found == simulated_.end()) continue;
            const Json* time = figureOf(found->second, "/iteration_time_s");
            if (!time || !time->is_number()) continue;
            for (std::size_t m = 0; m < question_.space.measures.size(); ++m) {
                const Json& figure = *found->second.metrics[m];
                if (figure.is_number()) families_[candidate.family].learn(question_.space.measures[m].pointer, figure, *time);
            }
        }
    }

    const Json* figureOf(const SweptPoint& point, const std::string& pointer) const {
        for (std::size_t m = 0; m < question_.space.measures.size(); ++m)
            if (question_.space.measures[m].pointer == pointer) return &*point.metrics[m];
        return nullptr;
    }

    std::optional<FigureRange> rangeOf(const Candidate& candidate, const Measure& measure) const {
        if (!candidate.range) return std::nullopt;
        const auto family = families_.find(candidate.family);
        static const FamilyFigures unknown;
        return (family == families_.end() ? unknown : family->second).rangeOf(measure.pointer, *candidate.range);
    }

    double leastCost(const Candidate& candidate, const Objective& objective) const {
        const auto range = rangeOf(candidate, objective.measure);
        return range ? objective.cost(objective.maximise ? range->high : range->low) : -Candidate::unbounded;
    }

    /// Puts candidates where they belong among what is left; those that can't satisfy a constraint are counted.
    void enqueue(std::vector<Candidate> candidates) {
        for (Candidate& candidate : candidates) {
            if (simulated_.contains(candidate.index)) continue;
            if (const Constraint* broken = brokenBy(candidate)) {
                noteFallen(candidate, "constraint");
                pruned_.add("constraint", "A constraint can't hold even if the estimate is as far off as estimates ever are (first: " + broken->text() + ").");
                continue;
            }
            candidate.least = {leastCost(candidate, question_.objective), leastCost(candidate, question_.second)};
            queue_.emplace(std::tuple(candidate.least.first, candidate.least.second, candidate.index), candidate);
        }
    }

    const Constraint* brokenBy(const Candidate& candidate) const {
        for (const Constraint& constraint : question_.constraints) {
            const auto range = rangeOf(candidate, constraint.measure);
            if (range && !constraint.canHold(range->low, range->high)) return &constraint;
        }
        return nullptr;
    }

    /// The most promising first, so that what they reach spares the others: their estimate where just the floor is known, then their
    /// simulation.
    void simulateWhatMatters() {
        const auto all = double(queue_.size());
        while (!queue_.empty() && !stopped()) {
            if (mustEstimate()) estimateLeading();
            else if (!queue_.empty()) simulateLeading();
            if (!control_.progress) continue;
            constexpr double half = 0.5;
            control_.progress(half + half * (1 - double(queue_.size()) / all));
        }
    }

    /// Whether just the floor is known of one of the first in the queue; those among them that can't matter any more, fall.
    bool mustEstimate() {
        std::size_t seen = 0;
        for (auto next = queue_.begin(); next != queue_.end() && seen < estimatedAhead;) {
            if (isBeaten(next->second)) {
                letFall(next->second);
                next = queue_.erase(next);
                continue;
            }
            if (next->second.canBeEstimated) return true;
            ++seen;
            ++next;
        }
        return false;
    }

    void estimateLeading() {
        std::vector<Candidate> asked, back;
        while (!queue_.empty() && asked.size() + back.size() < estimatedTogether) {
            const Candidate candidate = queue_.extract(queue_.begin()).mapped();
            if (isBeaten(candidate)) letFall(candidate);
            else (candidate.canBeEstimated ? asked : back).push_back(candidate);
        }
        std::vector<Candidate> looked = estimated(asked, pruned_);
        if (options_.mostFallen > 0) noteLost(asked, looked);
        enqueue(std::move(back));
        enqueue(std::move(looked));
    }

    /// The first of the queue. Simulations of those after it begin as soon as a place is free, and count when it is their turn: some at the
    /// end never do.
    void simulateLeading() {
        const Candidate candidate = queue_.begin()->second;
        std::optional<SweptPoint> point = ahead_.pointOf(candidate.index, [this] { beginFollowing(); });
        if (!point) return; // stopped
        queue_.erase(queue_.begin());
        take(candidate, std::move(*point));
    }

    /// Keeps places busy with what will probably be asked for next.
    void beginFollowing() {
        const std::size_t mostLookedAt = estimatedTogether + 2 * ahead_.places();
        std::size_t looked = 0;
        for (auto next = queue_.begin(); next != queue_.end() && looked < mostLookedAt && ahead_.hasRoom(); ++next, ++looked)
            if (!next->second.canBeEstimated && !isBeaten(next->second)) ahead_.begin(next->second.index);
    }

    void letFall(const Candidate& candidate) {
        const std::string enough = std::to_string(listedPlans) + " or more ";
        static const std::string inBoth = "Plans that were simulated are better in both objectives, even if the estimate is as far off as estimates ever are; " + enough + "are better in the first.";
        static const std::string inFirst = enough + "plans that were simulated are better, even if the estimate is as far off as estimates ever are.";
        noteFallen(candidate, "beaten");
        pruned_.add("beaten", wholeFront_ ? inBoth : inFirst);
        if (!wholeFront_) beaten_.push_back(candidate);
    }

    bool isBeaten(const Candidate& candidate) const {
        if (candidate.least.first == -Candidate::unbounded) return false;
        std::size_t better = 0;
        bool isPassed = !wholeFront_; // by one that is better in both
        for (const Costs& costs : feasible_) {
            if (!(costs.first < candidate.least.first)) continue;
            ++better;
            isPassed = isPassed || costs.second <= candidate.least.second;
            if (isPassed && better >= listedPlans) return true;
        }
        return false;
    }

    /// All of these, whatever they turn out to be.
    void simulateAll(const std::vector<Candidate>& candidates) {
        std::size_t next = 0;
        const auto beginNext = [&] {
            for (; next < candidates.size() && ahead_.hasRoom(); ++next) ahead_.begin(candidates[next].index);
        };
        for (const Candidate& candidate : candidates) {
            std::optional<SweptPoint> point = ahead_.pointOf(candidate.index, beginNext);
            if (!point) return;
            take(candidate, std::move(*point));
        }
    }

    void take(const Candidate& candidate, SweptPoint point) {
        if (options_.onPoint && !served_ && !options_.known.contains(candidate.index)) options_.onPoint(candidate.index, point);
        if (!point.fits) {
            pruned_.add("no-result", point.problem);
            simulated_.emplace(candidate.index, std::move(point));
            return;
        }
        ++run_.evaluated;
        const Json* time = figureOf(point, "/iteration_time_s");
        if (candidate.estimatedTime && time && time->is_number()) compared_.emplace_back(*candidate.estimatedTime, time->get<double>());
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

    /// The end of a range that the search would like.
    std::optional<double> bestOf(const std::optional<FigureRange>& range, const Measure& measure) const {
        if (!range) return std::nullopt;
        bool most = false;
        for (const Objective* objective : {&question_.second, &question_.objective})
            if (objective->measure.pointer == measure.pointer) most = objective->maximise;
        const double best = most ? range->high : range->low;
        return std::isfinite(best) ? std::optional(best) : std::nullopt;
    }

    void noteFallen(const Candidate& candidate, const char* rule) {
        if (run_.fallen.size() >= options_.mostFallen) return;
        FallenPlan plan{candidate.index, rule, {}};
        for (const Measure& measure : question_.space.measures) plan.known.push_back(bestOf(rangeOf(candidate, measure), measure));
        run_.fallen.push_back(std::move(plan));
    }

    /// Those that an estimate let fall.
    void noteLost(const std::vector<Candidate>& asked, const std::vector<Candidate>& kept) {
        std::set<std::size_t> left;
        for (const Candidate& candidate : kept) left.insert(candidate.index);
        for (const Candidate& candidate : asked)
            if (!left.contains(candidate.index)) noteFallen(candidate, "does-not-fit");
    }

    /// Scenarios that the survey let fall by their floors: read once more, for those that are to be told are few.
    void noteUnsurveyed() {
        constexpr double mostLookedAt = 20000;
        const auto all = static_cast<std::size_t>(std::min(run_.combinations, mostLookedAt));
        for (std::size_t index = 0; index < all && run_.fallen.size() < options_.mostFallen && !stopped(); ++index) {
            if (surveyed_.contains(index)) continue;
            Problems problems;
            const std::optional<Scenario> scenario = trials_.read(question_.space.changes(index), problems);
            if (!scenario) continue;
            Candidate candidate;
            candidate.index = index;
            if (const auto floor = PlanEstimates().floor(*scenario)) candidate.range = rangeAbove(floor->iterationTime, floor->devicePeak, mostTimeError(*scenario));
            noteFallen(candidate, "does-not-fit");
        }
    }

    SearchRun finished() {
        std::sort(run_.fallen.begin(), run_.fallen.end(), [](const FallenPlan& a, const FallenPlan& b) { return a.index < b.index; });
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
        run_.pruned = pruned_.rules();
        run_.rankCorrelation = rankCorrelation(compared_);
        return std::move(run_);
    }

    const Trials& trials_;
    const SearchQuestion& question_;
    SearchOptions options_;
    const RunControl& control_;
    SearchRun run_;
    PlanSurvey survey_;
    std::unique_ptr<SpreadSpace> spread_; ///< null: all is done by threads of this process
    std::unique_ptr<TrialPool> threads_;  ///< null: `spread_` simulates
    TrialsAhead ahead_;
    bool wholeFront_;                                                    ///< all that may be of the front is simulated; else estimates say what is
    std::unique_ptr<ServedPlans> served_;                                ///< null: plans are surveyed
    std::vector<Candidate> candidates_;                                  ///< as they were surveyed
    std::map<std::tuple<double, double, std::size_t>, Candidate> queue_; ///< not simulated yet, by what they cost at least, and index
    PrunedCounts pruned_;
    std::set<std::size_t> surveyed_; ///< of the candidates
    std::map<std::size_t, FamilyFigures> families_;
    std::map<std::size_t, SweptPoint> simulated_;
    std::vector<Candidate> beaten_; ///< without a simulation, where estimates say what is of the front
    std::vector<Costs> feasible_;   ///< of what was simulated, in that order
    std::vector<std::size_t> feasibleIndex_;
    std::vector<std::pair<double, double>> compared_; ///< iteration times, estimated and simulated, s
};

} // namespace

SearchRun runSearch(const Trials& trials, const SearchQuestion& question, SearchOptions options, const RunControl& control) {
    return Search(trials, question, std::move(options), control).run();
}

} // namespace orrery
