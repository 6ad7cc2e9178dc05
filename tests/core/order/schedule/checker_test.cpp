// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules broken by hand, each in its own way: the checker must say what is wrong, and where.
#include "core/order/schedule/checker.hpp"
#include "core/order/schedule/communication.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/order/schedule/player.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace orrery {
namespace {

using Kind = ScheduleFaultKind;

struct Broken {
    std::string what;
    PipelineOrder order;
    PipelineShape shape;
    std::function<void(PipelineSchedule&)> breakIt;
    Kind kind;
    int stage;
    int index;         ///< −1: of no one step; −2: any step
    std::string names; ///< in the message
    SendMode mode = SendMode::buffered;
    std::optional<ReceivePlacement> communication = std::nullopt;
};

int indexOf(const PipelineSchedule& schedule, int stage, PassKind kind, int microBatch, int chunk) {
    const auto& steps = schedule.stages[static_cast<std::size_t>(stage)];
    const auto found = std::find_if(steps.begin(), steps.end(), [&](const PipelineStep& step) {
        return step.kind == kind && step.microBatch == microBatch && step.chunk == chunk;
    });
    EXPECT_NE(found, steps.end()) << "the test looks for a step there is not";
    return static_cast<int>(found - steps.begin());
}

void erase(PipelineSchedule& schedule, int stage, PassKind kind, int microBatch, int chunk) {
    auto& steps = schedule.stages[static_cast<std::size_t>(stage)];
    steps.erase(steps.begin() + indexOf(schedule, stage, kind, microBatch, chunk));
}

void insert(PipelineSchedule& schedule, int stage, int index, const PipelineStep& step) {
    auto& steps = schedule.stages[static_cast<std::size_t>(stage)];
    steps.insert(steps.begin() + index, step);
}

/// Takes the step at `from` out and puts it where `to` was.
void move(PipelineSchedule& schedule, int stage, int from, int to) {
    auto& steps = schedule.stages[static_cast<std::size_t>(stage)];
    const PipelineStep step = steps[static_cast<std::size_t>(from)];
    steps.erase(steps.begin() + from);
    insert(schedule, stage, to, step);
}

PipelineStep& at(PipelineSchedule& schedule, int stage, int index) {
    return schedule.stages[static_cast<std::size_t>(stage)][static_cast<std::size_t>(index)];
}

/// With receives before use: stage 0 computes between its second send and the first gradient's receive, stage 1 between the send of that
/// gradient and the receive of what stage 0 sends. Each blocks until the other comes to receive.
void bothSendFirst(PipelineSchedule& schedule) {
    move(schedule, 0, indexOf(schedule, 0, PassKind::forward, 2, 0), 4);
    schedule.mostInFlight[0] = 3;
    move(schedule, 1, indexOf(schedule, 1, PassKind::backward_weight, 0, 1), 4);
}

// Step lists used below: 1f1b {2, 4}: stage 0 F0 F1 B0 F2 B1 F3 B2 B3, stage 1 F0 B0 F1 B1 F2 B2 F3 B3;
// zb-h1 {2, 4}: stage 1 F0 I0 F1 I1 W0 F2 I2 W1 F3 I3 W2 W3; zb-v {2, 4}: stage 1 F0 F0' F1 F1' I0' W0' ... (' the way up);
// dualpipe {2, 4}: stage 0 F0 F2 F1 B2 F3&B0 B3 I1 W1.
std::vector<Broken> brokenSchedules() {
    const auto ofob = PipelineOrder::one_f_one_b;
    const auto h1 = PipelineOrder::zb_h1;
    const auto zbv = PipelineOrder::zb_v;
    const auto dual = PipelineOrder::dual_pipe;
    const auto late = ReceivePlacement::before_use;
    return {
        {"a forward left out", ofob, {2, 4}, [](auto& s) { erase(s, 1, PassKind::forward, 2, 1); }, Kind::missing, 1, -1, "Stage 1: the forward of micro-batch 2, chunk 1 is missing"},
        {"a whole backward left out", ofob, {2, 4}, [](auto& s) { erase(s, 0, PassKind::backward, 3, 0); }, Kind::missing, 0, -1, "Stage 0: the backward of the input of micro-batch 3, chunk 0 is missing"},
        {"an input part left out", h1, {2, 4}, [](auto& s) { erase(s, 0, PassKind::backward_input, 1, 0); }, Kind::missing, 0, -1, "Stage 0: the backward of the input of micro-batch 1, chunk 0 is missing"},
        {"a weight part left out", h1, {2, 4}, [](auto& s) { erase(s, 1, PassKind::backward_weight, 3, 1); }, Kind::missing, 1, -1, "Stage 1: the backward of the weights of micro-batch 3, chunk 1 is missing"},
        {"a forward twice", ofob, {2, 4}, [](auto& s) { insert(s, 0, 1, at(s, 0, 0)); }, Kind::repeated, 0, 1, "Stage 0, step 1 (forward of micro-batch 0, chunk 0): this is done already by step 0 of stage 0"},
        {"a weight part twice", h1, {2, 4}, [](auto& s) { insert(s, 1, 12, {PassKind::backward_weight, false, 1, 3}); }, Kind::repeated, 1, 12, "this is done already by step 11 of stage 1"},
        {"a whole backward beside its parts", h1, {2, 4}, [](auto& s) { insert(s, 1, 12, {PassKind::backward, false, 1, 0}); }, Kind::repeated, 1, 12, "(backward of micro-batch 0, chunk 1): this is done already by step 1 of stage 1"},
        {"a micro-batch there is not", ofob, {2, 4}, [](auto& s) { at(s, 1, 6).microBatch = 4; }, Kind::out_of_range, 1, 6, "Stage 1, step 6 (forward of micro-batch 4, chunk 1): there are 4 micro-batches"},
        {"a chunk there is not", ofob, {2, 4}, [](auto& s) { at(s, 0, 3).chunk = -1; }, Kind::out_of_range, 0, 3, "the model has 2 chunks"},
        {"a pass on a stage without its chunk", ofob, {2, 4}, [](auto& s) { std::swap(at(s, 0, 0), at(s, 1, 0)); }, Kind::wrong_stage, 0, 0, "Stage 0, step 0 (forward of micro-batch 0, chunk 1): stage 1 holds this chunk"},
        {"a micro-batch in from the wrong end", dual, {2, 4}, [](auto& s) { at(s, 1, 0).microBatch = 0; }, Kind::wrong_stage, 1, 0, "stage 0 holds this chunk"},
        {"a backward before its forward", ofob, {2, 4}, [](auto& s) { std::swap(at(s, 1, 2), at(s, 1, 3)); }, Kind::wrong_order, 1, 2, "Stage 1, step 2 (backward of micro-batch 1, chunk 1): it needs the forward of micro-batch 1, chunk 1, which comes later, in step 3"},
        {"a weight part before its input part", h1, {2, 4}, [](auto& s) { move(s, 1, 11, 9); }, Kind::wrong_order, 1, 9, "it needs the backward of the input of micro-batch 3, chunk 1, which comes later, in step 10"},
        {"up the V before down it", zbv, {2, 4}, [](auto& s) { std::swap(at(s, 1, 0), at(s, 1, 1)); }, Kind::wrong_order, 1, 0, "(forward of micro-batch 0, chunk 2): it needs the forward of micro-batch 0, chunk 1, which comes later"},
        {"gradients past the turn before they reach it", zbv, {2, 4}, [](auto& s) {
             const int up = indexOf(s, 1, PassKind::backward_input, 3, 2);
             const int down = indexOf(s, 1, PassKind::backward_input, 3, 1);
             std::swap(at(s, 1, up), at(s, 1, down));
         },
         Kind::wrong_order,
         1,
         -2,
         "it needs the backward of the input of micro-batch 3, chunk 2, which comes later"},
        {"two stages that wait for each other", ofob, {2, 4}, [](auto& s) {
             std::swap(at(s, 0, 1), at(s, 0, 2));
             std::swap(at(s, 1, 1), at(s, 1, 2));
         },
         Kind::deadlock,
         0,
         1,
         "Stage 0, step 1 (backward of micro-batch 0, chunk 0): it waits for ever for the backward of micro-batch 0, "
         "chunk 1, step 2 of stage 1"},
        {"one forward too early for the memory", ofob, {2, 4}, [](auto& s) { std::swap(at(s, 0, 2), at(s, 0, 3)); }, Kind::over_memory, 0, 2, "Stage 0, step 2 (forward of micro-batch 2, chunk 0): the stage now holds the activations of 3 forwards, and at most 2"},
        {"weight parts too late for the memory", h1, {4, 8}, [](auto& s) { move(s, 0, 5, 6); }, Kind::over_memory, 0, 5, "holds the activations of 5 forwards, and at most 4"},
        {"two forwards run together", dual, {2, 4}, [](auto& s) { at(s, 0, 0).withNext = true; }, Kind::broken_pair, 0, 0, "only a forward and the whole backward after it run together"},
        {"the last step run together with a next one", dual, {2, 4}, [](auto& s) { at(s, 0, 8).withNext = true; }, Kind::broken_pair, 0, 8, "it is to run together with the next step, and is the last"},
        {"a forward run together with its own backward", ofob, {2, 4}, [](auto& s) { at(s, 1, 2).withNext = true; }, Kind::broken_pair, 1, 3, "Stage 1, step 3 (backward of micro-batch 1, chunk 1): it needs the step it is to run together with"},
        {"a forward run together with a backward that waits for it elsewhere", PipelineOrder::gpipe, {2, 2}, [](auto& s) { at(s, 0, 1).withNext = true; }, Kind::deadlock, 0, 2, "Stage 0, step 2 (backward of micro-batch 0, chunk 0): it waits for ever for the backward of micro-batch 0, chunk 1, step 2 of stage 1"},
        {"a stage without a list", ofob, {2, 4}, [](auto& s) { s.stages.pop_back(); }, Kind::wrong_shape, -1, -1, "There are 1 lists of steps for 2 stages"},
        {"a stage without a claim", ofob, {2, 4}, [](auto& s) { s.mostInFlight.pop_back(); }, Kind::wrong_shape, -1, -1, "1 claims"},
        {"blocking sends where there are none", ofob, {2, 4}, [](auto&) {}, Kind::wrong_shape, -1, -1, "no communication steps", SendMode::rendezvous},
        {"a send left out", ofob, {2, 4}, [](auto& s) { erase(s, 0, PassKind::send_activations, 2, 0); }, Kind::missing, 0, -2, "): sending the activations of micro-batch 2, chunk 0 is missing", SendMode::buffered, late},
        {"a receive left out", ofob, {2, 4}, [](auto& s) { erase(s, 0, PassKind::receive_gradients, 1, 1); }, Kind::missing, 0, -2, "): receiving the gradients of micro-batch 1, chunk 1 is missing", SendMode::buffered, late},
        {"a send twice", ofob, {2, 4}, [](auto& s) { insert(s, 0, 2, at(s, 0, 1)); }, Kind::repeated, 0, 2, "this is done already by step 1 of stage 0", SendMode::buffered, late},
        {"a send before the result is made", ofob, {2, 4}, [](auto& s) { std::swap(at(s, 0, 0), at(s, 0, 1)); }, Kind::wrong_order, 0, 0, "what it sends is made later, in step 1", SendMode::buffered, late},
        {"a receive after its use", ofob, {2, 4}, [](auto& s) { std::swap(at(s, 1, 0), at(s, 1, 1)); }, Kind::wrong_order, 1, 1, "what it receives is used before, in step 0", SendMode::buffered, late},
        {"a result nobody needs sent", ofob, {2, 4}, [](auto& s) { insert(s, 1, 2, {PassKind::send_activations, false, 1, 0}); }, Kind::stray_transfer, 1, 2, "no other stage needs this", SendMode::buffered, late},
        {"a send on the stage that receives", ofob, {2, 4}, [](auto& s) { at(s, 1, 0).kind = PassKind::send_activations; }, Kind::wrong_stage, 1, 0, "stage 0 has this to send", SendMode::buffered, late},
        {"communication inside a pair", dual, {2, 4}, [](auto& s) {
             const int pair = indexOf(s, 0, PassKind::forward, 3, 1);
             move(s, 0, indexOf(s, 0, PassKind::send_activations, 0, 0), pair);
         },
         Kind::broken_pair,
         0,
         -2,
         "the next step is sending the activations of micro-batch 0, chunk 0",
         SendMode::buffered,
         late},
        {"two stages that both send first", h1, {2, 4}, bothSendFirst, Kind::deadlock, 0, 3, "Stage 0, step 3 (sending the activations of micro-batch 1, chunk 0): it waits for ever for receiving the activations of "
                                                                                             "micro-batch 1, chunk 0",
         SendMode::rendezvous,
         late},
    };
}

TEST(ScheduleChecker, EveryBrokenScheduleIsRejectedByName) {
    const std::vector<Broken> all = brokenSchedules();
    EXPECT_GE(all.size(), 20u);
    for (const Broken& broken : all) {
        PipelineSchedule schedule = makePipelineSchedule(broken.order, broken.shape);
        if (broken.communication) schedule = withCommunication(schedule, *broken.communication);
        const bool blocksNothing = broken.mode == SendMode::rendezvous && !broken.communication;
        EXPECT_EQ(checkSchedule(schedule, broken.mode).empty(), !blocksNothing) << broken.what << ": is legal until broken";
        broken.breakIt(schedule);
        const auto faults = checkSchedule(schedule, broken.mode);
        const auto named = std::find_if(faults.begin(), faults.end(), [&](const ScheduleFault& fault) {
            const bool place = fault.stage == broken.stage && (broken.index == -2 ? fault.index >= 0 : fault.index == broken.index);
            return fault.kind == broken.kind && place && fault.message.find(broken.names) != std::string::npos;
        });
        std::string said;
        for (const ScheduleFault& fault : faults) said += "\n  " + fault.message;
        EXPECT_NE(named, faults.end()) << broken.what << "; the checker says:" << said;
        if (broken.index >= 0) {
            const std::string place = "Stage " + std::to_string(broken.stage) + ", step " + std::to_string(broken.index) + " (";
            EXPECT_NE(said.find(place), std::string::npos) << broken.what << said;
        }
    }
}

TEST(ScheduleChecker, OnlyBlockingSendsNeedAReceiver) {
    PipelineSchedule schedule = withCommunication(makePipelineSchedule(PipelineOrder::zb_h1, {2, 4}), ReceivePlacement::before_use);
    bothSendFirst(schedule);
    EXPECT_TRUE(checkSchedule(schedule, SendMode::buffered).empty());
}

// Swapping two neighbours of a legal schedule breaks it or not; a player that simply tries, and counting, must agree with the checker.
TEST(ScheduleChecker, AgreesWithPlayingOnEverySwapOfNeighbours) {
    int legal = 0;
    int illegal = 0;
    for (PipelineOrder order : {PipelineOrder::gpipe, PipelineOrder::one_f_one_b, PipelineOrder::zb_h1, PipelineOrder::zb_v}) {
        const PipelineSchedule whole = makePipelineSchedule(order, {3, 6});
        for (std::size_t stage = 0; stage < whole.stages.size(); ++stage) {
            for (std::size_t index = 0; index + 1 < whole.stages[stage].size(); ++index) {
                PipelineSchedule swapped = whole;
                auto& steps = swapped.stages[stage];
                std::swap(steps[index], steps[index + 1]);
                int held = 0;
                bool fits = true;
                for (const PipelineStep& step : steps) {
                    if (step.kind == PassKind::forward) ++held;
                    if (step.kind == PassKind::backward || step.kind == PassKind::backward_weight) --held;
                    fits = fits && held <= swapped.mostInFlight[stage];
                }
                const bool good = fits && playSchedule(swapped, PassTimes{});
                EXPECT_EQ(checkSchedule(swapped).empty(), good) << static_cast<int>(order) << " " << stage << " " << index;
                ++(good ? legal : illegal);
            }
        }
    }
    EXPECT_GT(legal, 20);
    EXPECT_GT(illegal, 20);
}

} // namespace
} // namespace orrery
