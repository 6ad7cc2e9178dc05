// SPDX-License-Identifier: GPL-3.0-or-later
// The zero-bubble orders of Qi et al.: the backward in two parts, of which only the input's is waited for.
#include "core/order/schedule/orders.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

/// Appends a stage's passes; each kind of pass takes the micro-batches of its chunk in turn, and a pass past the last one is left out.
class StageWriter {
public:
    StageWriter(std::vector<PipelineStep>& steps, int microBatches) : steps_(steps), microBatches_(microBatches) {}

    void add(PassKind kind, int slot, int chunk) {
        int& next = next_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(slot)];
        if (next == microBatches_) return;
        steps_.push_back({kind, false, static_cast<std::int16_t>(chunk), next++});
    }

    int done(PassKind kind, int slot) const { return next_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(slot)]; }

private:
    std::vector<PipelineStep>& steps_;
    int microBatches_;
    std::array<std::array<int, 2>, 4> next_{}; ///< by kind of pass and chunk of the stage
};

void writeH1Stage(std::vector<PipelineStep>& steps, int stages, int stage, int microBatches) {
    StageWriter writer(steps, microBatches);
    for (int i = stage; i < stages; ++i) writer.add(PassKind::forward, 0, stage);
    for (int i = 0; i < microBatches; ++i) {
        writer.add(PassKind::backward_input, 0, stage);
        // Held back by `stage` micro-batches, every stage keeps as many activations as stage 0 must, and none waits in the steady phase.
        if (i >= stage) writer.add(PassKind::backward_weight, 0, stage);
        writer.add(PassKind::forward, 0, stage);
    }
    for (int i = 0; i < stage; ++i) writer.add(PassKind::backward_weight, 0, stage);
}

/// Passes through the stage's chunk on the way down (0) and the one on the way back up (1).
class VeeStage {
public:
    VeeStage(std::vector<PipelineStep>& steps, int stages, int stage, int microBatches)
        : writer_(steps, microBatches), chunks_{stage, 2 * stages - 1 - stage} {}

    void forward(int way) { writer_.add(PassKind::forward, way, chunks_[static_cast<std::size_t>(way)]); }
    void backwardInput(int way) { writer_.add(PassKind::backward_input, way, chunks_[static_cast<std::size_t>(way)]); }
    void backwardWeight(int way) { writer_.add(PassKind::backward_weight, way, chunks_[static_cast<std::size_t>(way)]); }
    void backward(int way) {
        backwardInput(way);
        backwardWeight(way);
    }
    int forwards(int way) const { return writer_.done(PassKind::forward, way); }

private:
    StageWriter writer_;
    std::array<int, 2> chunks_;
};

void writeVeeStage(std::vector<PipelineStep>& steps, int stages, int stage, int microBatches) {
    constexpr int down = 0;
    constexpr int up = 1;
    const int toTurn = stages - stage; // chunks from here to the turn of the V, this one counted
    VeeStage work(steps, stages, stage, microBatches);
    // The first micro-batch comes back up after as many passes as this fills.
    for (int i = 0; i < 2 * toTurn - 1; ++i) work.forward(down);
    // Both ways until the first gradient can come; the stage then holds 2p − 1 chunks' activations.
    for (int i = 0; i < stage; ++i) {
        work.forward(up);
        work.forward(down);
    }
    // Gradients come from the turn alone until the first has gone round to chunk 0's side.
    for (int i = 0; i < toTurn; ++i) {
        work.forward(up);
        work.backward(up);
    }
    while (work.forwards(up) < microBatches) {
        work.forward(down);
        work.backward(down);
        work.forward(up);
        work.backward(up);
    }
    // No forwards are left: weight parts wait, first for both ways' gradients, then for the last ones down to stage 0.
    for (int i = 0; i < stage; ++i) {
        work.backwardInput(down);
        work.backwardInput(up);
    }
    for (int i = 0; i < toTurn; ++i) work.backward(down);
    for (const int way : {up, down})
        for (int i = 0; i < stage; ++i) work.backwardWeight(way);
}

} // namespace

PipelineSchedule zeroBubbleH1Order(const PipelineShape& shape) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::loop, shape.stages, 1, shape.microBatches};
    for (int stage = 0; stage < shape.stages; ++stage)
        writeH1Stage(schedule.stages.emplace_back(), shape.stages, stage, shape.microBatches);
    schedule.mostInFlight.assign(static_cast<std::size_t>(shape.stages), std::min(shape.stages, shape.microBatches));
    return schedule;
}

PipelineSchedule zeroBubbleVOrder(const PipelineShape& shape) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::vee, shape.stages, 2, shape.microBatches};
    for (int stage = 0; stage < shape.stages; ++stage)
        writeVeeStage(schedule.stages.emplace_back(), shape.stages, stage, shape.microBatches);
    schedule.mostInFlight.assign(static_cast<std::size_t>(shape.stages), 2 * std::min(shape.stages, shape.microBatches));
    return schedule;
}

} // namespace orrery
