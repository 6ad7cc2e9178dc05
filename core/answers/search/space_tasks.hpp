// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/task_pool.hpp"
#include "core/answers/explore/trial_pool.hpp"
#include "core/answers/search/plan_survey.hpp"
#include "core/answers/search/served_plans.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Does the tasks of a search or a sweep: surveys a stretch of the space, estimates plans, serves a group of served plans, simulates one plan. A task is a line of JSON, and so is its
/// answer; figures keep every digit. A simulation that fails, say for want of memory, is a point without a result.
class SpaceTasks {
public:
    /// A search's, or a sweep's: then nothing but plans is simulated. All of these outlive this. `prune` as SearchOptions'.
    SpaceTasks(const Trials& trials, const SearchQuestion& question, const RunControl& control, bool prune);
    SpaceTasks(const Trials& trials, const SweepQuestion& space, const RunControl& control);
    std::string answer(const std::string& task, const std::stop_token& stop);

private:
    std::string servedAnswer(const Json& plans);

    const Trials& trials_;
    const SweepQuestion& space_;
    RunControl control_; ///< of one thread
    PlanSurvey survey_;
    std::unique_ptr<ServedPlans> served_; ///< null: there are none, or only whole simulations know what is asked
};

/// A space whose work is spread over processes. What it says is what one process would, in the same order.
class SpreadSpace final : public TrialPool {
public:
    /// All of these outlive this.
    SpreadSpace(TaskPool& pool, const Trials& trials, const SweepQuestion& space) : pool_(pool), trials_(trials), space_(space) {}

    /// As PlanSurvey's.
    std::vector<Candidate> all(PrunedCounts& pruned, const RunControl& control);
    std::vector<Candidate> estimated(const std::vector<Candidate>& candidates, PrunedCounts& pruned);
    /// As ServedPlans' of each plan of the groups, in their order.
    std::vector<std::vector<ServedPlans::Found>> served(const std::vector<std::vector<std::size_t>>& groups, std::vector<PrunedCounts>& pruned, const RunControl& control, const OnSweptPoint& onPoint);

    std::size_t places() const override { return pool_.places(); }
    void begin(std::size_t index) override;
    std::optional<Done> next() override;
    void drop() override;

private:
    /// The answers in the order of the tasks; fewer once there is nobody to answer.
    std::vector<std::string> gather(const std::vector<std::string>& tasks, const std::function<void(std::size_t task, const std::string& answer, double share)>& onAnswer = {});

    TaskPool& pool_;
    const Trials& trials_;
    const SweepQuestion& space_;
    std::deque<Task> simulated_; ///< answers that came while others were waited for
};

} // namespace orrery
