// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/search/front.hpp"
#include "core/answers/search/search_document.hpp"
#include "core/answers/search/search_memory.hpp"
#include "core/answers/search/search_question.hpp"
#include "core/training/estimate/estimated_plan.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// A combination that is a scenario.
struct Candidate {
    std::size_t index = 0;               ///< into the space
    std::size_t family = 0;              ///< of those that differ in nothing but the plan
    std::optional<PlanRange> range;      ///< nothing: estimates say nothing of it
    bool canBeEstimated = false;         ///< and was not yet: `range` is at most its floor's
    std::optional<double> estimatedTime; ///< s
    double estimatedPeak = 0;            ///< bytes; means something beside `estimatedTime`
    bool isEstimatedToFit = false;       ///< likewise
    PlanFloor floor;                     ///< of its estimate; zeros where there is none
    Costs least{-unbounded, -unbounded}; ///< no simulation gives less

    static constexpr double unbounded = std::numeric_limits<double>::infinity();
};

/// Whether an estimator varies the key; whoever differs in another belongs to another family.
bool isOfPlan(const std::string& pointer);

/// Reads the combinations of a space and says what estimates know of them: of all of them the floor, of some the estimate. Every thread has
/// estimators of its own; what they say does not depend on what else they were asked.
class PlanSurvey {
public:
    /// All of these outlive this.
    PlanSurvey(const Trials& trials, const SweepQuestion& space, const RunControl& control, bool estimates, SearchMemory* memory = nullptr);
    ~PlanSurvey();
    PlanSurvey(const PlanSurvey&) = delete;
    PlanSurvey& operator=(const PlanSurvey&) = delete;

    /// The combinations that are scenarios and may fit the memory, by index; the others are counted. Those that are not `wanted` are not looked at (empty: all
    /// are); any number of threads may ask that at once.
    std::vector<Candidate> all(PrunedCounts& pruned, const std::function<bool(std::size_t index)>& wanted = {});
    /// The same of a stretch of the space, by one thread; what is counted is not explained yet.
    std::vector<Candidate> between(std::size_t from, std::size_t to, PrunedCounts& pruned);
    /// A combination of which nothing is known.
    Candidate candidateAt(std::size_t index) const;
    /// Estimates these in full. Those that can't fit are counted and left out.
    std::vector<Candidate> estimated(const std::vector<Candidate>& candidates, PrunedCounts& pruned);

private:
    /// What one thread knows of a family.
    struct Family {
        std::unique_ptr<PlanReader> reader; ///< null: only whole readings do
        bool sought = false;                ///< the reader
        std::vector<std::size_t> values;    ///< of the plan's keys, working memory
    };
    using Families = std::map<std::size_t, Family>;

    /// Values of a combination, by key; `values` is reused from call to call.
    void valuesOf(std::size_t index, std::vector<std::size_t>& values) const;
    std::size_t familyOf(const std::vector<std::size_t>& values) const;
    Family& familyAt(std::size_t slot, std::size_t family);
    PlanEstimates& estimatesOf(std::size_t slot, std::size_t family) { return known_[slot][family]; }
    void seekReader(Family& family, std::size_t index) const;
    /// A combination's scenario (kept in `whole` where it was read whole); null, with the code of its first error and, after a whole reading, its
    /// sentence.
    const Scenario* read(Family& family, std::size_t index, const std::vector<std::size_t>& values, std::optional<Scenario>& whole, Problem& problem) const;
    void survey(std::size_t slot, std::size_t index, std::vector<Candidate>& candidates, PrunedCounts& pruned);
    bool estimate(std::size_t slot, Candidate& candidate, PrunedCounts& pruned);
    template <typename Work> void inBlocks(std::size_t count, std::size_t block, Work work);

    const Trials& trials_;
    const SweepQuestion& space_;
    const RunControl& control_;
    bool estimates_;
    std::vector<char> isPlanKey_;                  ///< by key; whoever differs in another belongs to another family
    std::size_t ofFamily_ = 1;                     ///< combinations
    std::vector<Families> slots_;                  ///< by thread
    std::vector<FamilyEstimates> known_;           ///< likewise
    SearchMemory* memory_ = nullptr;               ///< where this is kept in the end; null: nowhere
    std::vector<std::vector<std::size_t>> values_; ///< working memory, likewise
};

/// Puts a sentence where there is just an example of a combination that breaks a rule.
void explainPruned(PrunedCounts& pruned, const Trials& trials, const SweepQuestion& space);

} // namespace orrery
