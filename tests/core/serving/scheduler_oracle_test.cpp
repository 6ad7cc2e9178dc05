// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM V1's scheduling, step by step, against a second implementation.
#include "tests/core/serving/scheduler_oracle.hpp"
#include "tests/core/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

struct Step {
    double start = 0;
    std::vector<std::pair<int, int>> scheduled;
    std::vector<int> preempted;
};

TEST(SchedulerOracle, EveryStepIsVllms) {
    RandomSource random(11);
    const MadeUpClock clock;
    std::size_t preemptions = 0, cached = 0, chunks = 0, rejected = 0;
    for (int round = 0; round < 1000; ++round) {
        const RandomCase one = randomCase(random);
        ServingSettings settings = oneEngine(one.engine, clock);
        settings.stepByStep = settings.keepSteps = true;
        std::vector<Step> steps;
        ServingRun run(one.requests, settings);
        run.instance(0).watch = [&](double now, const StepPlan& plan) {
            Step step{now, {}, plan.preempted};
            for (const PlannedChunk& chunk : plan.chunks) step.scheduled.emplace_back(chunk.request, chunk.tokens);
            for (const StepBatch::Chunk& chunk : plan.batch.prefills) chunks += chunk.context > 0;
            steps.push_back(std::move(step));
        };
        while (run.nextEvent() < std::numeric_limits<double>::infinity()) run.advance();
        const ServingOutcome outcome = run.outcome();
        const std::vector<OracleStep> book = vllmByTheBook(one.requests, one.engine, clock);
        ASSERT_EQ(steps.size(), book.size()) << "round " << round;
        std::vector<double> finish(one.requests.requests.size(), -1);
        for (std::size_t i = 0; i < book.size(); ++i) {
            ASSERT_EQ(steps[i].start, book[i].start) << "round " << round << " step " << i;
            ASSERT_EQ(steps[i].scheduled, book[i].scheduled) << "round " << round << " step " << i;
            ASSERT_EQ(steps[i].preempted, book[i].preempted) << "round " << round << " step " << i;
            ASSERT_EQ(outcome.steps[0][i].freeBlocks, book[i].freeBlocks) << "round " << round << " step " << i;
            preemptions += book[i].preempted.size();
            for (const int request : book[i].finished) finish[static_cast<std::size_t>(request)] = outcome.steps[0][i].start + outcome.steps[0][i].seconds;
        }
        for (std::size_t i = 0; i < finish.size(); ++i) {
            const RequestRecord& record = outcome.log.records[i];
            if (finish[i] < 0) EXPECT_NE(record.rejection, Rejection::none) << "round " << round << " request " << i;
            else EXPECT_NEAR(record.finish, finish[i], 1e-9) << "round " << round << " request " << i;
            cached += static_cast<std::size_t>(record.cachedTokens);
            rejected += record.rejection != Rejection::none;
        }
    }
    // Everything that can go on went on.
    EXPECT_GT(preemptions, 500u);
    EXPECT_GT(cached, 5000u);
    EXPECT_GT(chunks, 2000u);
    EXPECT_GT(rejected, 100u);
}

} // namespace
} // namespace orrery::test
