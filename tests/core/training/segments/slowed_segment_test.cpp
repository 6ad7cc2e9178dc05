// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segments/slowed_segment.hpp"

#include "core/training/segments/segment_placement.hpp"
#include "tests/core/training/plan/built_segment.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

// Kernels slowed beside the collectives of their own segment.

namespace orrery {
namespace {

TimedOperator product(double time, std::vector<TensorId> inputs, TensorId output) {
    TimedOperator timed;
    timed.op.kind = OperatorKind::gemm;
    timed.op.phase = Phase::backward;
    timed.op.inputs = std::move(inputs);
    timed.op.outputs = {output};
    timed.time = time;
    return timed;
}

TimedOperator collective(double time, TensorId input, TensorId output, RankGroup group = RankGroup::tensor) {
    TimedOperator timed = product(time, {input}, output);
    timed.op.kind = OperatorKind::collective;
    timed.op.phase = Phase::communication;
    timed.op.collective = CollectiveKind::all_reduce;
    timed.op.group = group;
    return timed;
}

SegmentOptions slowed(double factor) {
    SegmentOptions options;
    options.overlapSlowdown = factor;
    return options;
}

/// Until a collective is launched the compute stream that waits for it waits for the host, whether kernels are slowed beside others or not.
TEST(SlowedSegment, WaitsForTheHostUntilACollectiveIsLaunched) {
    for (const double a : {1.0, 1.5}) {
        SegmentOptions options = slowed(a);
        options.hostLaunch = 0.3;
        options.collectiveLaunches = 5;
        const BuiltSegment built = test::builtOf({product(1, {0}, 1), collective(1, 1, 2, RankGroup::expert), product(0.4, {0}, 3), collective(1, 1, 4), product(0.5, {4}, 5)}, options);
        // Launches end at 0.3, 1.8, 2.1, 3.6 and 3.9 s: the collectives run from 1.8 and 3.6 s on.
        EXPECT_NEAR(built.segment.duration, 5.1, 1e-12);
        EXPECT_NEAR(built.parts.overhead, 0.3 + 0.8 + 0.8, 1e-12) << a;
        EXPECT_NEAR(built.parts.expertExposed, 2.8 - (2.1 + 0.4 * a), 1e-12) << a;
        EXPECT_NEAR(built.parts.tensorExposed, 1, 1e-12) << a;
        EXPECT_NEAR(built.parts.total(), built.segment.duration, 1e-12);
    }
}

/// A layer's forward and another's backward whose exchanges take longer than all that is beside them: combine's backward runs beside attention,
/// dispatch beside the experts' backward, and the exchange never pauses.
TEST(PairSegment, KeepsALongExchangeBusy) {
    constexpr double exchange = 2, first = 0.1;
    const std::vector<TimedOperator> pool{
        product(1, {0}, 1), collective(exchange, 1, 2, RankGroup::expert), product(0.9, {2}, 3), collective(exchange, 3, 4, RankGroup::expert),
        product(first, {0}, 1), collective(exchange, 1, 2, RankGroup::expert), product(1.8, {2}, 3), collective(exchange, 3, 4, RankGroup::expert), product(1.5, {4}, 5)};
    const SegmentOptions options;
    const Segment forward = buildSegment("forward", Phase::forward, {0, 1, 2, 3}, 100, options, pool).segment;
    const Segment backward = buildSegment("backward", Phase::backward, {4, 5, 6, 7, 8}, 100, options, pool).segment;
    EXPECT_NEAR(buildPairSegment(forward, backward, options, pool).segment.duration, first + 4 * exchange, 1e-12);
    EXPECT_NEAR(buildPairSegment(backward, forward, options, pool).segment.duration, first + 4 * exchange, 1e-12);
}

/// Backward of a column-parallel product: the input's gradient is summed up while the weight's is computed.
TEST(SlowedSegment, OfAWeightGradientBesideACollectiveIsTheClosedForm) {
    constexpr double before = 1, reduce = 0.6, weight = 1.5, after = 0.25, a = 1.4;
    const BuiltSegment built = test::builtOf({product(before, {0}, 1), collective(reduce, 1, 2), product(weight, {0}, 3), product(after, {2}, 4)}, slowed(a));
    const double beside = weight + reduce * (1 - 1 / a);
    EXPECT_NEAR(built.segment.duration, before + beside + after, 1e-12);
    EXPECT_NEAR(built.parts.interference, reduce * (1 - 1 / a), 1e-12);
    EXPECT_NEAR(built.parts.overlapped, reduce / a, 1e-12);
    EXPECT_NEAR(built.parts.tensorExposed, 0, 1e-12);
    EXPECT_NEAR(built.parts.backward, built.segment.duration, 1e-12);
    EXPECT_NEAR(shareSlowedByOthers(built.segment, built.parts, a) * built.segment.duration, before + (weight - reduce / a) + after, 1e-12);
}

/// A collective longer than what hides it: that is slowed throughout, the rest is exposed.
TEST(SlowedSegment, OfALongCollectiveSlowsTheWholeKernel) {
    constexpr double a = 1.4;
    const BuiltSegment built = test::builtOf({product(1, {0}, 1), collective(3, 1, 2, RankGroup::expert), product(1.5, {0}, 3), product(1, {2}, 4)}, slowed(a));
    EXPECT_NEAR(built.segment.duration, 1 + 3 + 1, 1e-12);
    EXPECT_NEAR(built.parts.interference, 1.5 * (a - 1), 1e-12);
    EXPECT_NEAR(built.parts.expertExposed, 3 - 1.5 * a, 1e-12);
}

/// Kernels that others' communication slows, where the compute stream waits for the host or a collective anyway: only what ends later counts.
TEST(SlowedSegment, SlowerKernelsOnlyMakeAWaitShorter) {
    constexpr double a = 1.4;
    const auto slowedSeconds = [](const BuiltSegment& built) { return shareSlowedByOthers(built.segment, built.parts, a) * built.segment.duration; };
    SegmentOptions options = slowed(a);
    options.hostLaunch = 1;
    // The host launches one a second, each takes less: just the last one's end moves.
    EXPECT_NEAR(slowedSeconds(test::builtOf({product(0.5, {0}, 1), product(0.6, {1}, 2), product(0.3, {2}, 3)}, options)), 0.3, 1e-12);
    // From the second on the device is the slower one; slowed, from the first.
    EXPECT_NEAR(slowedSeconds(test::builtOf({product(0.9, {0}, 1), product(2, {1}, 2), product(2, {2}, 3)}, options)), (0.9 * a - 1 + 4 * (a - 1)) / (a - 1), 1e-12);
    // Nothing beside: all of it is slowed.
    options.hostLaunch = 0;
    EXPECT_NEAR(slowedSeconds(test::builtOf({product(0.5, {0}, 1), product(0.6, {1}, 2)}, options)), 1.1, 1e-12);
    // The third hides behind a collective, slowed or not.
    EXPECT_NEAR(slowedSeconds(test::builtOf({product(1, {0}, 1), collective(3, 1, 2), product(1.5, {0}, 3), product(1, {2}, 4)}, options)), 2, 1e-12);
}

/// A collective that stops the compute stream meets no kernel.
TEST(SlowedSegment, WithoutOverlapIsAsEver) {
    SegmentOptions options = slowed(1.5);
    options.asyncCollectives = false;
    const BuiltSegment built = test::builtOf({product(1, {0}, 1), collective(3, 1, 2), product(1.5, {0}, 3)}, options);
    EXPECT_EQ(built.segment.duration, 5.5);
    EXPECT_EQ(built.parts.interference, 0);
}

/// Product and collective in c chunks: all products but the first run beside the collective.
TEST(SlowedSegment, InChunksIsTheClosedForm) {
    constexpr double a = 1.3;
    for (const int chunks : {2, 4, 8}) {
        SegmentOptions options = slowed(a);
        options.chunkedOverlap = true;
        options.chunks = chunks;
        // Bound by the network: the collective never pauses once begun.
        const BuiltSegment network = test::builtOf({product(1, {0}, 1), collective(2, 1, 2)}, options);
        EXPECT_NEAR(network.segment.duration, 1.0 / chunks + 2, 1e-12);
        EXPECT_NEAR(network.parts.interference, (a - 1) * (chunks - 1) / chunks, 1e-12);
        // Bound by the product: each chunk but the first lies beside one of the collective's, which ends within it.
        const BuiltSegment compute = test::builtOf({product(2, {0}, 1), collective(1, 1, 2)}, options);
        EXPECT_NEAR(compute.segment.duration, 2 + (1 - 1 / a) * (chunks - 1) / chunks + 1.0 / chunks, 1e-12);
    }
}

/// Random chains of kernels and collectives in a segment.
std::vector<TimedOperator> randomOperators(std::mt19937& random) {
    const auto below = [&](TensorId n) { return std::uniform_int_distribution<TensorId>(0, n - 1)(random); };
    const auto seconds = [&] { return std::uniform_real_distribution<double>(0.01, 1)(random); };
    std::vector<TimedOperator> operators;
    const TensorId count = 2 + below(18);
    for (TensorId i = 1; i <= count; ++i) {
        if (i > 1 && below(3) == 0) operators.push_back(collective(seconds(), below(i), i, below(2) ? RankGroup::tensor : RankGroup::expert));
        else operators.push_back(product(seconds(), {below(i), below(i)}, i));
    }
    return operators;
}

void expectNear(const BuiltSegment& a, const BuiltSegment& b) {
    EXPECT_NEAR(a.segment.duration, b.segment.duration, 1e-9);
    EXPECT_NEAR(a.parts.backward, b.parts.backward, 1e-9);
    EXPECT_NEAR(a.parts.tensorExposed, b.parts.tensorExposed, 1e-9);
    EXPECT_NEAR(a.parts.expertExposed, b.parts.expertExposed, 1e-9);
    EXPECT_NEAR(a.parts.overhead, b.parts.overhead, 1e-9);
    ASSERT_EQ(a.segment.entries.size(), b.segment.entries.size());
    for (const SegmentEntry& entry : a.segment.entries)
        for (const SegmentEntry& other : b.segment.entries) {
            if (entry.op != other.op) continue;
            EXPECT_NEAR(entry.start, other.start, 1e-9) << entry.op;
            EXPECT_NEAR(entry.end, other.end, 1e-9) << entry.op;
        }
}

/// A slow-down that is as good as none gives what the placement without one gives: the two ways to time a segment are one.
TEST(SlowedSegment, AgreesWithThePlacementWhereNothingIsSlowed) {
    std::mt19937 random(11);
    for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) {
        const std::vector<TimedOperator> operators = randomOperators(random);
        SegmentOptions options;
        options.asyncCollectives = i % 3 > 0;
        options.hostLaunch = i % 4 == 0 ? 0.3 : 0;
        options.synchronousLaunches = i % 24 == 0; // with collectives that stop the stream
        const BuiltSegment plain = test::builtOf(operators, options);
        options.overlapSlowdown = 1 + 1e-13;
        SlowedSegment again(options);
        for (std::uint32_t op = 0; op < operators.size(); ++op) again.add(operators[op], op);
        again.run();
        SCOPED_TRACE(i);
        expectNear(again.built("segment", Phase::backward), plain);
    }
}

TEST(SlowedSegment, PartsSumToItsDuration) {
    std::mt19937 random(12);
    double interference = 0;
    for (int i = 0; i < 300; ++i) {
        SegmentOptions options = slowed(1.5);
        options.chunkedOverlap = i % 2 == 1;
        options.chunks = 4;
        options.hostLaunch = i % 5 == 0 ? 0.2 : 0;
        const std::vector<TimedOperator> operators = randomOperators(random);
        const BuiltSegment built = test::builtOf(operators, options);
        double kernels = 0;
        for (const TimedOperator& timed : operators) kernels += timed.op.kind == OperatorKind::gemm ? timed.time : 0;
        ASSERT_NEAR(built.parts.total(), built.segment.duration, 1e-9) << i;
        ASSERT_NEAR(built.parts.work() - built.parts.interference, kernels, 1e-9) << i;
        ASSERT_GE(built.parts.interference, -1e-12);
        ASSERT_LE(built.parts.overlapped, kernels + 1e-9);
        interference += built.parts.interference;
    }
    EXPECT_GT(interference, 30);
}

} // namespace
} // namespace orrery
