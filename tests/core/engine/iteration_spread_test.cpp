// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/iteration_spread.hpp"
#include "core/engine/jitter_model.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/player.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// An iteration's time by closed form against brute force: every kernel, every rank, every pipeline drawn by itself and the schedule
// played. What the closed form may be off by is stated where it is held against it.

namespace orrery::test {
namespace {

HostJitter hostJitter(double sigma, double share = 0, double slowdown = 1) { return {sigma, share, slowdown}; }

/// Equal stages of `kernels` kernels of one second each, by a third forward and by two thirds backward.
ReplicaShape equalStages(int stages, int microBatches, int kernels, double sigma) {
    ReplicaShape shape;
    shape.microBatches = microBatches;
    shape.alone.assign(static_cast<std::size_t>(stages), kernels);
    shape.rounds.assign(static_cast<std::size_t>(stages), {double(kernels), kernels * std::expm1(sigma * sigma)});
    return shape;
}

/// Plays 1F1B with a factor for every kernel.
double playedSpan(int stages, int microBatches, int kernels, double sigma, const std::vector<double>& hosts, std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t index = 0;
    const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::one_f_one_b, {stages, microBatches, 1});
    const auto played = playSchedule(schedule, [&](int stage, int step) {
        const bool forward = schedule.stages[static_cast<std::size_t>(stage)][static_cast<std::size_t>(step)].kind == PassKind::forward;
        double seconds = 0;
        for (int kernel = 0; kernel < (forward ? kernels / 3 : kernels - kernels / 3); ++kernel, index += 2)
            seconds += std::exp(sigma * normalDraw(seed, stream, index) - sigma * sigma / 2);
        return seconds * (hosts.empty() ? 1 : hosts[static_cast<std::size_t>(stage)]);
    });
    return played->span;
}

double excessOf(const FactorSpread& spread) { return spread.mean - 1; }

/// One stage: a sum of kernels, nothing else. The slowest of n such: normal to within its skewness.
TEST(AnalyticSpread, OfOneStageIsTheLargestOfNormals) {
    const ReplicaShape shape = equalStages(1, 10, 100, 0.05);
    const double sigma = std::sqrt(1000 * std::expm1(0.0025)) / 1000;
    for (const int teams : {1, 8, 1024}) {
        const FactorSpread spread = analyticSpread(shape, HostFactors({}), {teams, 1, 1});
        const Moments largest = largestNormal(teams); // exp(σ z − σ²/2) to second order
        const double second = sigma * sigma / 2 * (largest.variance + largest.mean * largest.mean - 1);
        EXPECT_NEAR(excessOf(spread), sigma * largest.mean + second, 1e-3 * sigma) << teams;
        EXPECT_LT(spread.p5, spread.p50);
        EXPECT_LT(spread.p50, spread.p95);
    }
}

/// Stages wait for each other every micro-batch. By closed form the cost of that is right to a fifth where the pipeline is full
/// (4 p micro-batches and more).
TEST(AnalyticSpread, OfAPipelineAgreesWithPlayedSchedules) {
    for (const int stages : {2, 4, 8})
        for (const int rounds : {4, 12}) {
            const int microBatches = rounds * stages, kernels = 12;
            const double sigma = 0.1, alone = double(kernels) * (microBatches + stages - 1);
            const ReplicaShape shape = equalStages(stages, microBatches, kernels, sigma);
            double sum = 0, squares = 0;
            constexpr int samples = 50;
            for (std::uint64_t i = 0; i < samples; ++i) {
                const double span = playedSpan(stages, microBatches, kernels, sigma, {}, 11, i);
                sum += span;
                squares += span * span;
            }
            const double mean = sum / samples, deviation = std::sqrt(squares / samples - mean * mean);
            const ReplicaSpread spread = spreadOf(shape);
            const double played = mean / alone - 1, error = 3 * deviation / std::sqrt(samples) / alone;
            EXPECT_NEAR(spread.span.mean - 1, played, 0.2 * played + error) << stages << " stages, " << microBatches << " micro-batches";
            EXPECT_NEAR(std::sqrt(spread.span.variance), deviation / alone, 0.3 * deviation / alone) << stages << " stages, " << microBatches << " micro-batches";
        }
}

/// A stage with far more to do than the others waits for nobody.
TEST(AnalyticSpread, OfUnequalStagesCostsNoWaits) {
    ReplicaShape shape = equalStages(4, 16, 12, 0.05);
    shape.alone[2] = 24;
    shape.rounds[2] = {24, 24 * std::expm1(0.0025)};
    EXPECT_NEAR(spreadOf(shape).span.mean, 1, 1e-6);
}

/// What a replica takes does not depend on which of its stages comes first.
TEST(AnalyticSpread, OfStagesInAnyOrderIsTheSame) {
    ReplicaShape shape = equalStages(4, 16, 12, 0.1);
    for (std::size_t stage = 0; stage < 4; ++stage) {
        const double kernels = 12 + 3 * double(stage);
        shape.alone[stage] = kernels;
        shape.rounds[stage] = {kernels, kernels * std::expm1(0.01)};
    }
    ReplicaShape turned = shape;
    std::reverse(turned.alone.begin(), turned.alone.end());
    std::reverse(turned.rounds.begin(), turned.rounds.end());
    for (const double hostVariance : {0.0, 0.01}) {
        EXPECT_NEAR(spreadOf(turned, hostVariance).span.mean, spreadOf(shape, hostVariance).span.mean, 1e-12);
        EXPECT_NEAR(spreadOf(turned, hostVariance).span.variance, spreadOf(shape, hostVariance).span.variance, 1e-15);
    }
}

/// Hosts drawn one by one, every pipeline played with its own: the closed form is right to a tenth of the excess.
TEST(AnalyticSpread, OfHostsAgreesWithEveryHostDrawn) {
    struct Case {
        HostJitter hosts;
        int stages, microBatches, teams, hostsPerStage, sharing;
    };
    const std::vector<Case> cases{{hostJitter(0.03), 1, 8, 64, 1, 1}, {hostJitter(0.03), 1, 8, 64, 1, 8}, {hostJitter(0.03), 4, 16, 16, 1, 1}, {hostJitter(0.02, 0.02, 1.3), 4, 16, 16, 1, 1}, {hostJitter(0, 0.01, 1.5), 2, 8, 32, 2, 1}, {hostJitter(0.05), 4, 8, 8, 2, 2}};
    for (std::size_t which = 0; which < cases.size(); ++which) {
        const Case& one = cases[which];
        const int kernels = 12;
        const double sigma = 0.02, alone = double(kernels) * (one.microBatches + one.stages - 1);
        double sum = 0, squares = 0;
        constexpr int samples = 80;
        RandomSource random(17 + which);
        const auto drawHost = [&] {
            const double usual = std::exp(one.hosts.sigma * normalDraw(5, which, 2 * std::uint64_t(random.below(1 << 30))) - one.hosts.sigma * one.hosts.sigma / 2);
            return random.chance(one.hosts.slowShare) ? usual * one.hosts.slowdown : usual;
        };
        for (int sample = 0; sample < samples; ++sample) {
            double slowest = 0;
            std::vector<double> factors;
            for (int team = 0; team < one.teams; ++team) {
                if (team % one.sharing == 0) {
                    factors.assign(static_cast<std::size_t>(one.stages), 0);
                    for (double& factor : factors)
                        for (int i = 0; i < one.hostsPerStage; ++i) factor = std::max(factor, drawHost());
                }
                slowest = std::max(slowest, playedSpan(one.stages, one.microBatches, kernels, sigma, factors, 23 + which,
                                                       static_cast<std::uint64_t>(sample * one.teams + team)));
            }
            sum += slowest / alone;
            squares += slowest / alone * (slowest / alone);
        }
        const double mean = sum / samples, error = 3 * std::sqrt((squares / samples - mean * mean) / samples);
        const TeamPlaces places{one.teams, one.hostsPerStage, one.sharing};
        const ReplicaShape shape = equalStages(one.stages, one.microBatches, kernels, sigma);
        EXPECT_NEAR(excessOf(analyticSpread(shape, HostFactors(one.hosts), places)), mean - 1, 0.1 * (mean - 1) + error) << "case " << which;
        EXPECT_NEAR(excessOf(sampledSpread(shape, HostFactors(one.hosts), places, 1, 400)), mean - 1, 0.1 * (mean - 1) + error) << "case " << which;
    }
}

TEST(SampledSpread, AgreesWithTheClosedForm) {
    for (const HostJitter& hosts : {hostJitter(0), hostJitter(0.02), hostJitter(0.01, 0.005, 1.2)})
        for (const int teams : {1, 16, 256}) {
            const ReplicaShape shape = equalStages(4, 32, 20, 0.1);
            const FactorSpread closed = analyticSpread(shape, HostFactors(hosts), {teams, 1, 1});
            const FactorSpread drawn = sampledSpread(shape, HostFactors(hosts), {teams, 1, 1}, 3, 800);
            const double width = std::max(closed.p95 - closed.p5, 1e-4);
            EXPECT_NEAR(drawn.mean, closed.mean, 0.08 * width + 0.05 * excessOf(closed)) << teams;
            EXPECT_NEAR(drawn.p50, closed.p50, 0.15 * width + 0.05 * excessOf(closed)) << teams;
            EXPECT_NEAR(drawn.p95, closed.p95, 0.15 * width + 0.05 * excessOf(closed)) << teams;
        }
}

/// Where nothing is approximated (one stage, hosts or kernels alone) the mean of many draws is the closed form's to within four of its own
/// standard errors.
TEST(SampledSpread, IsTheClosedFormToWithinItsError) {
    struct Case {
        double sigma;
        HostJitter hosts;
        TeamPlaces places;
    };
    const std::vector<Case> cases{{0.2, {}, {1, 1, 1, 1}},
                                  {0.2, {}, {512, 1, 1, 1}},
                                  {0, hostJitter(0.05), {64, 1, 1, 1}},
                                  {0, hostJitter(0.05), {64, 2, 1, 1}},
                                  {0, hostJitter(0.05), {64, 1, 8, 1}},
                                  {0, hostJitter(0, 0.02, 1.5), {40, 1, 1, 1}},
                                  {0, hostJitter(0.03, 0.02, 1.5), {40, 1, 4, 1}}};
    for (std::size_t which = 0; which < cases.size(); ++which) {
        const Case& one = cases[which];
        const ReplicaShape shape = equalStages(1, 8, 50, one.sigma);
        const HostFactors hosts(one.hosts);
        constexpr int draws = 4000;
        double sum = 0, squares = 0;
        for (std::uint64_t draw = 0; draw < draws; ++draw) {
            const double factor = drawIteration(shape, spreadOf(shape, hosts, one.places), hosts, one.places, 77, draw).factor;
            sum += factor;
            squares += factor * factor;
        }
        const double mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
        EXPECT_NEAR(analyticSpread(shape, hosts, one.places).mean, mean, 4 * error) << "case " << which;
    }
}

/// A whole pipeline on one host is as slow as that; on as many hosts as stages, as the slowest of them.
TEST(AnalyticSpread, OfStagesOnOneHostHasItsFactor) {
    const HostFactors slow(hostJitter(0, 0.05, 1.4));
    const ReplicaShape shape = equalStages(4, 64, 12, 0);
    const double halfStep = 0.4 / 1500 / 2; // of the table that means are read off: where the distribution jumps it may lie so far off
    EXPECT_NEAR(analyticSpread(shape, slow, {1, 1, 1, 4}).mean, 1 + 0.05 * 0.4, halfStep);
    EXPECT_GT(analyticSpread(shape, slow, {1, 1, 1, 2}).mean, 1.02 + 0.01);
    EXPECT_GT(analyticSpread(shape, slow, {1, 1, 1, 1}).mean, analyticSpread(shape, slow, {1, 1, 1, 2}).mean + 0.01);
    constexpr int draws = 4000;
    for (const int together : {4, 2, 1}) {
        const FactorSpread drawn = sampledSpread(shape, slow, {1, 1, 1, together}, 5, draws);
        EXPECT_NEAR(drawn.mean, analyticSpread(shape, slow, {1, 1, 1, together}).mean, 4 * 0.4 * std::sqrt(0.2 * 0.8 / draws)) << together;
    }
    const IterationDraw one = drawIteration(equalStages(4, 64, 12, 0), {}, HostFactors(hostJitter(0.1)), {1, 1, 1, 2}, 1, 0);
    EXPECT_EQ(one.ofStage[0], one.ofStage[1]);
    EXPECT_NE(one.ofStage[1], one.ofStage[2]);
    EXPECT_EQ(one.ofStage[2], one.ofStage[3]);
}

TEST(AnalyticSpread, GrowsWithTeamsAndWithJitter) {
    RandomSource random(3);
    for (int i = 0; i < 12; ++i) {
        const HostJitter hosts{random.chance(0.5) ? random.between(0.0, 0.1) : 0.0, random.chance(0.5) ? random.between(0.0, 0.1) : 0.0, random.between(1.0, 2.0)};
        const int stages = random.pick<int>({1, 2, 4, 8});
        const double sigma = random.between(0.001, 0.3);
        const ReplicaShape shape = equalStages(stages, stages * random.pick<int>({1, 4, 8}), 30, sigma);
        const ReplicaShape calmer = equalStages(stages, shape.microBatches, 30, sigma / 2);
        double before = 0;
        for (int teams = 1; teams <= 4096; teams *= 4) {
            const TeamPlaces places{teams, 1, random.pick<int>({1, 4})};
            const FactorSpread spread = analyticSpread(shape, HostFactors(hosts), {teams, 1, 1});
            EXPECT_GE(spread.mean, before - 1e-9);
            EXPECT_LE(spread.p5, spread.p50);
            EXPECT_LE(spread.p50, spread.p95);
            before = spread.mean;
            EXPECT_GE(spread.mean, analyticSpread(calmer, HostFactors(hosts), {teams, 1, 1}).mean - 1e-9);
            EXPECT_LE(analyticSpread(shape, HostFactors(hosts), places).mean, spread.mean * (1 + 1e-3));
        }
    }
}

TEST(HostFactors, SlowestOfManyHasItsClosedForm) {
    const HostFactors slow(hostJitter(0, 0.01, 1.5));
    for (const int hosts : {1, 10, 1000}) EXPECT_NEAR(slow.expectedSlowest(hosts), 1 + 0.5 * (1 - std::pow(0.99, hosts)), 1e-12);
    EXPECT_NEAR(slow.mean(), 1.005, 1e-12);
    // Log-normal: the largest of normals, one by one.
    const double sigma = 0.05;
    for (const int hosts : {1, 8, 1280})
        EXPECT_NEAR(HostFactors(hostJitter(sigma)).expectedSlowest(hosts), largestOf({1, std::expm1(sigma * sigma)}, hosts).mean, 1e-4);
    double sum = 0;
    for (std::uint64_t host = 0; host < 20000; ++host) sum += HostFactors(hostJitter(0.1, 0.1, 2)).draw(9, 0, host);
    EXPECT_NEAR(sum / 20000, 1.1, 4 * 0.33 / std::sqrt(20000.0));
}

/// What is drawn is a function of the seed and of who draws.
TEST(Draws, AreTheirSeeds) {
    const ReplicaShape shape = equalStages(4, 16, 20, 0.05);
    const HostFactors hosts(hostJitter(0.02, 0.01, 1.2));
    const auto draw = [&](std::uint64_t seed, std::uint64_t which) { return drawIteration(shape, spreadOf(shape), hosts, {64, 1, 2}, seed, which); };
    EXPECT_EQ(draw(1, 2).factor, draw(1, 2).factor);
    EXPECT_EQ(draw(1, 2).ofStage, draw(1, 2).ofStage);
    EXPECT_NE(draw(1, 2).factor, draw(2, 2).factor);
    EXPECT_NE(draw(1, 2).factor, draw(1, 3).factor);
}

} // namespace
} // namespace orrery::test
