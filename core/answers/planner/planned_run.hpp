// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/run_control.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/reader/reader.hpp"

#include <optional>
#include <string>

namespace orrery {

class Catalog;   // core/catalog
class ErrorBars; // core/answers/evidence

/// What plans are found with. All of it outlives the search.
struct PlannerGround {
    const Catalog& catalog;
    const ErrorBars& bars;
    const DifferenceJudge& differences;
    FileReader readFile{};
};

/// A plan with what it gives.
struct PlannedRun {
    BoxedJson scenario;     ///< the whole document, which `simulate` runs
    ResultPtr result;       ///< with error bars
    bool simulated = false; ///< false: time and memory are an estimate's, for its iteration has too many tasks for a moment
};

/// Simulates a scenario, or estimates it where a simulation would take more than a second or two. Nothing for what is impossible.
std::optional<PlannedRun> plannedRun(const Json& scenario, const PlannerGround& ground, const RunControl& control);

/// Accelerators that all of a scenario's ranks, or instances, take.
int acceleratorsUsed(const Scenario& scenario);

/// The plan in words: "tensor 4, pipeline 4 × 5 chunks, data 16, ZeRO 1, micro-batch 1, no recomputation".
std::string planText(const Scenario& scenario);

} // namespace orrery
