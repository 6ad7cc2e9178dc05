// SPDX-License-Identifier: GPL-3.0-or-later
// Idle time and peak activations of the generated schedules against physics row 12 (and rows 4 and 5), equal stages, no communication.
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/ideal_bubble.hpp"
#include "core/order/schedule/in_flight.hpp"
#include "core/order/schedule/player.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace orrery {
namespace {

/// Whole numbers, so that sums are exact: F, the backward's input and weight part, F&B.
struct Times {
    double f;
    double input;
    double w;
    double together;
    double b() const { return input + w; }
    PassTimes passes() const { return {f, input, w, together}; }
};

PlayedSchedule play(const PipelineSchedule& schedule, const Times& times) {
    const auto played = playSchedule(schedule, times.passes());
    EXPECT_TRUE(played);
    return played.value_or(PlayedSchedule{});
}

/// m from 2p to 128: the ends, odd and even ones between.
std::set<int> microBatchesFor(int stages) {
    std::set<int> counts;
    for (int m : {2 * stages, 2 * stages + 1, 2 * stages + 2, 3 * stages, 5 * stages + 3, 64, 97, 127, 128})
        if (m >= 2 * stages && m <= 128) counts.insert(m);
    return counts;
}

double most(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

constexpr Times whole[] = {{1, 1, 1, 3}, {3, 4, 3, 10}, {5, 2, 9, 16}, {2, 7, 1, 10}};

TEST(PipelineClosedForms, OneForwardOneBackwardAndGpipe) {
    for (int p = 2; p <= 16; ++p) {
        for (int m : microBatchesFor(p)) {
            for (const Times& t : whole) {
                for (PipelineOrder order : {PipelineOrder::one_f_one_b, PipelineOrder::gpipe}) {
                    const PipelineSchedule schedule = makePipelineSchedule(order, {p, m});
                    const PlayedSchedule played = play(schedule, t);
                    EXPECT_EQ(played.mostIdle(), (p - 1) * (t.f + t.b())) << p << " " << m;
                    EXPECT_EQ(played.mostIdleWithin(), (p - 1) * (t.f + t.b())) << p << " " << m;
                    EXPECT_EQ(most(peakActivations(schedule)), order == PipelineOrder::gpipe ? m : p) << p << " " << m;
                }
            }
        }
    }
}

TEST(PipelineClosedForms, Interleaved) {
    for (int p = 2; p <= 16; ++p) {
        for (int v : {2, 3, 4}) {
            for (int m = 2 * p; m <= 128; m += 3 * p) {
                const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::interleaved, {p, m, v});
                const Times t{1, 1, 1, 3}; // of a chunk: 1/v of a stage
                EXPECT_EQ(play(schedule, t).mostIdle(), (p - 1) * (t.f + t.b())) << p << " " << m << " " << v;
                const std::vector<double> peaks = peakActivations(schedule);
                for (int i = 0; i < p; ++i) {
                    const double chunks = std::min(m * v, 2 * (p - 1 - i) + (v - 1) * p + 1);
                    EXPECT_DOUBLE_EQ(peaks[static_cast<std::size_t>(i)], chunks / v) << p << " " << m << " " << v << " " << i;
                }
            }
        }
    }
}

TEST(PipelineClosedForms, ZeroBubbleH1) {
    // w no longer than the forward or the input's part, as the published form assumes.
    constexpr Times split[] = {{1, 1, 1, 3}, {3, 4, 2, 9}, {10, 13, 9, 32}, {7, 3, 2, 12}, {4, 9, 4, 17}};
    for (int p = 2; p <= 16; ++p) {
        for (int m : microBatchesFor(p)) {
            const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::zb_h1, {p, m});
            for (const Times& t : split) {
                const PlayedSchedule played = play(schedule, t);
                EXPECT_EQ(played.mostIdle(), (p - 1) * (t.f + t.b() - 2 * t.w)) << p << " " << m;
                EXPECT_EQ(played.mostIdleWithin(), (p - 1) * (t.f + t.b() - 2 * t.w)) << p << " " << m;
            }
            for (double peak : peakActivations(schedule)) EXPECT_EQ(peak, p) << p << " " << m;
            // Without what waits for the weight parts it is 1F1B.
            const std::vector<double> early = peakActivations(schedule, ActivationRelease::with_input_part);
            for (int i = 0; i < p; ++i) EXPECT_EQ(early[static_cast<std::size_t>(i)], p - i) << p << " " << m;
        }
    }
}

TEST(PipelineClosedForms, ZeroBubbleV) {
    for (int p = 2; p <= 16; ++p) {
        for (int m : microBatchesFor(p)) {
            const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::zb_v, {p, m});
            const Times equal{3, 3, 3, 9}; // of a chunk: half a stage
            const PlayedSchedule played = play(schedule, equal);
            EXPECT_EQ(played.mostIdleWithin(), 0) << p << " " << m;
            // The last stage cannot start before p − 1 forwards; no stage idles longer.
            EXPECT_EQ(played.mostIdle(), (p - 1) * equal.f) << p << " " << m;
            for (double peak : peakActivations(schedule)) EXPECT_EQ(peak, p) << p << " " << m;
        }
    }
}

TEST(PipelineClosedForms, DualPipe) {
    // F = B − w ≥ w, as the published form assumes; F&B between the longer of the two and their sum.
    constexpr Times overlapped[] = {{1, 1, 1, 3}, {10, 10, 10, 30}, {10, 10, 10, 24}, {10, 10, 10, 20}, {10, 10, 6, 26}, {10, 10, 6, 17}};
    for (int p = 2; p <= 16; p += 2) {
        for (int m : microBatchesFor(p)) {
            if (m % 2 != 0) continue;
            const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::dual_pipe, {p, m});
            for (const Times& t : overlapped) {
                const double idle = (p / 2 - 1) * (t.together + t.b() - 3 * t.w);
                const PlayedSchedule played = play(schedule, t);
                EXPECT_EQ(played.idle(p / 2), idle) << p << " " << m << " " << t.together;
                EXPECT_EQ(played.mostIdle(), idle) << p << " " << m << " " << t.together;
                // Overlap that hides nothing makes all stages equally busy, and the ends start first and end last.
                if (t.together == t.f + t.b()) {
                    EXPECT_EQ(played.mostIdleWithin(), idle) << p << " " << m;
                }
            }
            for (const auto release : {ActivationRelease::with_weight_part, ActivationRelease::with_input_part})
                EXPECT_EQ(most(peakActivations(schedule, release)), p + 1) << p << " " << m;
            EXPECT_EQ(schedule.placement.chunksPerStage * schedule.placement.chunkShare(), 2) << "the weights are held twice";
        }
    }
}

/// Table 1 of arXiv 2405.15362: peaks ⌊(p+2)/2⌋ and ⌊(p+4)/3⌋ of A, idle about p/2 and 2p/3 of a micro-batch's forward and backward
/// (1F1B: p), however many micro-batches.
TEST(PipelineClosedForms, ControllableMemory) {
    const Times equal{3, 3, 3, 9};
    const double microBatch = 2 * (equal.f + equal.b()); // both chunks of a stage
    for (int p = 2; p <= 16; ++p) {
        double idleHalf = 0, idleMin = 0;
        for (int m : microBatchesFor(p)) {
            const PipelineSchedule half = makePipelineSchedule(PipelineOrder::v_half, {p, m}), min = makePipelineSchedule(PipelineOrder::v_min, {p, m});
            EXPECT_EQ(most(peakActivations(half)), (p + 2) / 2) << p << " " << m;
            EXPECT_EQ(most(peakActivations(min)), (p + 4) / 3) << p << " " << m;
            const double ofHalf = play(half, equal).mostIdleWithin(), ofMin = play(min, equal).mostIdleWithin();
            EXPECT_LE(ofHalf, p / 2.0 * microBatch) << p << " " << m;
            EXPECT_LE(ofMin, 2 * p / 3.0 * microBatch) << p << " " << m;
            if (idleHalf > 0) {
                EXPECT_EQ(ofHalf, idleHalf) << p << " " << m;
            }
            if (idleMin > 0) {
                EXPECT_EQ(ofMin, idleMin) << p << " " << m;
            }
            idleHalf = ofHalf;
            idleMin = ofMin;
        }
    }
}

/// What the closed forms say is what playing the schedule gives, and they say nothing where they do not hold.
TEST(PipelineClosedForms, IdealBubblesAreThoseOfThePlayedSchedules) {
    constexpr Times equal{1, 1, 1, 3}, longWeights{1, 1, 2, 4}, again{1, 2, 1, 4}, frozen{1, 1, 0, 2};
    const auto ideal = [](PipelineOrder order, const PipelineShape& shape, const Times& t) { return idealBubble(order, shape, t.passes()); };
    for (int p = 2; p <= 12; p += 2) {
        for (int m : {2 * p, 4 * p}) {
            for (const Times& t : {equal, again, frozen}) {
                const double work = m * (t.f + t.b());
                for (const PipelineOrder order : {PipelineOrder::gpipe, PipelineOrder::one_f_one_b, PipelineOrder::zb_h1, PipelineOrder::dual_pipe}) {
                    const auto form = ideal(order, {p, m}, t);
                    if (order == PipelineOrder::dual_pipe && t.f != t.input) {
                        EXPECT_FALSE(form);
                        continue;
                    }
                    ASSERT_TRUE(form) << static_cast<int>(order);
                    EXPECT_NEAR(*form * work, play(makePipelineSchedule(order, {p, m}), t).mostIdle(), 1e-9) << static_cast<int>(order) << " " << p << " " << m;
                }
            }
            EXPECT_EQ(ideal(PipelineOrder::zb_h1, {p, m}, equal), (p - 1) / (3.0 * m));
            EXPECT_EQ(ideal(PipelineOrder::zb_v, {p, m}, equal), 0.0);
            EXPECT_EQ(ideal(PipelineOrder::interleaved, {p, m, 2}, equal), (p - 1) / (2.0 * m));
            EXPECT_FALSE(ideal(PipelineOrder::zb_h1, {p, m}, longWeights));
            EXPECT_FALSE(ideal(PipelineOrder::zb_v, {p, m}, again));
            EXPECT_FALSE(ideal(PipelineOrder::v_half, {p, m}, equal));
            EXPECT_FALSE(ideal(PipelineOrder::zb_h1, {p, 2 * p - 1}, equal));
        }
    }
    EXPECT_EQ(ideal(PipelineOrder::v_min, {1, 4}, equal), 0.0);
}

TEST(PipelineClosedForms, ClaimsAreReached) {
    for (int p = 2; p <= 16; p += 2) {
        for (PipelineOrder order : {PipelineOrder::gpipe, PipelineOrder::one_f_one_b, PipelineOrder::interleaved, PipelineOrder::zb_h1,
                                    PipelineOrder::zb_v, PipelineOrder::v_half, PipelineOrder::dual_pipe}) {
            const PipelineSchedule schedule = makePipelineSchedule(order, {p, 4 * p, order == PipelineOrder::interleaved ? 2 : 1});
            for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
                const std::vector<int> held = activationsInFlight(schedule.stages[stage]);
                EXPECT_EQ(*std::max_element(held.begin(), held.end()), schedule.mostInFlight[stage]) << static_cast<int>(order);
                EXPECT_EQ(held.back(), 0);
            }
        }
    }
}

} // namespace
} // namespace orrery
