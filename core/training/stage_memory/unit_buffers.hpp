// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/memory/liveness.hpp"
#include "core/training/memory/static_memory.hpp"
#include "core/training/rank_work/model_chunks.hpp"
#include "core/training/rank_work/stage_order.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <vector>

namespace orrery {

/// Lists the buffers that come and go between and beside a stage's units. With sharded weights (ZeRO-3), as PyTorch's fully_shard keeps
/// them (torch/distributed/fsdp/_fully_shard): the running unit's gathered weights, a second buffer for the gather under way, the
/// input of a reduce-scatter until the next one begins, and gradient shards from the first backward on. Embedding, final norm
/// and head belong to the root, which stays gathered and is reduced at the end of a backward. Where a compiler plans the memory: the running
/// unit's gathered weights alone. With offloading: what is on its way.
/// With sharded gradients alone (ZeRO-2): the input of a reduce-scatter. Where the framework keeps them: what a stage has sent on, and a
/// micro-batch's 16-bit gradients until its backward has ended.
class UnitBuffers {
public:
    /// `listed`: each by itself; who asks for the sum alone spares the list, which is long.
    UnitBuffers(const Scenario& scenario, const RankWork& work, const ModelChunks& chunks, int stage, const std::vector<PlacedWork>& order, bool listed = true);

    const std::vector<BufferLife>& lives() const { return lives_; }
    /// Their sum by slot, two for each piece of work.
    const std::vector<double>& bySlot() const { return bySlot_; }
    /// What of that sum isn't there in the next slot.
    const std::vector<double>& endingAt() const { return endingAt_; }

private:
    /// A unit that ends gradients has these backwards.
    struct Backwards {
        int first = -1, last = -1; ///< micro-batches
        std::vector<int> workOf;   ///< by micro-batch: which work of the order it is; −1: none
    };

    void addSharded();
    void addReduced();
    void addBackwardGradients();
    void addForward(int index, const UnitPass& pass);
    void addBackward(int index, const UnitPass& pass);
    void addGradients(int index, const UnitPass& pass);
    void addOffloaded();
    void addStageOutputs();

    void add(MemoryKind kind, std::string_view name, const Unit& unit, double bytes, int first, int last);
    bool isRoot(const Unit& unit) const;
    double gathered(const Unit& unit) const;
    /// Bytes of the copies in 8 or 4 bit that a pass makes of gathered weights.
    double quantisedCopies(const Unit& unit) const;
    int nextEndingGradients(int index) const;
    Backwards& backwardsOf(const Unit& unit);
    void listBackwards();
    int pieceIndex(const Unit& unit) const;

    const Scenario& scenario_;
    const RankWork& work_;
    std::vector<const PieceWork*> pieces_; ///< of the work, as in piecesOf
    const ModelChunks& chunks_;
    int stage_;
    const std::vector<PlacedWork>& order_;
    int end_; ///< the last slot
    bool listed_;
    ReplicaPolicy policy_;
    bool isPlanned_;                   ///< a compiler places all buffers (XLA): collectives write where the layer reads, and read where it wrote
    std::vector<Backwards> backwards_; ///< by unit, see backwardsOf
    StateBytes dense_, expert_;        ///< of a parameter
    double copyBytes_ = 0;             ///< quantised, beside a gathered parameter of a product
    std::vector<BufferLife> lives_;
    std::vector<double> bySlot_, endingAt_;
};

/// Index of a piece among `piecesOf`.
std::vector<const PieceWork*> piecesOf(const RankWork& work);

} // namespace orrery
