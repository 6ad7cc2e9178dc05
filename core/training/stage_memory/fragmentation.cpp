// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_memory/fragmentation.hpp"

#include "core/training/memory/caching_allocator.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace orrery {
namespace {

constexpr int computeStream = 0, communicationStream = 1;
constexpr int equalLayers = 2;  ///< in a row
constexpr int mostTogether = 2; ///< micro-batches

using Block = CachingAllocator::Block;
constexpr Block noBlock = ~Block{0};

/// What a pass asks of the allocator, operator by operator.
struct PassScript {
    explicit PassScript(const PieceMemory& memory) {
        for (std::uint32_t i = 0; i < memory.lives.size(); ++i) {
            const TensorLife& life = memory.lives[i];
            if (life.first >= 0) taken.push_back({life.first, i});
            if (!life.keptAfter) freed.push_back({life.last, i});
        }
        std::sort(taken.begin(), taken.end());
        std::sort(freed.begin(), freed.end());
    }
    using Event = std::pair<int, std::uint32_t>; ///< operator, life
    std::vector<Event> taken, freed;             ///< in order
};

/// The allocator as a stage's work uses it.
class Replay {
public:
    Replay(const AllocatorOptions& options, const std::vector<BufferLife>& buffers) : allocator_(options), buffers_(buffers) {
        beginning_.resize(buffers.size());
        for (std::uint32_t i = 0; i < buffers.size(); ++i) {
            firsts_.push_back({buffers[i].first, i});
            lasts_.push_back({buffers[i].last, i});
        }
        std::sort(firsts_.begin(), firsts_.end());
        std::sort(lasts_.begin(), lasts_.end());
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
    using AtSlot = std::pair<std::int32_t, std::uint32_t>; ///< slot, buffer

    std::optional<Block> take(double bytes, int stream) { return allocator_.allocate(static_cast<std::uint64_t>(std::max(bytes, 1.0)), stream); }

    static std::vector<AtSlot>::const_iterator from(const std::vector<AtSlot>& places, std::int32_t slot) { return std::lower_bound(places.begin(), places.end(), AtSlot{slot, 0}); }

    bool beginSlot(std::int32_t slot) {
        for (auto place = from(firsts_, slot); place != firsts_.end() && place->first == slot; ++place) {
            const std::uint32_t i = place->second;
            if (beginning_[i]) continue;
            beginning_[i] = take(buffers_[i].bytes, buffers_[i].kind == MemoryKind::communication_buffers ? communicationStream : computeStream);
            if (!beginning_[i]) return false;
        }
        return true;
    }
    void endSlot(std::int32_t slot) {
        for (auto place = from(lasts_, slot); place != lasts_.end() && place->first == slot; ++place)
            if (beginning_[place->second]) allocator_.free(*beginning_[place->second]);
    }

    const PassScript& scriptOf(const PieceMemory& memory) { return scripts_.try_emplace(&memory, memory).first->second; }

    /// Blocks of what passes of the unit keep for a micro-batch, by tensor.
    std::vector<Block>& keptBy(const UnitPass& pass) {
        std::vector<Block>& kept = kept_[{pass.unit, pass.step.microBatch}];
        if (kept.empty()) kept.resize(pass.unit->piece->graph.tensors.size(), noBlock);
        return kept;
    }

    bool runPass(const UnitPass& pass, std::int32_t slot) {
        const PieceMemory& memory = memoryOf(pass);
        const PassScript& script = scriptOf(memory);
        std::vector<Block>& kept = keptBy(pass);
        inside_.assign(memory.lives.size(), noBlock);
        auto taken = script.taken.begin();
        auto freed = std::lower_bound(script.freed.begin(), script.freed.end(), PassScript::Event{0, 0});
        if (!beginSlot(slot)) return false;
        for (int at = 0; at < memory.operators; ++at) {
            if (at + 1 == memory.operators) {
                endSlot(slot);
                if (!beginSlot(slot + 1)) return false;
            }
            for (; taken != script.taken.end() && taken->first == at; ++taken) {
                const std::optional<Block> block = take(memory.lives[taken->second].bytes, computeStream);
                if (!block) return false;
                inside_[taken->second] = *block;
            }
            for (; freed != script.freed.end() && freed->first == at; ++freed) {
                const bool isInside = inside_[freed->second] != noBlock;
                Block& block = isInside ? inside_[freed->second] : kept[static_cast<std::size_t>(memory.lives[freed->second].tensor)];
                if (block == noBlock) continue;
                allocator_.free(block);
                if (!isInside) block = noBlock;
            }
        }
        for (std::size_t i = 0; i < memory.lives.size(); ++i) {
            Block& block = kept[static_cast<std::size_t>(memory.lives[i].tensor)];
            if (memory.lives[i].keptAfter && inside_[i] != noBlock && block == noBlock) block = inside_[i];
        }
        return true;
    }

    CachingAllocator allocator_;
    const std::vector<BufferLife>& buffers_;
    std::vector<AtSlot> firsts_, lasts_;          ///< of the buffers' lives, in order
    std::vector<std::optional<Block>> beginning_; ///< by buffer
    std::map<const PieceMemory*, PassScript> scripts_;
    std::map<std::pair<const Unit*, int>, std::vector<Block>> kept_; ///< by unit and micro-batch
    std::vector<Block> inside_;                                      ///< by life of the pass under way
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
    const double bytes = policy.gatheredBytes({chunks_.sumOver(stage, &PieceWork::elements), 0, 0, 0, chunks_.sumOver(stage, &PieceWork::wideElements)});
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
