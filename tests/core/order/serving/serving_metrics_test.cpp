// SPDX-License-Identifier: GPL-3.0-or-later
// Metrics of a run counted by hand.
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

namespace orrery::test {
namespace {

TEST(ServingMetrics, PercentilesAreLinear) {
    std::vector<double> values;
    for (int i = 100; i >= 0; --i) values.push_back(i);
    const Distribution whole = distributionOf(values);
    EXPECT_DOUBLE_EQ(whole.mean, 50);
    EXPECT_DOUBLE_EQ(whole.p99, 99);
    const Distribution few = distributionOf(std::vector<double>{4, 1, 2});
    EXPECT_DOUBLE_EQ(few.p50, 2);
    EXPECT_DOUBLE_EQ(few.p90, 3.6); // numpy.percentile([4, 1, 2], 90)
    EXPECT_DOUBLE_EQ(few.p95, 3.8);
    EXPECT_DOUBLE_EQ(distributionOf(std::vector<double>{7}).p99, 7);
    EXPECT_EQ(distributionOf(std::vector<double>{}).p99, 0);
}

TEST(ServingMetrics, ValuesThatOccurOftenAreWhatAListOfThemIs) {
    RandomSource random(2);
    for (int round = 0; round < 200; ++round) {
        std::vector<TokenGap> gaps;
        std::vector<double> list;
        for (std::size_t i = 1 + random.below(10); i > 0; --i) {
            gaps.push_back({static_cast<double>(random.below(8)), static_cast<std::int64_t>(1 + random.below(20))});
            list.insert(list.end(), static_cast<std::size_t>(gaps.back().count), gaps.back().seconds);
        }
        const Distribution counted = distributionOf(gaps), listed = distributionOf(list);
        EXPECT_DOUBLE_EQ(counted.mean, listed.mean);
        EXPECT_EQ(counted.p50, listed.p50);
        EXPECT_EQ(counted.p90, listed.p90);
        EXPECT_EQ(counted.p99, listed.p99);
    }
}

TEST(ServingMetrics, CountWhatWasServedAndHowWell) {
    class Second : public StepClock {
        double seconds(const StepBatch&) const override { return 1; }
    } clock;
    RequestList requests;
    requests.requests = {{0, 10, 3, 0, {}}, {0.5, 10, 1, 0, {}}, {0.5, 10, 2, 0, {}}, {1, 100, 5, 0, {}}};
    EngineSettings engine;
    engine.maxSeqs = 1;
    engine.blockSize = 4;
    engine.blocks = 10;
    engine.prefixCaching = false;
    const auto outcome = serve(requests, oneEngine(engine, clock));
    // One at a time: 0 to 3 s, 3 to 4 s, 4 to 6 s; the last doesn't fit.
    ServiceLimits limits;
    limits.ttft = 3.6;
    const ServingMetrics metrics = metricsOf(requests, *outcome, limits);
    EXPECT_EQ(metrics.count, 4);
    EXPECT_EQ(metrics.completed, 3);
    EXPECT_EQ(metrics.rejected, 1);
    EXPECT_EQ(outcome->log.records[3].rejection, Rejection::longer_than_pool);
    EXPECT_DOUBLE_EQ(metrics.duration, 6);
    EXPECT_DOUBLE_EQ(metrics.outputTokensPerSecond, 1);
    EXPECT_DOUBLE_EQ(metrics.totalTokensPerSecond, 6);
    EXPECT_DOUBLE_EQ(metrics.ttft.mean, (1 + 3.5 + 4.5) / 3);
    EXPECT_DOUBLE_EQ(metrics.tpot.mean, 1); // of two requests: one token has none
    EXPECT_DOUBLE_EQ(metrics.queue.mean, (0 + 2.5 + 3.5) / 3);
    EXPECT_DOUBLE_EQ(metrics.e2e.mean, (3 + 3.5 + 5.5) / 3);
    EXPECT_DOUBLE_EQ(metrics.breakdown.prefill, 1);
    EXPECT_DOUBLE_EQ(metrics.breakdown.decode, 1);
    EXPECT_DOUBLE_EQ(*metrics.goodput, 2.0 / 6);
    // Blocks in use: 3, 3, 3; 3; 3, 3 of 10.
    EXPECT_DOUBLE_EQ(metrics.kvCacheUtilisation, 0.3);
    EXPECT_FALSE(metricsOf(requests, *outcome).goodput);
}

TEST(ServingMetrics, ReasonsForRejection) {
    const MadeUpClock clock;
    RequestList requests;
    requests.requests = {{0, 50, 51, 0, {}}, {0, 60, 2, 0, {}}, {0, 20, 2, 0, {}}, {0, 40, 41, 0, {}}};
    EngineSettings engine;
    engine.maxModelLength = 100;
    engine.chunkedPrefill = false;
    engine.maxBatchedTokens = 50;
    engine.blockSize = 10;
    engine.blocks = 7;
    const auto outcome = serve(requests, oneEngine(engine, clock));
    EXPECT_EQ(outcome->log.records[0].rejection, Rejection::longer_than_model);
    EXPECT_EQ(outcome->log.records[1].rejection, Rejection::longer_than_step);
    EXPECT_EQ(outcome->log.records[2].rejection, Rejection::none);
    EXPECT_EQ(outcome->log.records[3].rejection, Rejection::longer_than_pool);
}

TEST(ServingMetrics, NothingServedIsAllZero) {
    const MadeUpClock clock;
    EngineSettings engine;
    const RequestList requests;
    const ServingMetrics metrics = metricsOf(requests, *serve(requests, oneEngine(engine, clock)));
    EXPECT_EQ(metrics.count, 0);
    EXPECT_EQ(metrics.duration, 0);
}

} // namespace
} // namespace orrery::test
