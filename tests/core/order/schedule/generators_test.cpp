// SPDX-License-Identifier: GPL-3.0-or-later
// Generated pipeline schedules: their orders against what is published, and every one of them against the checker.
#include "core/order/schedule/checker.hpp"
#include "core/order/schedule/communication.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/paired_orders.hpp"
#include "core/order/schedule/player.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace orrery {
namespace {

constexpr PipelineOrder everyOrder[] = {PipelineOrder::gpipe, PipelineOrder::one_f_one_b, PipelineOrder::interleaved,
                                        PipelineOrder::zb_h1, PipelineOrder::zb_v, PipelineOrder::v_half,
                                        PipelineOrder::v_min, PipelineOrder::dual_pipe};

void expectLegal(const PipelineSchedule& schedule, SendMode mode, const std::string& what) {
    const auto faults = checkSchedule(schedule, mode);
    EXPECT_TRUE(faults.empty()) << what << ": " << (faults.empty() ? "" : faults.front().message);
}

std::string nameOf(PipelineOrder order, const PipelineShape& shape) {
    return "order " + std::to_string(static_cast<int>(order)) + ", p " + std::to_string(shape.stages) + ", m " +
           std::to_string(shape.microBatches) + ", v " + std::to_string(shape.chunksPerStage);
}

TEST(PipelineOrders, EveryShapeAnOrderTakesIsLegalHoweverSendsBehave) {
    int checked = 0;
    for (int stages = 1; stages <= 16; stages += stages < 8 ? 1 : 4) {
        for (int microBatches : {1, 2, 3, stages, stages + 1, 2 * stages - 1, 2 * stages, 3 * stages + 1, 4 * stages, 128}) {
            for (PipelineOrder order : everyOrder) {
                for (int chunks : {1, 2, 3}) {
                    const PipelineShape shape{stages, microBatches, chunks};
                    if ((chunks > 1 && order != PipelineOrder::interleaved) || refusalOf(order, shape)) continue;
                    const PipelineSchedule schedule = makePipelineSchedule(order, shape);
                    const std::string what = nameOf(order, shape);
                    expectLegal(schedule, SendMode::buffered, what);
                    expectLegal(withCommunication(schedule, ReceivePlacement::before_use), SendMode::buffered, what + ", received before use");
                    const PipelineSchedule asSent = withCommunication(schedule, ReceivePlacement::as_sent);
                    expectLegal(asSent, SendMode::buffered, what + ", received as sent");
                    expectLegal(asSent, SendMode::rendezvous, what + ", received as sent, blocking");
                    ++checked;
                }
            }
        }
    }
    EXPECT_GT(checked, 400);
}

TEST(PipelineOrders, SomeMustNotReceiveLateWhenSendsBlock) {
    // Whether any shape of an order's deadlocks when both neighbours send before they receive.
    const auto deadlocks = [](PipelineOrder order) {
        for (const int stages : {2, 4, 8})
            for (const int microBatches : {stages, 2 * stages, 4 * stages}) {
                const PipelineShape shape{stages, microBatches, order == PipelineOrder::interleaved ? 2 : 1};
                if (refusalOf(order, shape)) continue;
                const PipelineSchedule schedule = makePipelineSchedule(order, shape);
                const auto faults = checkSchedule(withCommunication(schedule, ReceivePlacement::before_use), SendMode::rendezvous);
                for (const ScheduleFault& fault : faults) EXPECT_EQ(fault.kind, ScheduleFaultKind::deadlock) << fault.message;
                if (!faults.empty()) return true;
            }
        return false;
    };
    for (const PipelineOrder order : everyOrder) {
        // One chunk a stage goes one way; the repeated blocks of V-Half and V-Min never have two neighbours send to each other at once.
        const bool meets = order == PipelineOrder::interleaved || order == PipelineOrder::zb_v || order == PipelineOrder::dual_pipe;
        EXPECT_EQ(deadlocks(order), meets) << static_cast<int>(order);
    }
}

TEST(PipelineOrders, CommunicationStepsLeaveThePassesInOrder) {
    const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::zb_v, {4, 9});
    for (const auto placement : {ReceivePlacement::before_use, ReceivePlacement::as_sent}) {
        PipelineSchedule with = withCommunication(schedule, placement);
        std::size_t transfers = 0;
        for (auto& steps : with.stages)
            transfers += std::erase_if(steps, [](const PipelineStep& step) { return isCommunication(step.kind); });
        EXPECT_EQ(with.stages, schedule.stages);
        // 7 borders between the 8 chunks, one of them within a stage, each passed both ways by 9 micro-batches, sent and received.
        EXPECT_EQ(transfers, 6u * 2 * 9 * 2);
    }
}

/// Every shape with pairs of a few stages, chunks and groups of micro-batches.
void forPairedShapes(const std::function<void(PipelineOrder, const PipelineShape&)>& visit) {
    for (int stages : {1, 2, 3, 4, 5, 8, 16}) {
        for (int chunks : {1, 2, 3, 4, 12}) {
            for (int groups : {1, 2, 3, 5, 16}) {
                const PipelineShape shape{stages, stages * groups, chunks};
                const PipelineOrder order = chunks > 1 ? PipelineOrder::interleaved : PipelineOrder::one_f_one_b;
                if (canRunPaired(order, shape)) visit(order, shape);
            }
        }
    }
}

TEST(PipelineOrders, PairedOrdersAreLegalAndPairStrangersOnly) {
    forPairedShapes([](PipelineOrder order, const PipelineShape& shape) {
        const PipelineSchedule paired = pairedOrder(order, shape);
        const std::string what = nameOf(order, shape);
        expectLegal(paired, SendMode::buffered, what);
        expectLegal(withCommunication(paired, ReceivePlacement::before_use), SendMode::buffered, what + ", received before use");
        const PipelineSchedule asSent = withCommunication(paired, ReceivePlacement::as_sent);
        expectLegal(asSent, SendMode::rendezvous, what + ", received as sent, blocking");
        EXPECT_EQ(paired.placement, makePipelineSchedule(order, shape).placement) << what;
        for (const std::vector<PipelineStep>& steps : paired.stages) {
            for (std::size_t i = 0; i < steps.size(); ++i) {
                if (!steps[i].withNext) continue;
                ASSERT_LT(i + 1, steps.size());
                EXPECT_EQ(steps[i].kind, PassKind::forward);
                EXPECT_EQ(steps[i + 1].kind, PassKind::backward);
                EXPECT_TRUE(steps[i].chunk != steps[i + 1].chunk || steps[i].microBatch != steps[i + 1].microBatch);
            }
        }
    });
}

/// Megatron-Core's counts (get_pp_rank_microbatches): 2(p − 1 − i) + (v − 1)p + 1 forwards of chunks ahead on stage i, and from there on each
/// forward has a backward beside it, on every stage.
TEST(PipelineOrders, EveryForwardBehindTheWarmUpIsPaired) {
    int pairsOfFour = 0;
    forPairedShapes([&](PipelineOrder order, const PipelineShape& shape) {
        const PipelineSchedule paired = pairedOrder(order, shape);
        const int p = shape.stages, v = shape.chunksPerStage, all = shape.microBatches * v;
        for (int i = 0; i < p; ++i) {
            const std::vector<PipelineStep>& steps = paired.stages[static_cast<std::size_t>(i)];
            const int ahead = std::min(all, 2 * (p - 1 - i) + (v - 1) * p + 1);
            const auto isPaired = [](const PipelineStep& step) { return step.withNext; };
            const auto pairs = static_cast<int>(std::count_if(steps.begin(), steps.end(), isPaired));
            EXPECT_EQ(std::find_if(steps.begin(), steps.end(), isPaired) - steps.begin(), pairs > 0 ? ahead : 2 * all) << nameOf(order, shape) << " " << i;
            EXPECT_EQ(pairs, all - ahead) << nameOf(order, shape) << " " << i;
            EXPECT_EQ(paired.mostInFlight[static_cast<std::size_t>(i)], std::min(all, ahead + 1)) << nameOf(order, shape) << " " << i;
            if (p == 4 && v == 12 && shape.microBatches == 64) pairsOfFour += pairs;
        }
    });
    EXPECT_EQ(pairsOfFour, 2880); // of 3,072 forwards, 51, 49, 47 and 45 ahead
}

/// A pair that takes as long as its parts leaves the bubble as it is, (p − 1)(F + B) of a chunk; one that hides something never costs time.
TEST(PipelineOrders, PairsCostNoTime) {
    forPairedShapes([](PipelineOrder order, const PipelineShape& shape) {
        const PipelineSchedule plain = makePipelineSchedule(order, shape), paired = pairedOrder(order, shape);
        for (const PassTimes& each : {PassTimes{1, 1, 1, std::nullopt}, PassTimes{3, 4, 2, std::nullopt}, PassTimes{2, 1, 0, std::nullopt}}) {
            const double both = each.forward + each.backwardInput + each.backwardWeight;
            const auto alone = playSchedule(plain, each);
            for (const double together : {both, 0.9 * both, 0.7 * both}) {
                PassTimes times = each;
                times.together = together;
                const auto played = playSchedule(paired, times);
                ASSERT_TRUE(alone && played);
                EXPECT_LE(played->span, alone->span * (1 + 1e-12)) << nameOf(order, shape) << " " << together;
                if (together == both) {
                    EXPECT_DOUBLE_EQ(played->mostIdle(), (shape.stages - 1) * both) << nameOf(order, shape);
                }
            }
        }
    });
}

/// "F2": forward of micro-batch 2; "B", "I", "W": whole backward, its input and weight part; "&" joins two that run together.
std::string inLetters(const std::vector<PipelineStep>& steps) {
    std::string text;
    for (const PipelineStep& step : steps)
        text += std::string(1, "FBIW"[static_cast<int>(step.kind)]) + std::to_string(step.microBatch) + (step.withNext ? "&" : " ");
    return text;
}

// Qi et al. 2023, figure 3, above: the first and the last of 4 devices with 8 micro-batches.
TEST(PipelineOrders, ZeroBubbleH1IsThePublishedFigure) {
    const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::zb_h1, {4, 8});
    EXPECT_EQ(inLetters(schedule.stages[0]), "F0 F1 F2 F3 I0 W0 F4 I1 W1 F5 I2 W2 F6 I3 W3 F7 I4 W4 I5 W5 I6 W6 I7 W7 ");
    EXPECT_EQ(inLetters(schedule.stages[3]), "F0 I0 F1 I1 F2 I2 F3 I3 W0 F4 I4 W1 F5 I5 W2 F6 I6 W3 F7 I7 W4 W5 W6 W7 ");
}

// DeepSeek-V3, figure 5: device 0 of 8 with 20 micro-batches, in the eight phases its authors number; the other direction's are 10 to 19.
TEST(PipelineOrders, DualPipeRunsThePublishedPhases) {
    const PipelineSchedule schedule = makePipelineSchedule(PipelineOrder::dual_pipe, {8, 20});
    EXPECT_EQ(inLetters(schedule.stages[0]), "F0 F1 F2 F3 F4 F5 "                         // 1
                                             "F6 F10 "                                    // 2
                                             "I10 W10 F11 I11 W11 F12 I12 W12 F13 "       // 3
                                             "F7&B13 F14&B0 F8&B14 F15&B1 F9&B15 F16&B2 " // 4
                                             "B16 F17&B3 B17 F18&B4 B18 F19&B5 "          // 5
                                             "B19 I6 "                                    // 6
                                             "W6 I7 W7 I8 W8 I9 "                         // 7
                                             "W9 ");                                      // 8
    // The direction makes stage 7 the mirror of stage 0.
    for (std::size_t stage = 0; stage < 4; ++stage) {
        std::vector<PipelineStep> mirrored = schedule.stages[7 - stage];
        for (PipelineStep& step : mirrored) step.microBatch = (step.microBatch + 10) % 20;
        EXPECT_EQ(mirrored, schedule.stages[stage]);
    }
}

TEST(PipelineOrders, ImpossibleShapesAreRefusedWithAMendThatWorks) {
    struct Case {
        PipelineOrder order;
        PipelineShape shape;
        PipelineShape mended;
        std::string names;
    };
    const Case cases[] = {
        {PipelineOrder::interleaved, {4, 6, 2}, {4, 8, 2}, "6"},
        {PipelineOrder::interleaved, {4, 8, 0}, {4, 8, 1}, "at least one"},
        {PipelineOrder::interleaved, {4, 8, 20000}, {4, 8, 8000}, "32767"},
        {PipelineOrder::dual_pipe, {5, 20}, {6, 20}, "5"},
        {PipelineOrder::dual_pipe, {4, 9}, {4, 10}, "9"},
        {PipelineOrder::dual_pipe, {4, 6}, {4, 8}, "8"},
        {PipelineOrder::zb_v, {4, 0}, {4, 1}, "micro-batch"},
        {PipelineOrder::gpipe, {0, 4}, {1, 4}, "stage"},
    };
    for (const Case& each : cases) {
        const auto refusal = refusalOf(each.order, each.shape);
        ASSERT_TRUE(refusal) << nameOf(each.order, each.shape);
        EXPECT_NE(refusal->reason.find(each.names), std::string::npos) << refusal->reason;
        EXPECT_FALSE(refusal->mend.empty());
        EXPECT_THROW(makePipelineSchedule(each.order, each.shape), std::invalid_argument);
        EXPECT_FALSE(refusalOf(each.order, each.mended)) << nameOf(each.order, each.mended);
    }
}

} // namespace
} // namespace orrery
