// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/engine.hpp"
#include "core/results/report/result.hpp"
#include "core/training/plan/iteration.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// Parts of a result, each made from the executed program alone.

/// The spans of every stage's streams. A segment whose operators ran as tasks by themselves becomes a segment of its own for
/// each way in which they lay.
Timeline assembleTimeline(const Scenario& scenario, const Iteration& iteration, const TaskTimes& times);

/// Wall clock of every stage by cause. A gap on the compute stream belongs to what the next task waited for: a transfer while
/// it was under way, gradient or parameter communication while it ran, otherwise the bubble.
std::vector<TimeBreakdown> breakdownByStage(const Iteration& iteration, const TaskTimes& times);

/// s of every stage's wall clock by which its kernels took longer because communication ran beside them. Empty where
/// nothing slows anything.
std::vector<double> interferenceByStage(const Iteration& iteration, const TaskTimes& times);

/// Mean over stages of the time a stage neither computes nor communicates exposed between the first forward and the last
/// backward of the pipeline. Its share of that span equals (p - 1)/(v m + p - 1) for equal stages without communication.
struct PipelineBubble {
    double time = 0;     ///< s
    double fraction = 0; ///< of the span
};
PipelineBubble pipelineBubble(const Iteration& iteration, const TaskTimes& times);

/// Walks the events of every stage, writes the samples into the timeline and the account at each stage's peak.
MemoryReport accountMemory(const Scenario& scenario, const Iteration& iteration, Timeline& timeline);

/// Warns that ZeRO-3 needs more than ZeRO-2 would, because what it gathers outweighs the weights that it shares out, or ZeRO-2 more than
/// ZeRO-1, because whole gradients outweigh the shared ones. Names the stage, the bytes, and what the profile does to cause it.
std::optional<Problem> sharingWarning(const Scenario& scenario, const Iteration& iteration, const MemoryReport& memory);

/// What is kept between forward and backward, of a layer and on every stage.
StoredActivations storedActivations(const Iteration& iteration);

/// The contract's `operations`, from how often each segment ran.
std::vector<OperationRow> listOperations(const Scenario& scenario, const Iteration& iteration, const TaskTimes& times);

/// Who sends how much over which links of the drawing, by stage and operator.
NetworkReport reportNetwork(const Scenario& scenario, const Iteration& iteration, JobTraffic& traffic);

/// What follows from the time of an iteration alone: tokens a second, model FLOP rate, MFU.
void fillRates(const Scenario& scenario, TrainingMetrics& metrics);

/// Rates and ratios of the iteration; `breakdown`, `stages` and bubble must be set already.
void fillMetrics(const Scenario& scenario, const Iteration& iteration, TrainingMetrics& metrics);

/// FLOP/s of the data sheet that utilisation is measured by; 0 where it states none for the precision.
double densePeak(const Scenario& scenario);

/// A whole run of the tokens that `economics` names, with the failures of `reliability`; nothing where the scenario has neither.
std::optional<RunEstimate> estimateRun(const Scenario& scenario, const TrainingMetrics& metrics, double accelerators);

/// The three largest reasons for the time, each with what to try.
std::vector<Cause> findCauses(const Result& result);

} // namespace orrery
