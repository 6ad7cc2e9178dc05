// SPDX-License-Identifier: GPL-3.0-or-later
// V-Half and V-Min (Qi et al. 2024, "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362, section 4): on the V placement one
// building block, the passes of one micro-batch, is repeated at a fixed interval. How long the block keeps activations alive decides the
// peak; V-Half's lasts half as long as 1F1B's, V-Min's a third.
#include "core/order/schedule/orders.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace orrery {
namespace {

/// Ticks from one micro-batch to the next: a forward, an input part and a weight part of two chunks, a tick each.
constexpr int blockInterval = 6;

/// When a stage runs the passes of micro-batch 0, in ticks: forward down, forward up, input part of the chunk on the way up, and of the
/// one on the way down. Neighbouring stages are offset by the block's shape; `gap` keeps the four in slots of their own modulo the interval.
using BuildingBlock = std::array<int, 4>;

BuildingBlock halfBlock(int stages, int stage) {
    const int gap = stages % 2 == 0 ? 3 : 0;
    return {2 * stage, 3 * stages - stage - 2, 3 * stages + gap + 2 * stage - 1, 6 * stages + gap - stage - 2};
}

BuildingBlock minBlock(int stages, int stage) {
    const int gap = stages % 3 == 0 ? 2 : 0;
    return {stage, 2 * stages - stage - 1, 2 * stages + gap + stage, 4 * stages + gap - stage - 1};
}

/// A pass of the block, or a slot that is free for a weight part.
struct Turn {
    static constexpr int weightPart = 4;
    int pass = weightPart; ///< index into the block
    int microBatch = 0;

    bool isForward() const { return pass < 2; }
    bool isDown() const { return pass == 0 || pass == 3; }
};

/// The repeated block: the stage's passes in order, and among them the free slots that pending weight parts take.
std::vector<Turn> repeated(const BuildingBlock& block, int microBatches) {
    std::vector<Turn> turns;
    int pending = 0;
    const int end = *std::max_element(block.begin(), block.end()) + blockInterval * (microBatches - 1);
    for (int tick = *std::min_element(block.begin(), block.end()); tick <= end; ++tick) {
        Turn turn;
        for (int pass = 0; pass < static_cast<int>(block.size()); ++pass) {
            const int since = tick - block[static_cast<std::size_t>(pass)];
            if (since >= 0 && since % blockInterval == 0 && since / blockInterval < microBatches) turn = {pass, since / blockInterval};
        }
        if (turn.pass == Turn::weightPart && pending == 0) continue;
        if (!turn.isForward()) pending += turn.pass == Turn::weightPart ? -1 : 1;
        turns.push_back(turn);
    }
    return turns;
}

/// Runs all stages tick by tick. The block's passes keep their order; weight parts also fill the ticks in which a stage would wait, and
/// come last once a stage has no forward left, for nothing needs their memory then. Both only ever hold less than the repeated block.
class BlockRunner {
public:
    BlockRunner(PipelineSchedule& schedule, const std::vector<BuildingBlock>& blocks) : schedule_(schedule), stages_(static_cast<int>(blocks.size())) {
        const int microBatches = schedule.placement.microBatches;
        for (std::vector<int>& done : done_) done.assign(static_cast<std::size_t>(2 * stages_ * microBatches), never);
        for (const BuildingBlock& block : blocks) {
            Stage stage;
            stage.turns = repeated(block, microBatches);
            stage.forwardsLeft = 2 * microBatches;
            work_.push_back(std::move(stage));
        }
        left_ = std::int64_t{blockInterval} * microBatches * stages_;
    }

    void run() {
        for (int tick = 0; left_ > 0; ++tick)
            for (int stage = 0; stage < stages_; ++stage) advance(stage, tick);
    }

private:
    static constexpr int never = -1;

    struct Stage {
        std::vector<Turn> turns;
        std::size_t next = 0;
        std::vector<Turn> pending; ///< input parts whose weight part has not run
        std::size_t taken = 0;     ///< of them
        int forwardsLeft = 0;

        bool hasPending() const { return taken < pending.size(); }
    };

    int chunkOf(int stage, const Turn& turn) const { return turn.isDown() ? stage : 2 * stages_ - 1 - stage; }

    /// The tick after which a chunk's forward or input part is there.
    int& doneAt(bool forward, int chunk, int microBatch) {
        return done_[forward ? 0 : 1][static_cast<std::size_t>(chunk) * static_cast<std::size_t>(schedule_.placement.microBatches) +
                                      static_cast<std::size_t>(microBatch)];
    }

    bool isThere(bool forward, int chunk, int microBatch, int tick) {
        const int done = doneAt(forward, chunk, microBatch);
        return done != never && done <= tick;
    }

    bool isReady(int stage, const Turn& turn, int tick) {
        const int chunk = chunkOf(stage, turn);
        if (turn.isForward()) return chunk == 0 || isThere(true, chunk - 1, turn.microBatch, tick);
        const bool last = chunk == 2 * stages_ - 1;
        return isThere(true, chunk, turn.microBatch, tick) && (last || isThere(false, chunk + 1, turn.microBatch, tick));
    }

    void add(int stage, PassKind kind, const Turn& turn) {
        schedule_.stages[static_cast<std::size_t>(stage)].push_back({kind, false, static_cast<std::int16_t>(chunkOf(stage, turn)), turn.microBatch});
        --left_;
    }

    void advance(int stage, int tick) {
        Stage& own = work_[static_cast<std::size_t>(stage)];
        const auto isIdleSlot = [&](const Turn& turn) { return turn.pass == Turn::weightPart && (own.forwardsLeft == 0 || !own.hasPending()); };
        while (own.next < own.turns.size() && isIdleSlot(own.turns[own.next])) ++own.next;
        const bool ends = own.next == own.turns.size();
        if (!ends && own.turns[own.next].pass != Turn::weightPart && isReady(stage, own.turns[own.next], tick)) {
            const Turn turn = own.turns[own.next++];
            add(stage, turn.isForward() ? PassKind::forward : PassKind::backward_input, turn);
            doneAt(turn.isForward(), chunkOf(stage, turn), turn.microBatch) = tick + 1;
            if (turn.isForward()) --own.forwardsLeft;
            else own.pending.push_back(turn);
        } else if (own.hasPending()) {
            if (!ends && own.turns[own.next].pass == Turn::weightPart) ++own.next;
            add(stage, PassKind::backward_weight, own.pending[own.taken++]);
        }
    }

    PipelineSchedule& schedule_;
    int stages_;
    std::array<std::vector<int>, 2> done_; ///< forwards and input parts, by chunk and micro-batch
    std::vector<Stage> work_;
    std::int64_t left_ = 0; ///< passes
};

/// `most`: activations of a stage, in micro-batches, that the paper's table 1 gives for the block.
PipelineSchedule repeatedBlock(const PipelineShape& shape, BuildingBlock (*blockOf)(int stages, int stage), int most) {
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::vee, shape.stages, 2, shape.microBatches};
    schedule.stages.resize(static_cast<std::size_t>(shape.stages));
    std::vector<BuildingBlock> blocks;
    for (int stage = 0; stage < shape.stages; ++stage) blocks.push_back(blockOf(shape.stages, stage));
    BlockRunner(schedule, blocks).run();
    schedule.mostInFlight.assign(static_cast<std::size_t>(shape.stages), 2 * std::min(most, shape.microBatches));
    return schedule;
}

} // namespace

PipelineSchedule vHalfOrder(const PipelineShape& shape) { return repeatedBlock(shape, halfBlock, (shape.stages + 2) / 2); }
PipelineSchedule vMinOrder(const PipelineShape& shape) { return repeatedBlock(shape, minBlock, (shape.stages + 4) / 3); }

} // namespace orrery
