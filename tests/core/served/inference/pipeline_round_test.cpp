// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/pipeline_round.hpp"

#include <gtest/gtest.h>

#include <random>

// Micro-batches of an engine with several stages: nothing is lost, nothing is done twice, no limit is passed that need not be.

namespace orrery::test {
namespace {

/// Query-key pairs of the prompts: what must stay the same however they are cut.
double pairs(const StepBatch& batch) {
    double sum = 0;
    for (const StepBatch::Chunk& chunk : batch.prefills) sum += chunk.tokens * (chunk.context + (chunk.tokens + 1) / 2.0);
    return sum;
}

TEST(MicroBatches, HoldTheWholeBatch) {
    std::mt19937 random(1);
    const auto upTo = [&random](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
    for (int round = 0; round < 300; ++round) {
        StepBatch batch;
        batch.decodes = upTo(40);
        batch.draftTokens = batch.decodes * upTo(2);
        batch.decodeContext = 100;
        for (int i = upTo(6); i > 0; --i) batch.prefills.push_back({1 + upTo(900), upTo(500)});
        const int stages = 1 + upTo(4), most = 1024;
        StepBatch sum;
        double pairsOfParts = 0;
        const auto parts = microBatches(batch, stages, most);
        EXPECT_LE(static_cast<int>(parts.size()), stages);
        for (const StepBatch& part : parts) {
            EXPECT_FALSE(part.isEmpty());
            EXPECT_EQ(part.decodeContext, batch.decodeContext);
            if (batch.tokens() <= most) {
                EXPECT_LE(part.tokens(), most);
            }
            sum.decodes += part.decodes;
            sum.draftTokens += part.draftTokens;
            for (const StepBatch::Chunk& chunk : part.prefills) sum.prefills.push_back(chunk);
            pairsOfParts += pairs(part);
        }
        EXPECT_EQ(sum.decodes, batch.decodes);
        EXPECT_EQ(sum.draftTokens, batch.draftTokens);
        EXPECT_EQ(sum.tokens(), batch.tokens());
        EXPECT_DOUBLE_EQ(pairsOfParts, pairs(batch));
    }
}

TEST(MicroBatches, AreEvenAndCutNoPromptThatFits) {
    StepBatch batch;
    batch.decodes = 7;
    batch.prefills = {{500, 0}, {400, 0}, {300, 100}};
    const auto parts = microBatches(batch, 2, 1024);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].decodes, 4);
    EXPECT_EQ(parts[1].decodes, 3);
    EXPECT_EQ(parts[0].prefills.size() + parts[1].prefills.size(), 3U);
    EXPECT_EQ(parts[0].tokens(), 4 + 400 + 300);
    EXPECT_EQ(parts[1].tokens(), 3 + 500);
}

TEST(MicroBatches, APromptBeyondAStepGoesOnWhereItWasCut) {
    StepBatch batch;
    batch.prefills = {{1500, 200}};
    const auto parts = microBatches(batch, 2, 1024);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(parts[0].prefills.front().tokens, 1024);
    EXPECT_EQ(parts[1].prefills.front().tokens, 476);
    EXPECT_EQ(parts[1].prefills.front().context, 1224);
}

} // namespace
} // namespace orrery::test
