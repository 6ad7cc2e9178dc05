// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/generators.hpp"

#include "core/base/expect.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace orrery {
namespace {

constexpr int mostChunks = 32767; // PipelineStep::chunk is 16 bits wide

std::optional<ShapeRefusal> refuseNumbers(PipelineOrder order, const PipelineShape& shape) {
    const int chunks = traitsOf(order).chunks.perStage == 0 ? shape.chunksPerStage : 1;
    if (shape.stages < 1 || shape.microBatches < 1 || chunks < 1)
        return ShapeRefusal{"A pipeline needs at least one stage, one micro-batch and one chunk per stage.", "Use positive numbers."};
    if (shape.stages > mostChunks / 2 || chunks > mostChunks / shape.stages)
        return ShapeRefusal{"A schedule holds at most " + std::to_string(mostChunks) + " chunks of a model.", "Use fewer stages or chunks."};
    return std::nullopt;
}

} // namespace

std::optional<ShapeRefusal> refusalOf(PipelineOrder order, const PipelineShape& shape) {
    if (auto refusal = refuseNumbers(order, shape)) return refusal;
    return unmetNeed(traitsOf(order), shape);
}

PipelineSchedule makePipelineSchedule(PipelineOrder order, const PipelineShape& shape) {
    if (const auto refusal = refusalOf(order, shape)) throw std::invalid_argument(refusal->reason);
    if (shape.chunksPerStage == 1) order = traitsOf(order).withOneChunk;
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
    throw std::invalid_argument("There is no such schedule.");
}

// The orders that know only whole backwards: GPipe, 1F1B and interleaved 1F1B.

namespace {

using Steps = std::vector<PipelineStep>;

PipelineStep forwardOf(int microBatch, int chunk) {
    return {PassKind::forward, false, static_cast<std::int16_t>(chunk), microBatch};
}

PipelineStep backwardOf(int microBatch, int chunk) {
    return {PassKind::backward, false, static_cast<std::int16_t>(chunk), microBatch};
}

PipelineSchedule emptySchedule(const PipelineShape& shape, int chunksPerStage) {
    ORRERY_EXPECT(shape.stages >= 1 && chunksPerStage >= 1, shape.stages, chunksPerStage);
    PipelineSchedule schedule;
    schedule.placement = {PlacementKind::loop, shape.stages, chunksPerStage, shape.microBatches};
    return schedule;
}

/// Every stage's forwards and backwards in their own orders, `warmup` forwards first, then one of each in turn, or both together.
Steps alternate(const Steps& forwards, const Steps& backwards, int warmup, bool paired = false) {
    Steps steps;
    steps.reserve(forwards.size() + backwards.size());
    const std::size_t ahead = std::min(forwards.size(), static_cast<std::size_t>(warmup));
    steps.insert(steps.end(), forwards.begin(), forwards.begin() + static_cast<std::ptrdiff_t>(ahead));
    for (std::size_t i = 0; i < backwards.size(); ++i) {
        if (ahead + i < forwards.size()) {
            steps.push_back(forwards[ahead + i]);
            steps.back().withNext = paired;
        }
        steps.push_back(backwards[i]);
    }
    return steps;
}

} // namespace

PipelineSchedule gpipeOrder(const PipelineShape& shape) {
    PipelineSchedule schedule = emptySchedule(shape, 1);
    for (int stage = 0; stage < shape.stages; ++stage) {
        Steps& steps = schedule.stages.emplace_back();
        for (int i = 0; i < shape.microBatches; ++i) steps.push_back(forwardOf(i, stage));
        for (int i = 0; i < shape.microBatches; ++i) steps.push_back(backwardOf(i, stage));
        schedule.mostInFlight.push_back(shape.microBatches);
    }
    return schedule;
}

PipelineSchedule oneForwardOneBackwardOrder(const PipelineShape& shape) {
    PipelineSchedule schedule = emptySchedule(shape, 1);
    for (int stage = 0; stage < shape.stages; ++stage) {
        Steps forwards;
        Steps backwards;
        for (int i = 0; i < shape.microBatches; ++i) {
            forwards.push_back(forwardOf(i, stage));
            backwards.push_back(backwardOf(i, stage));
        }
        schedule.stages.push_back(alternate(forwards, backwards, shape.stages - 1 - stage));
        schedule.mostInFlight.push_back(std::min(shape.microBatches, shape.stages - stage));
    }
    return schedule;
}

PipelineSchedule interleavedOrder(const PipelineShape& shape, bool paired) {
    const int chunks = shape.chunksPerStage;
    PipelineSchedule schedule = emptySchedule(shape, chunks);
    for (int stage = 0; stage < shape.stages; ++stage) {
        Steps forwards;
        Steps backwards;
        for (int group = 0; group < shape.microBatches; group += shape.stages) {
            for (int slot = 0; slot < chunks; ++slot) {
                for (int i = group; i < group + shape.stages; ++i) {
                    forwards.push_back(forwardOf(i, slot * shape.stages + stage));
                    backwards.push_back(backwardOf(i, (chunks - 1 - slot) * shape.stages + stage));
                }
            }
        }
        const int warmup = 2 * (shape.stages - 1 - stage) + (chunks - 1) * shape.stages + (paired ? 1 : 0);
        schedule.stages.push_back(alternate(forwards, backwards, warmup, paired));
        schedule.mostInFlight.push_back(std::min(shape.microBatches * chunks, warmup + 1));
    }
    return schedule;
}

// The zero-bubble orders of Qi et al.: the backward in two parts, of which only the input's is waited for.

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
    ORRERY_EXPECT(stage >= 0 && stage < stages && microBatches >= 1, stage, stages, microBatches);
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
    ORRERY_EXPECT(stage >= 0 && stage < stages && microBatches >= 1, stage, stages, microBatches);
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

// V-Half and V-Min (Qi et al. 2024, "Pipeline Parallelism with Controllable Memory", arXiv 2405.15362, section 4): on the V placement one
// building block, the passes of one micro-batch, is repeated at a fixed interval. How long the block keeps activations alive decides the
// peak; V-Half's lasts half as long as 1F1B's, V-Min's a third.

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
