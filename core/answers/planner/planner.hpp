// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/planner/asked_machine.hpp"
#include "core/answers/planner/trained_search.hpp"
#include "core/base/boxed_json.hpp"
#include "core/base/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// What a job trains. What is left out gets a usual value, which the answer says.
struct AskedTraining {
    int sequence = 0; ///< tokens; 0: 8,192, or the longest that the model takes
    int batch = 0;    ///< sequences of an iteration; 0: four for each accelerator
};

/// What a server has to do.
struct AskedServing {
    double rate = 0;            ///< requests/s of the whole machine; 0: as many as it can
    int input = 1024;           ///< tokens of a prompt
    int output = 256;           ///< tokens of an answer
    std::optional<double> ttft; ///< s, 9 of 10 first tokens must come within
    std::optional<double> tpot; ///< s, 9 of 10 requests must get their tokens within
};

/// A question that one line asks: which plan is best for this model on this machine?
struct PlanRequest {
    BoxedJson model;                   ///< the scenario's `/model`
    std::string modelName;             ///< as a person calls it
    std::string machine;               ///< "32xdgx-h100": hosts of a platform; "256xh100-sxm5-80gb": accelerators
    std::optional<double> network;     ///< bytes/s between hosts, per accelerator and direction; nothing: the platform's
    std::optional<double> margin;      ///< share of the memory that stays free; nothing: what the error of the memory account justifies
    std::string framework;             ///< profile id; empty: the usual one for the work
    std::string precision;             ///< of matrix products; empty: bf16, of servers what the checkpoint is stored in
    std::optional<AskedServing> serve; ///< nothing: `train`
    AskedTraining train;
};

/// How much memory stays free, and why so much.
struct MemoryMargin {
    double share = 0;
    std::string why; ///< one sentence
};

/// The command that starts the best plan.
struct PlannedLaunch {
    std::string tool;    ///< as `launch --for` names it; empty: none fits
    std::string text;    ///< empty: `whyNone`
    std::string whyNone; ///< one sentence
};

/// The answer to a question of one line.
struct PlanAnswer {
    AskedMachine machine;
    std::string objective; ///< "least iteration time"
    MemoryMargin margin;
    LookedAt looked;
    BoxedJson space;                                      ///< the scenario with the `search` whose best plan this is
    BoxedJson splitSpace;                                 ///< of servers the same with prompts and answers on instances of their own; null: was not looked at
    std::vector<PlannedRun> plans;                        ///< the best first
    std::vector<std::optional<double>> probabilityBetter; ///< of the best over each of the others, by measured pairs; nothing: nobody knows
    std::vector<std::string> reasons;
    PlannedLaunch launch;
};

/// How many plans stand beside the best.
inline constexpr std::size_t otherPlans = 2;

/// The best plan for a model on a machine, and others that differ. Nothing, with problems, where model, machine or framework are not known, where
/// the numbers can't be, or where the machine is too small: the problem then names the least that would do.
/// Same request, same bytes, at any number of threads.
std::optional<PlanAnswer> planFor(const PlanRequest& request, const PlannerGround& ground, Problems& problems, const RunControl& control = {});

/// The contract's `orrery-plan/1`.
Json toJson(const PlanAnswer& answer);

} // namespace orrery
