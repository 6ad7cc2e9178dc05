// SPDX-License-Identifier: GPL-3.0-or-later
// A cache of layers with windows holds the window, not the prompt.
#include "core/order/serving/block_pool.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace orrery::test {
namespace {

/// One request alone.
RequestList alone(int input, int output) {
    RequestList list;
    list.requests = {{0, input, output, 0, {}}};
    return list;
}

TEST(CacheWindow, LeavesBehindWhatTheNextTokenDoesNotSee) {
    const CacheWindow window{0.5, 8, false}, chunks{0.5, 8, true};
    // The token behind the first 20 sees itself and the seven before it, so 13 lie behind; of chunks 16 do.
    EXPECT_EQ(window.tokensBehind(20), 13);
    EXPECT_EQ(chunks.tokensBehind(20), 16);
    EXPECT_EQ(window.tokensBehind(7), 0);
    EXPECT_EQ(window.blocksBehind(20, 4), 3);
    EXPECT_EQ(window.worth(3), 1);
    for (const CacheWindow& one : {window, chunks, CacheWindow{0.8, 100, false}})
        for (int tokens = 0; tokens < 400; ++tokens) {
            const int behind = one.blocksBehind(tokens, 4);
            EXPECT_LT(tokens, one.tokensUntilBehind(behind, 4));
            EXPECT_GT(one.blocksBehind(one.tokensUntilBehind(behind, 4), 4), behind);
        }
}

TEST(CacheWindow, OneRequestHoldsItsWindowAndAStep) {
    const MadeUpClock clock;
    for (const bool caching : {false, true})
        for (const double share : {0.25, 52.0 / 62, 1.0}) {
            EngineSettings engine;
            engine.blocks = 1000;
            engine.maxBatchedTokens = 512;
            engine.prefixCaching = caching;
            ServingSettings settings = oneEngine(engine, clock);
            settings.instances.front().window = {share, 256, false};
            settings.keepSteps = true;
            const RequestList list = alone(4000, 400);
            const auto outcome = serve(list, settings);
            int computed = 0;
            for (const StepRecord& step : outcome->steps[0]) {
                // Tokens of earlier steps leave behind what the first of this one does not see.
                const int all = (computed + step.prefillTokens + step.decodes + 15) / 16, behind = std::max(0, computed - 255) / 16;
                ASSERT_EQ(engine.blocks - step.freeBlocks, all - static_cast<int>(std::floor(share * behind))) << computed;
                computed += step.prefillTokens + step.decodes;
            }
            EXPECT_EQ(computed, 4399);
        }
}

TEST(CacheWindow, RequestsRunThatAreLongerThanThePool) {
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 100; // 1,600 tokens
    engine.maxBatchedTokens = 128;
    const RequestList list = alone(5000, 300);
    ServingSettings settings = oneEngine(engine, clock);
    EXPECT_EQ(serve(list, settings)->log.records[0].rejection, Rejection::longer_than_pool);
    settings.instances.front().window = {0.85, 256, false}; // 0.15 × 332 blocks and the window
    EXPECT_EQ(serve(list, settings)->log.records[0].rejection, Rejection::none);
    EXPECT_TRUE(serve(list, settings)->log.records[0].isCompleted());
    settings.instances.front().window.share = 0.6;
    EXPECT_EQ(serve(list, settings)->log.records[0].rejection, Rejection::longer_than_pool);
}

TEST(CacheWindow, WhatLiesBehindIsFoundUntilItsRoomIsTaken) {
    const MadeUpClock clock;
    EngineSettings engine;
    engine.blocks = 1000;
    engine.maxBatchedTokens = 512;
    engine.prefixCaching = true;
    // Both begin with the same 1,600 tokens; the first goes on long behind its window.
    RequestList list;
    list.hashBlockSize = 16;
    list.requests = {{0, 6000, 10, 0, {}}, {1000, 3200, 10, 0, {}}};
    for (std::size_t request = 0; request < 2; ++request)
        for (std::uint64_t block = 0; block < 200; ++block) list.requests[request].hashes.push_back(block < 100 ? block + 1 : (request + 1) * 1000 + block);
    ServingSettings settings = oneEngine(engine, clock);
    settings.instances.front().window = {0.8, 256, false};
    EXPECT_EQ(serve(list, settings)->log.records[1].cachedTokens, 1600);
    // A pool that the first fills: 376 blocks by a fifth and a window beside them.
    settings.instances.front().engine.blocks = 150;
    EXPECT_LT(serve(list, settings)->log.records[1].cachedTokens, 1600);
    // Where somebody still reads what is shared, its room is nobody else's.
    list.requests[0].output = 5000;
    list.requests[1].arrival = 0.5;
    settings.instances.front().engine.blocks = 1000;
    EXPECT_EQ(serve(list, settings)->log.records[1].cachedTokens, 1600);
}

TEST(CacheWindow, ATransferTakesWhatIsSeenFromThePromptsEnd) {
    const MadeUpClock clock;
    for (const double share : {0.0, 0.8, 1.0}) {
        ServingSettings settings = oneEngine({}, clock);
        settings.instances.push_back(settings.instances.front());
        settings.instances[0].role = InstanceRole::prefill;
        settings.instances[1].role = InstanceRole::decode;
        for (InstanceSettings& instance : settings.instances) {
            instance.engine.blocks = 1000;
            instance.window = {share, 256, false};
        }
        settings.kvBytesPerToken = 1000;
        ConstantTransfers transfers(1e6, 0.002);
        const auto outcome = serve(alone(4000, 20), settings, &transfers);
        EXPECT_NEAR(outcome->log.records[0].transferred, 0.002 + ((1 - share) * 4000 + share * 255) * 1000 / 1e6, 1e-9);
        EXPECT_TRUE(outcome->log.records[0].isCompleted());
    }
}

TEST(CacheWindow, NeverHoldsMoreThanAllTokensAndNothingChangesInsideIt) {
    RandomSource random(41);
    const MadeUpClock clock;
    for (int round = 0; round < 600; ++round) {
        RandomCase one = randomCase(random);
        one.engine.policy = static_cast<SchedulerPolicy>(random.below(schedulerPolicyCount));
        ServingSettings settings = oneEngine(one.engine, clock);
        settings.keepSteps = true;
        const auto whole = serve(one.requests, settings);
        // A window as wide as any request.
        settings.instances.front().window = {random.unit(), one.engine.maxModelLength, random.chance(0.3)};
        const auto wide = serve(one.requests, settings);
        ASSERT_EQ(whole->steps[0].size(), wide->steps[0].size());
        for (std::size_t i = 0; i < whole->steps[0].size(); ++i) ASSERT_EQ(whole->steps[0][i].freeBlocks, wide->steps[0][i].freeBlocks) << "round " << round;
        for (std::size_t i = 0; i < whole->log.records.size(); ++i) ASSERT_EQ(whole->log.records[i].finish, wide->log.records[i].finish);
        // Whoever runs in a pool of whole tokens runs with windows, and each alone never holds more.
        settings.instances.front().window = randomWindow(random);
        const auto windowed = serve(one.requests, settings);
        for (std::size_t i = 0; i < whole->log.records.size(); ++i)
            ASSERT_TRUE(whole->log.records[i].rejection != Rejection::none || windowed->log.records[i].rejection == Rejection::none) << "round " << round;
        for (const StepRecord& step : windowed->steps[0]) ASSERT_TRUE(step.freeBlocks >= 0 && step.freeBlocks <= one.engine.blocks) << "round " << round;
        RequestList single = alone(one.requests.requests[0].input, one.requests.requests[0].output);
        const auto little = serve(single, settings);
        settings.instances.front().window = {};
        const auto all = serve(single, settings);
        if (all->log.records[0].rejection != Rejection::none) continue;
        ASSERT_EQ(all->steps[0].size(), little->steps[0].size()) << "round " << round;
        for (std::size_t i = 0; i < all->steps[0].size(); ++i) ASSERT_LE(all->steps[0][i].freeBlocks, little->steps[0][i].freeBlocks);
    }
}

} // namespace
} // namespace orrery::test
