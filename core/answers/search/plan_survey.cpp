// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/plan_survey.hpp"

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
/// Plans of a family from which on a reader of its own pays.
constexpr std::size_t fewestRead = 64;

/// Estimates say nothing of jobs beside this one, nor of what is drawn by a seed.
bool canBeEstimated(const Scenario& scenario) {
    const bool drawn = scenario.execution.jitter.sigma > 0 || (scenario.jitter.any() && scenario.jitter.method == JitterMethod::sampled);
    return scenario.isTraining() && !scenario.recorded() && scenario.beside.empty() && !drawn;
}

bool fits(const PlanRange& range, const Scenario& scenario) { return range.devicePeak.low <= scenario.cluster.accelerator.memoryBytes; }

void countUnfit(PrunedCounts& pruned) {
    static const std::string why = "The estimated peak is above the memory by more than estimates are ever off (" + formatNumber(100 * mostPeakError) + " %).";
    pruned.add("does-not-fit", why);
}

} // namespace

bool isOfPlan(const std::string& pointer) {
    const auto under = [&](std::string_view prefix) { return pointer.starts_with(prefix); };
    return under("/parallelism") || under("/workload/micro_batch_size") || under("/execution/recompute") || under("/execution/overlap") || under("/execution/offload");
}

PlanSurvey::PlanSurvey(const Trials& trials, const SweepQuestion& space, const RunControl& control, bool estimates, SearchMemory* memory)
    : trials_(trials), space_(space), control_(control), estimates_(estimates), slots_(static_cast<std::size_t>(std::max(1, control.threads))), memory_(memory), values_(slots_.size()) {
    if (memory_) known_ = memory_->take(trials, space, slots_.size());
    known_.resize(slots_.size());
    for (const SweptKey& axis : space.axes) {
        isPlanKey_.push_back(isOfPlan(axis.pointer));
        if (isPlanKey_.back()) ofFamily_ *= axis.values.size();
    }
}

PlanSurvey::~PlanSurvey() {
    if (memory_) memory_->keep(std::move(known_));
}

void PlanSurvey::valuesOf(std::size_t index, std::vector<std::size_t>& values) const {
    values.resize(space_.axes.size());
    for (std::size_t i = space_.axes.size(); i-- > 0;) {
        values[i] = index % space_.axes[i].values.size();
        index /= space_.axes[i].values.size();
    }
}

/// The values of all keys that are not the plan's number the family.
std::size_t PlanSurvey::familyOf(const std::vector<std::size_t>& values) const {
    std::size_t family = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!isPlanKey_[i]) family = family * space_.axes[i].values.size() + values[i];
    return family;
}

PlanSurvey::Family& PlanSurvey::familyAt(std::size_t slot, std::size_t family) {
    Families& families = slots_[slot];
    if (families.size() >= mostFamilies && !families.contains(family)) {
        families.clear();
        known_[slot].clear();
    }
    return families[family];
}

void PlanSurvey::seekReader(Family& family, std::size_t index) const {
    family.sought = true;
    if (ofFamily_ < fewestRead) return;
    std::vector<ScenarioEdit> others;
    std::vector<PlanKey> keys;
    const std::vector<ScenarioEdit> changes = space_.changes(index);
    for (std::size_t i = 0; i < space_.axes.size(); ++i) {
        if (isPlanKey_[i]) keys.push_back({space_.axes[i].pointer, space_.axes[i].values});
        else others.push_back(changes[i]);
    }
    family.reader = trials_.planReader(others, std::move(keys));
}

const Scenario* PlanSurvey::read(Family& family, std::size_t index, const std::vector<std::size_t>& values, std::optional<Scenario>& whole, Problem& problem) const {
    if (!family.sought) seekReader(family, index);
    if (family.reader) {
        std::vector<std::size_t>& own = family.values;
        own.clear();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (isPlanKey_[i]) own.push_back(values[i]);
        const std::string_view broken = family.reader->read(own);
        if (broken.empty()) return &family.reader->scenario();
        problem.code = broken;
        return nullptr;
    }
    Problems problems;
    whole = trials_.read(space_.changes(index), problems);
    if (!whole) problem = problems.front();
    return whole ? &*whole : nullptr;
}

/// Calls `work(slot, from, to, number)` for each block of indices; a slot is never in two threads at once.
template <typename Work> void PlanSurvey::inBlocks(std::size_t count, std::size_t block, Work work) {
    const std::size_t blocks = (count + block - 1) / block;
    forEachIndex(std::min(slots_.size(), blocks), control_.threads, [&](std::size_t slot) {
        for (std::size_t i = slot; i < blocks && !control_.stop.stop_requested(); i += slots_.size()) work(slot, i * block, std::min(count, (i + 1) * block), i);
    });
}

std::vector<Candidate> PlanSurvey::all(PrunedCounts& pruned, const std::function<bool(std::size_t index)>& wanted) {
    const auto count = static_cast<std::size_t>(space_.points());
    const std::size_t blocks = (count + surveyedInTurn - 1) / surveyedInTurn;
    std::vector<std::vector<Candidate>> found(blocks);
    std::vector<PrunedCounts> counts(blocks);
    std::mutex one;
    std::size_t done = 0;
    inBlocks(count, surveyedInTurn, [&](std::size_t slot, std::size_t from, std::size_t to, std::size_t block) {
        for (std::size_t index = from; index < to && !control_.stop.stop_requested(); ++index)
            if (!wanted || wanted(index)) survey(slot, index, found[block], counts[block]);
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
    explainPruned(pruned, trials_, space_);
    return candidates;
}

std::vector<Candidate> PlanSurvey::between(std::size_t from, std::size_t to, PrunedCounts& pruned) {
    std::vector<Candidate> candidates;
    for (std::size_t index = from; index < to; ++index) survey(0, index, candidates, pruned);
    return candidates;
}

Candidate PlanSurvey::candidateAt(std::size_t index) const {
    std::vector<std::size_t> values;
    valuesOf(index, values);
    Candidate candidate;
    candidate.index = index;
    candidate.family = familyOf(values);
    return candidate;
}

void explainPruned(PrunedCounts& pruned, const Trials& trials, const SweepQuestion& space) {
    pruned.explain([&](std::size_t index) {
        Problems problems;
        trials.read(space.changes(index), problems);
        return problems.empty() ? std::string() : problems.front().message;
    });
}

void PlanSurvey::survey(std::size_t slot, std::size_t index, std::vector<Candidate>& candidates, PrunedCounts& pruned) {
    std::vector<std::size_t>& values = values_[slot];
    valuesOf(index, values);
    Candidate candidate;
    candidate.index = index;
    candidate.family = familyOf(values);
    Family& family = familyAt(slot, candidate.family);
    std::optional<Scenario> whole;
    Problem problem;
    const Scenario* const scenario = read(family, index, values, whole, problem);
    if (!scenario) return problem.message.empty() ? pruned.add(std::string_view(problem.code), index) : pruned.add(problem.code, problem.message);
    candidate.canBeEstimated = estimates_ && canBeEstimated(*scenario);
    if (candidate.canBeEstimated) {
        if (const std::optional<PlanFloor> floor = estimatesOf(slot, candidate.family).floor(*scenario)) {
            candidate.floor = *floor;
            candidate.range = rangeAbove(floor->iterationTime, floor->devicePeak, mostTimeError(*scenario));
        }
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
    candidate.canBeEstimated = false;
    std::vector<std::size_t> values;
    valuesOf(candidate.index, values);
    Family& family = familyAt(slot, candidate.family);
    std::optional<Scenario> whole;
    Problem problem;
    const Scenario* const scenario = read(family, candidate.index, values, whole, problem);
    const std::optional<Estimate> estimate = scenario ? estimatesOf(slot, candidate.family).estimate(*scenario) : std::nullopt;
    if (!estimate) {
        candidate.range.reset(); // the simulation says what is wrong with it
        return true;
    }
    candidate.estimatedTime = estimate->iterationTime;
    candidate.estimatedPeak = estimate->devicePeak;
    candidate.isEstimatedToFit = estimate->fits;
    candidate.range = rangeAround(estimate->iterationTime, estimate->devicePeak, mostTimeError(*scenario));
    if (fits(*candidate.range, *scenario)) return true;
    countUnfit(pruned);
    return false;
}

} // namespace orrery
