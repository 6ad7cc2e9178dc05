// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stage_memory/fragmentation.hpp"

#include "core/memory/caching_allocator.hpp"
#include "core/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace orrery {
namespace {

constexpr int computeStream = 0, communicationStream = 1;
constexpr int equalLayers = 2;  ///< in a row
constexpr int mostTogether = 2; ///< micro-batches

using Block = CachingAllocator::Block;
using InstanceKey = std::tuple<const Unit*, int, TensorId>; ///< unit, micro-batch, tensor

/// The allocator as a stage's work uses it.
class Replay {
public:
    Replay(const AllocatorOptions& options, const std::vector<BufferLife>& buffers) : allocator_(options), buffers_(buffers) {
        beginning_.resize(buffers.size());
    }

    /// False when the device has not enough.
    bool run(const std::vector<PlacedWork>& order) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const UnitPass& pass : order[i])
                if (!runPass(pass, static_cast<std::int32_t>(2 * i))) return false;
            endSlot(static_cast<std::int32_t>(2 * i + 1));
        }
        return true;
    }

    const CachingAllocator& allocator() const { return allocator_; }

private:
    std::optional<Block> take(double bytes, int stream) { return allocator_.allocate(static_cast<std::uint64_t>(std::max(bytes, 1.0)), stream); }

    bool beginSlot(std::int32_t slot) {
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            if (buffers_[i].first != slot || beginning_[i]) continue;
            beginning_[i] = take(buffers_[i].bytes, buffers_[i].kind == MemoryKind::communication_buffers ? communicationStream : computeStream);
            if (!beginning_[i]) return false;
        }
        return true;
    }
    void endSlot(std::int32_t slot) {
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (buffers_[i].last == slot && beginning_[i]) allocator_.free(*beginning_[i]);
    }

    bool runPass(const UnitPass& pass, std::int32_t slot) {
        const PieceMemory& memory = memoryOf(pass);
        std::vector<std::optional<Block>> inside(memory.lives.size());
        const auto keyOf = [&](const TensorLife& life) { return InstanceKey{pass.unit, pass.step.microBatch, life.tensor}; };
        if (!beginSlot(slot)) return false;
        for (int at = 0; at < memory.operators; ++at) {
            const bool isLast = at + 1 == memory.operators;
            if (isLast) {
                endSlot(slot);
                if (!beginSlot(slot + 1)) return false;
            }
            for (std::size_t i = 0; i < memory.lives.size(); ++i) {
                if (memory.lives[i].first != at) continue;
                inside[i] = take(memory.lives[i].bytes, computeStream);
                if (!inside[i]) return false;
            }
            for (std::size_t i = 0; i < memory.lives.size(); ++i) {
                const TensorLife& life = memory.lives[i];
                if (life.keptAfter || life.last != at) continue;
                if (inside[i]) {
                    allocator_.free(*inside[i]);
                } else if (const auto known = kept_.find(keyOf(life)); known != kept_.end()) {
                    allocator_.free(known->second);
                    kept_.erase(known);
                }
            }
        }
        for (std::size_t i = 0; i < memory.lives.size(); ++i)
            if (memory.lives[i].keptAfter && inside[i]) kept_.emplace(keyOf(memory.lives[i]), *inside[i]);
        return true;
    }

    CachingAllocator allocator_;
    const std::vector<BufferLife>& buffers_;
    std::vector<std::optional<Block>> beginning_; ///< by buffer
    std::map<InstanceKey, Block> kept_;
};

} // namespace

std::optional<AllocatorRun> replayAllocator(const Scenario& scenario, const RankWork& work, const ModelChunks& chunks, int stage,
                                            const std::vector<PlacedWork>& order, double capacity) {
    const UnitBuffers buffers(scenario, work, chunks, stage, order);
    AllocatorOptions options;
    options.expandableSegments = scenario.execution.profile.expandableSegments;
    options.capacity = static_cast<std::uint64_t>(capacity);
    Replay replay(options, buffers.lives());
    if (!replay.run(order)) return std::nullopt;
    return AllocatorRun{double(replay.allocator().allocatedPeak()), double(replay.allocator().reservedPeak())};
}

std::vector<PlacedWork> FragmentationModel::shortened(int stage, int inFlight) const {
    std::vector<const Unit*> units;
    for (const int chunk : chunks_.heldBy(stage)) {
        int equal = 0;
        for (const Unit& unit : chunks_.units(chunk)) {
            equal = !units.empty() && units.back()->piece == unit.piece ? equal + 1 : 1;
            if (equal <= equalLayers) units.push_back(&unit);
        }
    }
    std::vector<PlacedWork> order;
    const auto pass = [&](const Unit* unit, PassKind kind, int microBatch) {
        PlacedWork work;
        work.passes[0].last = kind == PassKind::backward && unit == units.front();
        work.passes[0].unit = unit;
        work.passes[0].step.kind = kind;
        work.passes[0].step.microBatch = microBatch;
        order.push_back(work);
    };
    const int together = std::min(inFlight, mostTogether);
    for (int i = 0; i < together; ++i)
        for (const Unit* unit : units) pass(unit, PassKind::forward, i);
    for (int i = 0; i < together; ++i)
        for (auto unit = units.rbegin(); unit != units.rend(); ++unit) pass(*unit, PassKind::backward, i);
    return order;
}

/// Gathered after a step weights are flattened into one block of their size. Where no tensor of the passes was as large, no cached block
/// holds it, whatever is free.
double FragmentationModel::gatherBlock(int stage, const std::vector<const PieceWork*>& pieces) const {
    const ReplicaPolicy policy(scenario_);
    const bool afterStep = policy.gathers() == GatherTime::once && !policy.unshardsWeights();
    if (!scenario_.execution.profile.flattensGathers || !afterStep) return 0;
    const double bytes = policy.gatherBytes(chunks_.sumOver(stage, &PieceWork::elements));
    double largest = 0;
    for (const PieceWork* piece : pieces)
        for (const PieceMemory* memory : {&piece->forwardMemory, &piece->backwardMemory})
            for (const TensorLife& life : memory->lives) largest = std::max(largest, life.bytes);
    return bytes > largest ? bytes : 0;
}

/// A micro-batch's forward begins while the device is still in the backward before it. What the layers' collectives gathered is not free
/// yet, so the forward takes the largest free blocks, the head's, and cuts them up: those are asked of the device again.
double FragmentationModel::outrunBlocks(int stage) const {
    if (!scenario_.execution.profile.outrunsCollectives || scenario_.execution.profile.expandableSegments || scenario_.microBatches() < 2) return 0;
    double awaited = 0;
    std::array<double, 2> largest{};
    for (const int chunk : chunks_.heldBy(stage)) {
        for (const Unit& unit : chunks_.units(chunk)) {
            const PieceMemory& memory = unit.piece->forwardMemory;
            for (const Operator& op : unit.piece->graph.forward) {
                if (op.kind != OperatorKind::collective) continue;
                for (const TensorId output : op.outputs)
                    if (memory.kept[static_cast<std::size_t>(output)]) awaited += unit.piece->graph.tensors[static_cast<std::size_t>(output)].bytes;
            }
            if (unit.piece != &work_.head) continue;
            for (const TensorLife& life : memory.lives) {
                if (life.bytes > largest[0]) largest = {life.bytes, largest[0]};
                else largest[1] = std::max(largest[1], life.bytes);
            }
        }
    }
    return std::min(awaited, largest[0] + largest[1]);
}

double FragmentationModel::bytes(int stage, int inFlight, double room) {
    const std::vector<PlacedWork> order = shortened(stage, inFlight);
    std::vector<const PieceWork*> pieces;
    for (const PlacedWork& work : order) pieces.push_back(work.passes[0].unit->piece);
    const auto [known, added] = known_.try_emplace({pieces, std::min(inFlight, mostTogether)});
    if (added) known->second = *replayAllocator(scenario_, work_, chunks_, stage, order, 0);
    const double free = known->second.reserved - known->second.allocated + gatherBlock(stage, pieces) + outrunBlocks(stage);
    if (free <= room) return free;
    // The device is too small for it: what is cached goes back.
    const double limit = known->second.allocated + room;
    const std::optional<AllocatorRun> limited = room > 0 ? replayAllocator(scenario_, work_, chunks_, stage, order, limit) : std::nullopt;
    return limited ? limited->reserved - limited->allocated : free;
}

} // namespace orrery
