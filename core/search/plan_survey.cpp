// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/plan_survey.hpp"

#include "core/base/json.hpp"
#include "core/base/parallel.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

/// Combinations that one thread looks at after each other: enough to learn from its own, few enough to share out.
constexpr std::size_t surveyedInTurn = 256, estimatedInTurn = 8;
/// Families of which a thread keeps what it knows.
constexpr std::size_t mostFamilies = 64;

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

bool fits(const PlanRange& range, const Scenario& scenario) { return range.devicePeak.low <= scenario.cluster.accelerator.memoryBytes; }

void countUnfit(PrunedCounts& pruned) {
    pruned.add("does-not-fit", "The estimated peak is above the memory by more than estimates are ever off (" + formatNumber(100 * mostPeakError) + " %).");
}

} // namespace

PlanSurvey::PlanSurvey(const Trials& trials, const SweepQuestion& space, const RunControl& control, bool estimates)
    : trials_(trials), space_(space), control_(control), estimates_(estimates), slots_(static_cast<std::size_t>(std::max(1, control.threads))) {}

/// The values of all keys that are not the plan's number the family.
std::size_t PlanSurvey::familyOf(std::size_t index) const {
    std::size_t family = 0, radix = 1;
    for (std::size_t i = space_.axes.size(); i-- > 0;) {
        const SweptKey& axis = space_.axes[i];
        if (!isOfPlan(axis.pointer)) {
            family += radix * (index % axis.values.size());
            radix *= axis.values.size();
        }
        index /= axis.values.size();
    }
    return family;
}

PlanEstimates& PlanSurvey::estimatesOf(std::size_t slot, std::size_t family) {
    Estimators& estimators = slots_[slot];
    if (estimators.size() >= mostFamilies && !estimators.contains(family)) estimators.clear();
    return estimators[family];
}

/// Calls `work(slot, from, to, number)` for each block of indices; a slot is never in two threads at once.
template <typename Work> void PlanSurvey::inBlocks(std::size_t count, std::size_t block, Work work) {
    const std::size_t blocks = (count + block - 1) / block;
    forEachIndex(std::min(slots_.size(), blocks), control_.threads, [&](std::size_t slot) {
        for (std::size_t i = slot; i < blocks && !control_.stop.stop_requested(); i += slots_.size()) work(slot, i * block, std::min(count, (i + 1) * block), i);
    });
}

std::vector<Candidate> PlanSurvey::all(PrunedCounts& pruned) {
    const auto count = static_cast<std::size_t>(space_.points());
    const std::size_t blocks = (count + surveyedInTurn - 1) / surveyedInTurn;
    std::vector<std::vector<Candidate>> found(blocks);
    std::vector<PrunedCounts> counts(blocks);
    std::mutex one;
    std::size_t done = 0;
    inBlocks(count, surveyedInTurn, [&](std::size_t slot, std::size_t from, std::size_t to, std::size_t block) {
        for (std::size_t index = from; index < to && !control_.stop.stop_requested(); ++index) survey(slot, index, found[block], counts[block]);
        if (!control_.progress) return;
        const std::lock_guard lock(one);
        constexpr double share = 0.5;
        control_.progress(share * double(++done) / double(blocks));
    });
    std::vector<Candidate> candidates;
    for (std::size_t block = 0; block < blocks; ++block) {
        std::move(found[block].begin(), found[block].end(), std::back_inserter(candidates));
        pruned.add(counts[block]);
    }
    return candidates;
}

void PlanSurvey::survey(std::size_t slot, std::size_t index, std::vector<Candidate>& candidates, PrunedCounts& pruned) {
    Problems problems;
    const std::optional<Scenario> scenario = trials_.read(space_.changes(index), problems);
    if (!scenario) {
        pruned.add(problems.front().code, problems.front().message);
        return;
    }
    Candidate candidate;
    candidate.index = index;
    candidate.family = familyOf(index);
    candidate.canBeEstimated = estimates_ && canBeEstimated(*scenario);
    if (candidate.canBeEstimated) {
        if (const std::optional<PlanFloor> floor = estimatesOf(slot, candidate.family).floor(*scenario)) candidate.range = rangeAbove(floor->iterationTime, floor->devicePeak, mostTimeError(*scenario));
        if (candidate.range && !fits(*candidate.range, *scenario)) return countUnfit(pruned);
    }
    candidates.push_back(candidate);
}

std::vector<Candidate> PlanSurvey::estimated(const std::vector<Candidate>& candidates, PrunedCounts& pruned) {
    std::vector<Candidate> looked = candidates;
    std::vector<char> left(looked.size(), 0);
    std::vector<PrunedCounts> counts((looked.size() + estimatedInTurn - 1) / estimatedInTurn);
    inBlocks(looked.size(), estimatedInTurn, [&](std::size_t slot, std::size_t from, std::size_t to, std::size_t block) {
        for (std::size_t i = from; i < to; ++i) left[i] = estimate(slot, looked[i], counts[block]);
    });
    std::vector<Candidate> kept;
    for (std::size_t i = 0; i < looked.size(); ++i)
        if (left[i]) kept.push_back(looked[i]);
    for (const PrunedCounts& count : counts) pruned.add(count);
    return kept;
}

/// False for a plan that can't fit.
bool PlanSurvey::estimate(std::size_t slot, Candidate& candidate, PrunedCounts& pruned) {
    Problems problems;
    candidate.canBeEstimated = false;
    const std::optional<Scenario> scenario = trials_.read(space_.changes(candidate.index), problems);
    const std::optional<Estimate> estimate = scenario ? estimatesOf(slot, candidate.family).estimate(*scenario) : std::nullopt;
    if (!estimate) {
        candidate.range.reset(); // the simulation says what is wrong with it
        return true;
    }
    candidate.estimatedTime = estimate->iterationTime;
    candidate.range = rangeAround(estimate->iterationTime, estimate->devicePeak, mostTimeError(*scenario));
    if (fits(*candidate.range, *scenario)) return true;
    countUnfit(pruned);
    return false;
}

} // namespace orrery
