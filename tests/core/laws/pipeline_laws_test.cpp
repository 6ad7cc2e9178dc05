// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of how a pipeline fills: more micro-batches never cost more than what they are of, and leave no larger share to bubbles.
#include "core/answers/simulation/simulate.hpp"
#include "tests/core/laws/law_plans.hpp"
#include "tests/core/training/estimate/random_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace orrery::test {
namespace {

struct Filled {
    double time = 0; ///< s of an iteration
    double idle = 0; ///< share of the pipeline's span that its stages wait in the mean
    /// The share that they would wait if they had nothing to do but wait for the busiest one, for ever.
    double uneven = 0;
};

/// A stage is busy with what it computes, with what it waits for inside a layer, with its host and with weights and gradients of its own
/// replicas: all that comes again with every micro-batch.
double busyOf(const TimeBreakdown& stage) {
    const auto of = [&](TimePart part) { return stage[static_cast<std::size_t>(part)]; };
    return std::accumulate(stage.begin(), stage.end(), 0.0) - of(TimePart::bubble) - of(TimePart::pipeline_exposed) - of(TimePart::optimizer);
}

std::optional<Filled> filledBy(const Json& plan) {
    const std::optional<Scenario> scenario = readPlan(plan);
    if (!scenario) return std::nullopt;
    const Outcome outcome = simulate(*scenario);
    if (!outcome.result) return std::nullopt;
    const TrainingMetrics& metrics = *outcome.result->training();
    double most = 0, sum = 0;
    for (const TimeBreakdown& stage : metrics.stages) {
        most = std::max(most, busyOf(stage));
        sum += busyOf(stage);
    }
    return Filled{metrics.iterationTime, metrics.bubbleFraction, most > 0 ? 1 - sum / most / double(metrics.stages.size()) : 0};
}

constexpr unsigned fillingParts = 8; ///< tests that run beside each other, on plans of their own

/// With T_i the time that a micro-batch takes stage i, T the longest of them and F what filling and draining cost all stages together, m
/// micro-batches leave idle (m Σ (T − T_i) + F) / (p m T + F): between F's share, which falls with m, and what stages differ by, which stays. So
/// the share falls, or rises no further than to 1 − mean T_i / T. And a pipeline that has run m micro-batches can run as many again: twice
/// as many take at most twice as long.
class FillingLaw : public testing::TestWithParam<unsigned> {};

TEST_P(FillingLaw, MoreMicroBatchesFillAPipelineBetter) {
    Law share("more micro-batches leave no larger share to bubbles than stages differ by"), time("twice the micro-batches take at most twice as long");
    constexpr double shareSlack = 0.005; // of the span
    constexpr double timeSlack = 0.005;  // the order in which transfers meet on a link
    constexpr double mostByLinks = 0.03; // while a pipeline fills, stages that wait leave the links they share to those that work
    const std::size_t plans = plansOfSimulations / fillingParts;
    for (const Json& plan : soundPlans(GetParam(), 5 * plans)) {
        if (plan["parallelism"]["pipeline"] == 1 || share.tried() >= plans) continue;
        Json doubled = plan;
        doubled["workload"]["global_batch_size"] = 2 * plan["workload"]["global_batch_size"].get<int>();
        const auto before = filledBy(plan), after = filledBy(doubled);
        if (!before || !after) continue;
        const auto told = [&] { return described(plan) + std::to_string(before->idle) + " of " + std::to_string(before->time) + " s, then " + std::to_string(after->idle) + " of " + std::to_string(after->time) + ", stages differ by " + std::to_string(after->uneven); };
        share.atLeast(std::max(before->idle, after->uneven) + shareSlack, after->idle, 0, told);
        const bool byLinks = after->time > (1 + timeSlack) * 2 * before->time;
        time.atLeast(2 * before->time, after->time, byLinks ? mostByLinks : timeSlack, told);
        if (!byLinks) continue;
        // Traffic that runs beside nothing leaves no links to others, and then the law holds.
        const auto once = filledBy(oneAfterTheOther(plan)), twice = filledBy(oneAfterTheOther(doubled));
        if (once && twice) time.atLeast(2 * once->time, twice->time, timeSlack, told);
    }
    share.settle(plans * 9 / 10);
    time.settle(plans * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Parts, FillingLaw, testing::Range(943u, 943u + fillingParts));

} // namespace
} // namespace orrery::test
