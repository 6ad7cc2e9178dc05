// SPDX-License-Identifier: GPL-3.0-or-later
// What the table says of a schedule, held against the steps that are generated for it.
#include "core/order/schedule/checker.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/ideal_bubble.hpp"
#include "core/order/schedule/in_flight.hpp"
#include "core/order/schedule/paired_orders.hpp"
#include "core/order/schedule/player.hpp"
#include "tests/support/enumerators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

namespace orrery {
namespace {

static_assert(scheduleTraits.size() == test::enumeratorCount<PipelineOrder>(), "every order has a row");

std::string shapeText(const ScheduleTraits& traits, const PipelineShape& shape) {
    return std::string(traits.word) + ", p " + std::to_string(shape.stages) + ", m " + std::to_string(shape.microBatches) + ", v " + std::to_string(shape.chunksPerStage);
}

using ShapeVisit = std::function<void(const PipelineShape&)>;

/// Small shapes with the chunks that the schedule holds.
void forShapes(const ScheduleTraits& traits, const ShapeVisit& visit) {
    for (int stages = 1; stages <= 8; ++stages)
        for (int microBatches = 1; microBatches <= 26; ++microBatches)
            for (int chunks = 1; chunks <= 3; ++chunks)
                if (traits.takesChunks(chunks)) visit({stages, microBatches, chunks});
}

void forLegalShapes(const ScheduleTraits& traits, const ShapeVisit& visit) {
    forShapes(traits, [&](const PipelineShape& shape) {
        if (!refusalOf(traits.order, shape)) visit(shape);
    });
}

/// The order's steps whether it takes the shape or not.
PipelineSchedule unasked(PipelineOrder order, const PipelineShape& shape) {
    switch (order) {
    case PipelineOrder::gpipe: return gpipeOrder(shape);
    case PipelineOrder::one_f_one_b: return oneForwardOneBackwardOrder(shape);
    case PipelineOrder::interleaved: return interleavedOrder(shape);
    case PipelineOrder::zb_h1: return zeroBubbleH1Order(shape);
    case PipelineOrder::zb_v: return zeroBubbleVOrder(shape);
    case PipelineOrder::v_half: return vHalfOrder(shape);
    case PipelineOrder::v_min: return vMinOrder(shape);
    case PipelineOrder::dual_pipe: return dualPipeOrder(shape);
    }
    return {};
}

/// Chunks that the stage's steps go through.
std::set<int> chunksOf(const std::vector<PipelineStep>& steps) {
    std::set<int> chunks;
    for (const PipelineStep& step : steps) chunks.insert(step.chunk);
    return chunks;
}

bool anyStep(const PipelineSchedule& schedule, bool (*is)(const PipelineStep&)) {
    return std::any_of(schedule.stages.begin(), schedule.stages.end(), [&](const auto& steps) { return std::any_of(steps.begin(), steps.end(), is); });
}

TEST(ScheduleTraits, BackwardsAreSplitAndPassesPairedWhereTheStepsAre) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        bool splits = false, pairs = false;
        forLegalShapes(traits, [&](const PipelineShape& shape) {
            const PipelineSchedule schedule = makePipelineSchedule(traits.order, shape);
            splits = splits || anyStep(schedule, [](const PipelineStep& step) { return step.kind == PassKind::backward_input; });
            pairs = pairs || anyStep(schedule, [](const PipelineStep& step) { return step.withNext; });
        });
        EXPECT_EQ(traits.splitsBackward, splits) << traits.word;
        EXPECT_EQ(traits.pairsPasses, pairs) << traits.word;
    }
}

TEST(ScheduleTraits, ChunksLieWhereTheStepsRunThem) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        forLegalShapes(traits, [&](const PipelineShape& shape) {
            const PipelineSchedule schedule = makePipelineSchedule(traits.order, shape);
            const std::string what = shapeText(traits, shape);
            const int p = shape.stages;
            EXPECT_EQ(placementOf(traits.order, shape), schedule.placement) << what;
            int copies = 0, ends = 0, last = 0;
            for (const auto& steps : schedule.stages) last = std::max(last, *chunksOf(steps).rbegin());
            for (int stage = 0; stage < p; ++stage) {
                const std::set<int> held = chunksOf(schedule.stages[static_cast<std::size_t>(stage)]);
                std::set<int> expected;
                switch (traits.placement) {
                case PlacementKind::loop:
                    for (int slot = 0; slot < (traits.chunks.perStage == 0 ? shape.chunksPerStage : 1); ++slot) expected.insert(slot * p + stage);
                    break;
                case PlacementKind::vee: expected = {stage, 2 * p - 1 - stage}; break;
                case PlacementKind::two_way: expected = {stage, p - 1 - stage}; break;
                }
                EXPECT_EQ(held, expected) << what << ", stage " << stage;
                copies += held.contains(0);
                ends += held.contains(0) && held.contains(last);
            }
            EXPECT_EQ(traits.weightCopies(), copies) << what;
            if (p > 1) {
                EXPECT_EQ(traits.endsMeet(), ends > 0) << what;
            }
        });
    }
}

TEST(ScheduleTraits, TheChunksOfAScenarioAreThoseAStageHoldsOfOneCopy) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        if (traits.chunks.perStage == 0) continue;
        const PipelineShape shape{4, 8, 1};
        const PipelineSchedule schedule = makePipelineSchedule(traits.order, shape);
        EXPECT_EQ(static_cast<int>(chunksOf(schedule.stages.front()).size()), traits.chunks.perStage * traits.weightCopies()) << traits.word;
        const bool several = traits.chunks.perStage > 1;
        EXPECT_EQ(several, !traits.chunks.why.empty() && !traits.chunks.because.empty() && !traits.chunks.problem.empty()) << traits.word;
    }
}

TEST(ScheduleTraits, OneChunkIsTheOrderThatTheTableSays) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        const PipelineShape shape{4, 8, 1};
        EXPECT_EQ(makePipelineSchedule(traits.order, shape).stages, makePipelineSchedule(traits.withOneChunk, shape).stages) << traits.word;
        EXPECT_EQ(traitsOf(traits.withOneChunk).withOneChunk, traits.withOneChunk) << traits.word;
    }
}

/// What is refused would be illegal, and what is taken is legal. One thing is refused that is legal: DualPipe with two micro-batches fewer
/// than two a stage, where its steady part is empty. Its authors ask for two a stage.
TEST(ScheduleTraits, ANeedIsWhatTheCheckerAsksFor) {
    int refused = 0;
    for (const ScheduleTraits& traits : scheduleTraits) {
        forShapes(traits, [&](const PipelineShape& shape) {
            if (traits.withOneChunk != traits.order && shape.chunksPerStage == 1) return;
            const bool legal = checkSchedule(unasked(traits.order, shape)).empty();
            const bool taken = !refusalOf(traits.order, shape);
            const bool withoutSteadyPart = traits.need == ShapeNeed::both_ends && shape.stages % 2 == 0 && shape.microBatches == 2 * shape.stages - 2;
            EXPECT_EQ(taken, legal && !withoutSteadyPart) << shapeText(traits, shape);
            refused += !taken;
        });
    }
    EXPECT_GT(refused, 100);
}

TEST(ScheduleTraits, MultiplesOfTheStepAreAlwaysTaken) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        for (int stages = 2; stages <= 8; stages += 2) {
            for (int times = 1; times <= 4; ++times) {
                const int step = microBatchStep(traits, stages);
                const PipelineShape shape{stages, step * times, traits.takesChunks(2) ? 2 : 1};
                EXPECT_FALSE(refusalOf(traits.order, shape)) << shapeText(traits, shape);
            }
        }
    }
}

TEST(ScheduleTraits, OnlyWhatKeepsAllMicroBatchesHoldsMoreOfThemTheMoreThereAre) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        const auto most = [&](int microBatches) {
            const std::vector<double> peaks = peakActivations(makePipelineSchedule(traits.order, {4, microBatches, 1}));
            return *std::max_element(peaks.begin(), peaks.end());
        };
        EXPECT_EQ(traits.keepsAll, most(32) > most(16)) << traits.word;
        if (traits.keepsAll) {
            EXPECT_EQ(most(32), 32) << traits.word;
        }
    }
}

/// Once it has settled, every period takes as long as the one before.
TEST(ScheduleTraits, TheSteadyPartRepeatsItself) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        for (const int stages : {2, 4, 6, 8}) {
            const Repetition repetition = repetitionOf(traits, stages, false);
            const int chunks = traits.takesChunks(2) ? 2 : 1;
            const auto span = [&](int microBatches) {
                const auto played = playSchedule(makePipelineSchedule(traits.order, {stages, microBatches, chunks}), PassTimes{});
                return played ? played->span : -1;
            };
            const int step = std::max(repetition.period, microBatchStep(traits, stages));
            const int first = (repetition.settled + step - 1) / step * step;
            const double once = span(first + step) - span(first);
            EXPECT_GT(once, 0) << traits.word;
            for (int later = 1; later <= 4; ++later)
                EXPECT_DOUBLE_EQ(span(first + (later + 1) * step) - span(first + later * step), once) << traits.word << ", p " << stages;
        }
    }
}

/// So it is where passes run together, whatever a pair hides.
TEST(ScheduleTraits, TheSteadyPartOfPairsRepeatsItself) {
    for (const ScheduleTraits& traits : scheduleTraits) {
        for (const int stages : {1, 2, 4, 8}) {
            for (const int chunks : {1, 2, 3, 12}) {
                if (!canRunPaired(traits.order, {stages, stages, chunks})) continue;
                const Repetition repetition = repetitionOf(traits, stages, true);
                for (const double together : {3.0, 2.5, 2.0}) {
                    const auto span = [&](int microBatches) {
                        const auto played = playSchedule(pairedOrder(traits.order, {stages, microBatches, chunks}), PassTimes{1, 1, 1, together});
                        return played ? played->span : -1;
                    };
                    const int step = repetition.period, first = (repetition.settled + step - 1) / step * step;
                    const double once = span(first + step) - span(first);
                    EXPECT_GT(once, 0) << traits.word;
                    for (int later = 1; later <= 3; ++later)
                        EXPECT_NEAR(span(first + (later + 1) * step) - span(first + later * step), once, 1e-9 * once) << traits.word << ", p " << stages << ", v " << chunks;
                }
            }
        }
    }
}

/// Where the bubble has a closed form that is a share of 1F1B's for all p, filling is that share.
TEST(ScheduleTraits, FillIsTheShareOfTheClosedForm) {
    const PassTimes times{1, 1, 1, std::nullopt};
    for (const ScheduleTraits& traits : scheduleTraits) {
        if (traits.placement == PlacementKind::two_way) continue; // p/2 − 1 stages of p − 1
        const int chunks = traits.takesChunks(2) ? 2 : 1;
        const auto bubble = idealBubble(traits.order, {8, 32, chunks}, times), plain = idealBubble(PipelineOrder::one_f_one_b, {8, 32, 1}, times);
        if (!bubble) continue;
        const double fill = traits.chunks.perStage == 0 ? traits.fill / chunks : traits.fill;
        EXPECT_DOUBLE_EQ(*bubble, fill * plain.value()) << traits.word;
    }
}

} // namespace
} // namespace orrery
