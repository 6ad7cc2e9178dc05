// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/paired_orders.hpp"
#include "core/order/schedule/generators.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <stdexcept>

namespace orrery {
namespace {

/// One forward ahead of the backwards, so that each has a stranger beside it; holds one micro-batch more than 1F1B would.
PipelineSchedule oneAhead(const PipelineShape& shape) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::loop, 1, 1, shape.microBatches};
    std::vector<PipelineStep>& steps = schedule.stages.emplace_back();
    for (int i = 0; i < shape.microBatches; ++i) {
        steps.push_back({PassKind::forward, i > 0, 0, i});
        if (i > 0) steps.push_back({PassKind::backward, false, 0, i - 1});
    }
    steps.push_back({PassKind::backward, false, 0, shape.microBatches - 1});
    schedule.mostInFlight.push_back(std::min(2, shape.microBatches));
    return schedule;
}

} // namespace

bool canRunPaired(PipelineOrder order, const PipelineShape& shape) {
    switch (traitsOf(order).pairRoom) {
    case PairRoom::none: return false;
    case PairRoom::single_stage: return shape.stages == 1 && shape.chunksPerStage == 1;
    case PairRoom::several_chunks: return shape.chunksPerStage > 1;
    }
    return false;
}

PipelineSchedule pairedOrder(PipelineOrder order, const PipelineShape& shape) {
    if (const auto refusal = refusalOf(order, shape)) throw std::invalid_argument(refusal->reason);
    return shape.chunksPerStage == 1 ? oneAhead(shape) : interleavedOrder(shape, true);
}

// DualPipe (DeepSeek-V3, arXiv 2412.19437, figure 5): micro-batches from both ends, forwards overlapped with the other way's backwards.

namespace {

/// A stage's two ways: `near` micro-batches enter at the end of the pipeline it is nearer to, `far` ones at the other.
enum Way : std::uint8_t { near = 0,
                          far = 1 };

class DualPipeStage {
public:
    DualPipeStage(std::vector<PipelineStep>& steps, const Placement& placement, int stage)
        : steps_(steps), placement_(placement), stage_(stage) {}

    void forward(Way way) { steps_.push_back(take(PassKind::forward, way, nextForward_)); }
    void backward(Way way) { steps_.push_back(take(PassKind::backward, way, nextBackward_)); }
    void backwardInput(Way way) {
        steps_.push_back(take(PassKind::backward_input, way, nextBackward_));
        weightsLeft_.push(steps_.back());
    }
    /// The weight part of the oldest backward that has left one.
    void backwardWeight() {
        PipelineStep step = weightsLeft_.front();
        weightsLeft_.pop();
        step.kind = PassKind::backward_weight;
        steps_.push_back(step);
    }
    /// A forward of one way while the other way's backward runs.
    void together(Way forwardWay) {
        forward(forwardWay);
        steps_.back().withNext = true;
        backward(forwardWay == near ? far : near);
    }

private:
    PipelineStep take(PassKind kind, Way way, std::array<int, 2>& next) {
        const bool farHalf = stage_ >= placement_.stages / 2;
        const bool fromLast = (way == far) != farHalf;
        const int microBatch = next[way]++ + (fromLast ? placement_.microBatches / 2 : 0);
        const int chunk = fromLast ? placement_.stages - 1 - stage_ : stage_;
        return {kind, false, static_cast<std::int16_t>(chunk), microBatch};
    }

    std::vector<PipelineStep>& steps_;
    const Placement& placement_;
    int stage_;
    std::array<int, 2> nextForward_{};
    std::array<int, 2> nextBackward_{};
    std::queue<PipelineStep> weightsLeft_;
};

void writeStage(std::vector<PipelineStep>& steps, const Placement& placement, int stage) {
    const int fromEnd = std::min(stage, placement.stages - 1 - stage);
    const int toMiddle = placement.stages / 2 - 1 - fromEnd;
    DualPipeStage work(steps, placement, stage);
    // The eight phases of the published schedule, in its numbering.
    for (int i = 0; i < 2 * toMiddle; ++i) work.forward(near); // 1: until the far side's first micro-batch arrives
    for (int i = 0; i <= fromEnd; ++i) {                       // 2
        work.forward(near);
        work.forward(far);
    }
    for (int i = 0; i < toMiddle; ++i) { // 3: the weight part fills the wait for the next forward
        work.backwardInput(far);
        work.backwardWeight();
        work.forward(far);
    }
    const int steady = placement.microBatches / 2 - placement.stages + fromEnd + 1;
    for (int i = 0; i < steady; ++i) { // 4
        if (i == 0 && toMiddle == 0) { // overlapped, the middle stages' first backward would reach their neighbours later
            work.forward(near);
            work.backward(far);
        } else {
            work.together(near);
        }
        work.together(far);
    }
    for (int i = 0; i < toMiddle; ++i) { // 5
        work.backward(far);
        work.together(far);
    }
    for (int i = 0; i < 2 * (fromEnd + 1); ++i) { // 6: the later half leaves its weight part for the end
        const Way way = i % 2 == 0 ? far : near;
        if (i <= fromEnd)
            work.backward(way);
        else
            work.backwardInput(way);
    }
    for (int i = 0; i < toMiddle; ++i) { // 7
        work.backwardWeight();
        work.backwardInput(near);
    }
    for (int i = 0; i <= fromEnd; ++i) work.backwardWeight(); // 8
}

} // namespace

PipelineSchedule dualPipeOrder(const PipelineShape& shape) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::two_way, shape.stages, 2, shape.microBatches};
    for (int stage = 0; stage < shape.stages; ++stage) writeStage(schedule.stages.emplace_back(), schedule.placement, stage);
    schedule.mostInFlight.assign(static_cast<std::size_t>(shape.stages), shape.stages + 1);
    return schedule;
}

} // namespace orrery
