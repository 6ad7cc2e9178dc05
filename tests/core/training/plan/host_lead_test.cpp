// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/training/plan/built_segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

// How the time of launches meets the device's, layer after layer.

namespace orrery {
namespace {

TimedOperator kernel(double time, int launches = 1, Phase phase = Phase::forward) {
    TimedOperator timed;
    timed.op.kind = OperatorKind::gemm;
    timed.op.phase = phase;
    timed.op.kernels = launches;
    timed.time = time;
    return timed;
}

SegmentOptions layers(double hostLaunch) {
    SegmentOptions options;
    options.hostLaunch = hostLaunch;
    options.repeats = true;
    return options;
}

TEST(HostLead, OfLayersIsWhatAHostThatIsFasterThanTheDeviceHas) {
    const std::vector<TimedOperator> operators{kernel(1), kernel(0.01), kernel(2)};
    const BuiltSegment layer = test::builtOf(operators, layers(0.3));
    EXPECT_DOUBLE_EQ(layer.segment.duration, 3.01) << "nothing waits for the host";
    EXPECT_DOUBLE_EQ(layer.parts.overhead, 0);
    SegmentOptions alone = layers(0.3);
    alone.repeats = false;
    EXPECT_DOUBLE_EQ(test::builtOf(operators, alone).segment.duration, 3.31) << "what stands alone waits for its first launch";
}

TEST(HostLead, LeavesALayerThatTheHostHoldsUpItsLaunches) {
    const BuiltSegment layer = test::builtOf({kernel(0.1), kernel(0.2), kernel(1.5)}, layers(1));
    EXPECT_DOUBLE_EQ(layer.segment.duration, 3);
    EXPECT_NEAR(layer.parts.overhead, 3 - 1.8, 1e-12);
}

TEST(HostLead, IsNoneOfAHostThatWaitsForEachKernel) {
    SegmentOptions options = layers(0.5);
    options.synchronousLaunches = true;
    EXPECT_DOUBLE_EQ(test::builtOf({kernel(1), kernel(1)}, options).segment.duration, 3);
}

/// A host and a device that go through many copies of a layer, clock by clock.
TEST(HostLead, MakesALayerAsLongAsItIsInALongRow) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> seconds(0.05, 1);
    int heldUp = 0;
    constexpr int rounds = 200, copies = 400;
    for (int round = 0; round < rounds; ++round) {
        std::vector<TimedOperator> operators;
        for (int i = 0; i < 2 + round % 7; ++i) operators.push_back(kernel(seconds(random), 1 + i % 2));
        const SegmentOptions options = layers(seconds(random));
        // The host may wait somewhere for what the device has counted.
        if (round % 3 == 0) operators[operators.size() / 2].op.hostWaits = true;
        double host = 0, device = 0, before = 0;
        for (int copy = 0; copy < copies; ++copy) {
            before = device;
            for (const TimedOperator& timed : operators) {
                host += options.hostLaunch * timed.op.kernels;
                device = std::max(device, host) + timed.time;
                if (timed.op.hostWaits) host = device;
            }
        }
        const BuiltSegment layer = test::builtOf(operators, options);
        ASSERT_NEAR(layer.segment.duration, device - before, 1e-9 * device) << round;
        ASSERT_NEAR(layer.parts.total(), layer.segment.duration, 1e-9) << round;
        heldUp += layer.parts.overhead > 0 ? 1 : 0;
    }
    EXPECT_GT(heldUp, rounds / 4);
    EXPECT_LT(heldUp, rounds);
}

TEST(HostLaunch, TakesLessInBackward) {
    SegmentOptions options = layers(1);
    options.backwardHostShare = 0.5;
    EXPECT_DOUBLE_EQ(hostTime(options, kernel(1, 3).op), 3);
    EXPECT_DOUBLE_EQ(hostTime(options, kernel(1, 3, Phase::recompute).op), 3) << "the forward once more, from Python";
    EXPECT_DOUBLE_EQ(hostTime(options, kernel(1, 3, Phase::backward).op), 1.5);
}

/// A collective that PyTorch calls takes the host as long as some launches, in graphs nothing.
TEST(HostLaunch, OfACollectiveIsLongerThanAKernels) {
    TimedOperator collective = kernel(0.25);
    collective.op.kind = OperatorKind::collective;
    collective.op.phase = Phase::communication;
    collective.op.group = RankGroup::tensor;
    SegmentOptions options = layers(1);
    options.collectiveLaunches = 2;
    EXPECT_DOUBLE_EQ(hostTime(options, collective.op), 2);
    EXPECT_DOUBLE_EQ(hostTime({}, collective.op), 0);
    for (const bool async : {false, true}) {
        options.asyncCollectives = async;
        const BuiltSegment layer = test::builtOf({kernel(0.1), collective, kernel(0.1), collective}, options);
        EXPECT_DOUBLE_EQ(layer.segment.duration, 6.25) << "the host's 1 + 2 + 1 + 2, then the last collective";
        EXPECT_DOUBLE_EQ(layer.parts.total(), layer.segment.duration);
    }
    options.asyncCollectives = false;
    EXPECT_DOUBLE_EQ(test::builtOf({kernel(0.1), collective, kernel(0.1), collective}, options).parts.tensorExposed, 0.5) << "what the host is late by is no communication";
    options.overlapSlowdown = 1.5;
    EXPECT_DOUBLE_EQ(test::builtOf({kernel(0.1), collective, kernel(0.1), collective}, options).segment.duration, 6.25);
}

} // namespace
} // namespace orrery
