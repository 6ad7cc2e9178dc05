// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/planner/trained_search.hpp"

#include "core/answers/planner/plan_space.hpp"
#include "core/answers/search/plan_survey.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/parallel.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace orrery {
namespace {

/// Plans that are estimated before the next look at what is left; fixed, so that no number of threads changes the answer.
constexpr std::size_t estimatedAtOnce = 128;
/// Estimates of two plans of one space are off alike: simulations of plans this much apart come out in the order of their estimates
/// but for a few in a thousand, and then by less than a percent.
constexpr double noise = 0.01;
constexpr std::size_t mostSimulated = 4;

/// A plan whose memory is known to fit, by its estimate.
struct Ranked {
    double time = 0; ///< s
    std::size_t index = 0;
    std::vector<std::string> split; ///< what tells it from plans that are the same but for chunks, batches and recomputation
    bool operator<(const Ranked& other) const { return std::tie(time, index) < std::tie(other.time, other.index); }
};

class TrainedSearch {
public:
    TrainedSearch(const Trials& trials, const SearchQuestion& question, double memoryLimit, std::size_t others, const PlannerGround& ground, const RunControl& control)
        : trials_(trials), question_(question), memoryLimit_(memoryLimit), wanted_(others + 1), ground_(ground), control_(control), survey_(trials, question.space, control, true) {
        for (std::size_t i = 0; i < question.space.axes.size(); ++i) {
            const SweptKey& axis = question.space.axes[i];
            mayHide_ = mayHide_ || axis.pointer == "/execution/overlap/expert";
            if (axis.pointer != "/execution/recompute") continue;
            recompute_ = i;
            full_ = static_cast<std::size_t>(std::find(axis.values.begin(), axis.values.end(), Json("full")) - axis.values.begin());
        }
    }

    FoundPlans run() {
        found_.looked.combinations = question_.space.points();
        std::vector<Candidate> candidates = survey();
        found_.looked.legal = candidates.size();
        estimateWhatMatters(std::move(candidates));
        chooseBest();
        chooseOthers();
        return std::move(found_);
    }

private:
    static double leastTime(const Candidate& candidate) { return candidate.range ? candidate.range->iterationTime.low : 0; }

    /// Plans that may fit and would start. Whole layers made again keep the least: where that does not fit, nothing else is looked at.
    std::vector<Candidate> survey() {
        PrunedCounts pruned;
        std::vector<Candidate> least = survey_.all(pruned, [&](std::size_t index) { return valueOf(index, recompute_) == full_; });
        std::vector<char> mayFit(static_cast<std::size_t>(question_.space.points()) / question_.space.axes[recompute_].values.size(), 0);
        for (const Candidate& candidate : least) mayFit[withoutRecompute(candidate.index)] = 1;
        std::vector<Candidate> candidates = survey_.all(pruned, [&](std::size_t index) { return valueOf(index, recompute_) != full_ && mayFit[withoutRecompute(index)]; });
        candidates.insert(candidates.end(), least.begin(), least.end());
        std::erase_if(candidates, [&](const Candidate& candidate) {
            const bool isFull = candidate.range && candidate.range->devicePeak.low > memoryLimit_;
            return isFull || (mayHide_ && !frameworkRefuses(question_.space.changes(candidate.index)).empty());
        });
        return candidates;
    }

    /// Which value of an axis a combination has; the last axis changes fastest.
    std::size_t valueOf(std::size_t index, std::size_t axis) const { return index / stride(axis) % question_.space.axes[axis].values.size(); }
    std::size_t stride(std::size_t axis) const {
        std::size_t product = 1;
        for (std::size_t i = axis + 1; i < question_.space.axes.size(); ++i) product *= question_.space.axes[i].values.size();
        return product;
    }
    /// The combination's number among those of any one recomputation.
    std::size_t withoutRecompute(std::size_t index) const {
        const std::size_t inner = stride(recompute_), values = question_.space.axes[recompute_].values.size();
        return index / (inner * values) * inner + index % inner;
    }

    /// The time that a plan has to stay below to matter.
    double timeToBeat() const { return fastestOf_.size() < wanted_ ? Candidate::unbounded : slowestWanted_; }

    void estimateWhatMatters(std::vector<Candidate> candidates) {
        std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return std::pair(leastTime(a), a.index) < std::pair(leastTime(b), b.index); });
        for (std::size_t from = 0; from < candidates.size() && !control_.stop.stop_requested(); from += estimatedAtOnce) {
            if (leastTime(candidates[from]) > timeToBeat()) break;
            const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(from);
            const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), from + estimatedAtOnce));
            PrunedCounts pruned;
            found_.looked.estimated += static_cast<std::size_t>(end - begin);
            for (const Candidate& candidate : survey_.estimated({begin, end}, pruned)) take(candidate);
        }
        std::sort(ranked_.begin(), ranked_.end());
    }

    void take(const Candidate& candidate) {
        if (!candidate.estimatedTime) return;
        double& least = found_.looked.leastPeak;
        if (least == 0 || candidate.estimatedPeak < least) least = candidate.estimatedPeak;
        if (candidate.estimatedPeak > memoryLimit_) return;
        Ranked plan{*candidate.estimatedTime, candidate.index, splitOf(candidate.index)};
        const auto [known, isNew] = fastestOf_.try_emplace(plan.split, plan.time);
        known->second = std::min(known->second, plan.time);
        std::vector<double> times;
        times.reserve(fastestOf_.size());
        for (const auto& [split, time] : fastestOf_) times.push_back(time);
        std::sort(times.begin(), times.end());
        slowestWanted_ = times[std::min(times.size(), wanted_) - 1];
        ranked_.push_back(std::move(plan));
    }

    std::vector<std::string> splitOf(std::size_t index) const {
        constexpr std::array keys{std::string_view("/parallelism/tensor"), std::string_view("/parallelism/pipeline"), std::string_view("/parallelism/context"), std::string_view("/parallelism/expert"), std::string_view("/parallelism/zero_stage")};
        std::vector<std::string> split;
        for (const ScenarioEdit& edit : question_.space.changes(index))
            if (std::find(keys.begin(), keys.end(), edit.pointer) != keys.end()) split.push_back(edit.value->dump());
        return split;
    }

    std::optional<PlannedRun> runOf(const Ranked& plan) const {
        const EditOutcome edited = applyEdits(trials_.document(), question_.space.changes(plan.index));
        Json scenario = *edited.document;
        scenario.erase("search");
        Json& parallelism = scenario["parallelism"];
        if (parallelism.value("tensor", 1) == 1) {
            parallelism.erase("sequence");
            scenario["execution"]["overlap"].erase("tensor"); // tensor ranks that are not there hide nothing
        }
        for (const char* degree : {"pipeline", "virtual_pipeline", "context", "expert", "expert_tensor"})
            if (parallelism.value(degree, 1) == 1) parallelism.erase(degree);
        return plannedRun(scenario, ground_, control_);
    }

    bool keepsMemory(const PlannedRun& run) const { return run.result->memory.peakBytes <= memoryLimit_; }
    static double timeOf(const PlannedRun& run) { return run.result->training()->iterationTime; }

    /// Plans of some of the ranked, in that order; those that turn out not to fit are left out.
    std::vector<std::pair<Ranked, PlannedRun>> runsOf(const std::vector<Ranked>& plans) {
        std::vector<std::optional<PlannedRun>> runs(plans.size());
        forEachIndex(plans.size(), control_.threads, [&](std::size_t i) { runs[i] = runOf(plans[i]); });
        std::vector<std::pair<Ranked, PlannedRun>> fitting;
        for (std::size_t i = 0; i < plans.size(); ++i) {
            if (!runs[i]) continue;
            found_.looked.simulated += runs[i]->simulated ? 1 : 0;
            if (keepsMemory(*runs[i])) fitting.emplace_back(plans[i], std::move(*runs[i]));
        }
        return fitting;
    }

    /// Simulates what may be the best; where none of those fits, the next ones.
    void chooseBest() {
        for (std::size_t from = 0; from < ranked_.size() && found_.plans.empty() && !control_.stop.stop_requested();) {
            std::vector<Ranked> near;
            const double limit = ranked_[from].time * (1 + noise);
            while (from < ranked_.size() && near.size() < mostSimulated && ranked_[from].time <= limit) near.push_back(ranked_[from++]);
            auto runs = runsOf(near);
            if (runs.empty()) continue;
            // Only what was found in the same way is told apart by so little.
            const bool alike = std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return run.second.simulated == runs.front().second.simulated; });
            const auto best = alike ? std::min_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return timeOf(a.second) < timeOf(b.second); }) : runs.begin();
            taken_.insert(best->first.split);
            found_.plans.push_back(std::move(best->second));
        }
    }

    void chooseOthers() {
        while (!found_.plans.empty() && found_.plans.size() < wanted_ && !control_.stop.stop_requested()) {
            std::vector<Ranked> next;
            std::set<std::vector<std::string>> splits = taken_;
            for (const Ranked& plan : ranked_)
                if (next.size() + found_.plans.size() < wanted_ && !tried_.contains(plan.index) && splits.insert(plan.split).second) next.push_back(plan);
            if (next.empty()) return;
            for (const Ranked& plan : next) tried_.insert(plan.index);
            for (auto& [plan, run] : runsOf(next)) {
                taken_.insert(plan.split);
                found_.plans.push_back(std::move(run));
            }
        }
        if (found_.plans.size() < 2) return;
        std::stable_sort(found_.plans.begin() + 1, found_.plans.end(), [](const PlannedRun& a, const PlannedRun& b) { return timeOf(a) < timeOf(b); });
        // An estimate put it behind by less than estimates are off.
        if (found_.plans[1].simulated == found_.plans[0].simulated && timeOf(found_.plans[1]) < timeOf(found_.plans[0])) std::swap(found_.plans[0], found_.plans[1]);
    }

    const Trials& trials_;
    const SearchQuestion& question_;
    double memoryLimit_;
    std::size_t wanted_;
    const PlannerGround& ground_;
    const RunControl& control_;
    PlanSurvey survey_;
    std::size_t recompute_ = 0, full_ = 0; ///< the axis of recomputation, and its value of whole layers
    bool mayHide_ = false;                 ///< experts' exchange is an axis
    FoundPlans found_;
    std::vector<Ranked> ranked_;                           ///< in the end by time
    std::map<std::vector<std::string>, double> fastestOf_; ///< s, by split
    double slowestWanted_ = 0;                             ///< s, of the splits that are wanted
    std::set<std::vector<std::string>> taken_;             ///< splits of `found_`
    std::set<std::size_t> tried_;                          ///< as others
};

} // namespace

FoundPlans trainedPlans(const Trials& trials, const SearchQuestion& question, double memoryLimit, std::size_t others, const PlannerGround& ground, const RunControl& control) {
    return TrainedSearch(trials, question, memoryLimit, others, ground, control).run();
}

} // namespace orrery
