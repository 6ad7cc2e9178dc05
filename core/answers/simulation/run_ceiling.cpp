// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/simulation/run_ceiling.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/network/routing/bisection.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/rank_groups.hpp"
#include "core/training/estimate/estimated_plan.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double bytesOfAccelerator = 14000; ///< of a cluster as single machines with their ways, measured at 8,000 and 32,000 of them
constexpr double sparedRoom = 0.95;          ///< of the ceiling that the mend fills

std::string gigabytes(double bytes) { return formatNumber(std::ceil(bytes / units::gigabyte * 10) / 10) + " GB"; }

/// Micro-batches that there is room for, as the schedule can take them. 0: none.
int microBatchesWithin(const Scenario& scenario, double share) {
    const Parallelism& plan = scenario.parallelism;
    const int step = microBatchStep(traitsOf(plan.schedule), plan.pipeline);
    const double room = std::floor(scenario.microBatches() * share / step) * step;
    return room >= 2.0 * plan.pipeline ? static_cast<int>(room) : 0;
}

/// What an iteration of the whole batch takes by estimate, as a sentence; empty where there is none.
std::string estimateInWords(const Scenario& scenario) {
    const std::optional<Estimate> estimate = PlanEstimates().estimate(scenario);
    if (!estimate) return "";
    const double time = estimate->iterationTime;
    constexpr double whole = 1000; // s: from here on fractions say nothing
    const std::string seconds = time < whole ? formatNumber(std::round(time * 100) / 100) : std::to_string(std::llround(time));
    // Where links above the hosts hold several stages back, the estimate leaves out by how much.
    RoutedFabric fabric(scenario.cluster);
    const char* const bound = hasFullBisection(fabric) ? "" : "at least ";
    std::string text = " By estimate an iteration takes " + (bound + seconds) + " s";
    text += estimate->fits ? " and fits the memory." : " and needs " + gigabytes(estimate->devicePeak) + " on an accelerator, which has " + gigabytes(scenario.cluster.accelerator.memoryBytes) + ".";
    return text;
}

} // namespace

std::optional<Problem> clusterBeyondCeiling(const Scenario& scenario, const RunControl& control) {
    const double accelerators = scenario.cluster.accelerators(), bytes = accelerators * bytesOfAccelerator;
    if (bytes <= control.memoryCeiling) return std::nullopt;
    const double room = sparedRoom * control.memoryCeiling / bytesOfAccelerator;
    const auto most = static_cast<std::int64_t>(room / std::max(1, acceleratorsPerHost(scenario.cluster)));
    Problem problem;
    problem.code = "run-too-large";
    problem.pointer = scenario.cluster.drawn ? "/cluster/topology" : "/cluster/nodes";
    problem.message = "Laying out " + counted(static_cast<std::int64_t>(accelerators), "accelerator") + " takes up to " + gigabytes(bytes) + " of memory; a run may have " + gigabytes(control.memoryCeiling) + ".";
    problem.mend = "Use up to " + std::to_string(std::max<std::int64_t>(1, most)) + " nodes, or raise the memory ceiling.";
    if (!scenario.cluster.drawn && most > 0) problem.edits = {{problem.pointer, most}};
    return problem;
}

std::optional<Problem> beyondCeiling(const Scenario& scenario, const RunSize& size, const RunControl& control) {
    if (size.bytes <= control.memoryCeiling) return std::nullopt;
    Problem problem;
    problem.code = "run-too-large";
    problem.pointer = "/workload/global_batch_size";
    problem.message = "Simulating " + counted(scenario.microBatches(), "micro-batch") + " takes up to " + formatNumber(std::ceil(size.tasks / 1e5) / 10) + " million tasks and " +
                      gigabytes(size.bytes) + " of memory; a run may have " + gigabytes(control.memoryCeiling) + "." + estimateInWords(scenario);
    const int room = microBatchesWithin(scenario, (sparedRoom * control.memoryCeiling - size.onceBytes) / (size.bytes - size.onceBytes));
    if (room > 0) {
        const std::int64_t batch = std::int64_t{room} * scenario.training().microBatch * scenario.parallelism.data;
        problem.mend = "Show fewer micro-batches: with global_batch_size " + std::to_string(batch) +
                       " the plan runs the same schedule; every further micro-batch adds the same time. Or raise the memory ceiling.";
        problem.edits = {{problem.pointer, batch}};
    } else {
        problem.mend = "Raise the memory ceiling, or let hosts that are alike fold into one: name fewer of them in stragglers and degraded links.";
    }
    return problem;
}

} // namespace orrery
