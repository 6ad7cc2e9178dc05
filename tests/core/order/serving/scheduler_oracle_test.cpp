// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM V1's scheduling, step by step, against a second implementation.
#include "tests/core/order/serving/scheduler_oracle.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

struct Step {
    double start = 0;
    std::vector<std::pair<int, int>> scheduled;
    std::vector<int> preempted;
};

/// What happened that could have gone wrong.
struct Met {
    std::size_t preemptions = 0, cached = 0, chunks = 0, rejected = 0, behind = 0;
};

void agreesWithTheBook(const RandomCase& one, const OracleGroups& groups, Met& met) {
    const MadeUpClock clock;
    ServingSettings settings = oneEngine(one.engine, clock);
    settings.stepByStep = settings.keepSteps = true;
    settings.instances.front().window = {static_cast<double>(groups.windowed) / (groups.whole + groups.windowed), groups.span, groups.chunks};
    std::vector<Step> steps;
    ServingRun run(one.requests, settings);
    run.instance(0).watch = [&](double now, const StepPlan& plan) {
        Step step{now, {}, plan.preempted};
        for (const PlannedChunk& chunk : plan.chunks) step.scheduled.emplace_back(chunk.request, chunk.tokens);
        for (const StepBatch::Chunk& chunk : plan.batch.prefills) met.chunks += chunk.context > 0;
        steps.push_back(std::move(step));
    };
    while (run.nextEvent() < std::numeric_limits<double>::infinity()) run.advance();
    const ServingOutcome outcome = run.outcome();
    const std::vector<OracleStep> book = vllmByTheBook(one.requests, one.engine, clock, groups);
    std::vector<double> finish(one.requests.requests.size(), -1);
    for (std::size_t i = 0; i < std::min(book.size(), steps.size()); ++i) {
        ASSERT_EQ(steps[i].start, book[i].start) << "step " << i;
        ASSERT_EQ(steps[i].scheduled, book[i].scheduled) << "step " << i;
        ASSERT_EQ(steps[i].preempted, book[i].preempted) << "step " << i;
        ASSERT_EQ(outcome.steps[0][i].freeBlocks, book[i].freeBlocks) << "step " << i;
        met.preemptions += book[i].preempted.size();
        for (const int request : book[i].finished) finish[static_cast<std::size_t>(request)] = outcome.steps[0][i].start + outcome.steps[0][i].seconds;
    }
    ASSERT_EQ(steps.size(), book.size());
    for (std::size_t i = 0; i < finish.size(); ++i) {
        const RequestRecord& record = outcome.log.records[i];
        if (finish[i] < 0) EXPECT_NE(record.rejection, Rejection::none) << "request " << i;
        else EXPECT_NEAR(record.finish, finish[i], 1e-9) << "request " << i;
        met.cached += static_cast<std::size_t>(record.cachedTokens);
        met.rejected += record.rejection != Rejection::none;
        const Request& request = one.requests.requests[i];
        met.behind += record.rejection == Rejection::none && request.input + request.output > one.engine.blocks * one.engine.blockSize;
    }
}

TEST(SchedulerOracle, EveryStepIsVllms) {
    RandomSource random(11);
    Met met;
    for (int round = 0; round < 1000 && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(testing::Message() << "round " << round);
        agreesWithTheBook(randomCase(random), {}, met);
    }
    // Everything that can go on went on.
    EXPECT_GT(met.preemptions, 500u);
    EXPECT_GT(met.cached, 5000u);
    EXPECT_GT(met.chunks, 2000u);
    EXPECT_GT(met.rejected, 100u);
}

TEST(SchedulerOracle, EveryStepWithWindowsIsVllmsHybridAllocators) {
    RandomSource random(43);
    Met met;
    for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
        RandomCase one = randomCase(random);
        if (random.chance(0.5)) one.engine.blocks = std::max(2, one.engine.blocks / 2);
        if (random.chance(0.5))
            for (Request& request : one.requests.requests) request.output += static_cast<int>(random.below(120));
        OracleGroups groups{1, 1, 2 + static_cast<int>(random.below(70)), random.chance(0.3)};
        if (random.chance(0.2) && !groups.chunks) groups.whole = 0;
        if (!one.engine.prefixCaching) { // pages of a kind that are found again go together here, group by group there
            groups.windowed = 1 + static_cast<int>(random.below(6));
            groups.whole = static_cast<int>(random.below(4)) + int{groups.chunks};
        }
        if (groups.chunks) groups.span = (groups.span / one.engine.blockSize + 1) * one.engine.blockSize; // Llama 4's are whole blocks
        SCOPED_TRACE(testing::Message() << "round " << round << ": " << groups.whole << " and " << groups.windowed << " of span " << groups.span << (groups.chunks ? " (chunks), " : ", ") << one.engine.blocks << " blocks of " << one.engine.blockSize << (one.engine.prefixCaching ? ", found again" : ""));
        agreesWithTheBook(one, groups, met);
    }
    EXPECT_GT(met.preemptions, 500u);
    EXPECT_GT(met.cached, 5000u);
    EXPECT_GT(met.chunks, 2000u);
    EXPECT_GT(met.rejected, 100u);
    EXPECT_GT(met.behind, 100u); // that run to their end though the pool has no room for all their tokens
}

} // namespace
} // namespace orrery::test
