// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_memory/unit_buffers.hpp"

#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

namespace orrery {
namespace {

constexpr double sixteenBit = 2; ///< bytes

int firstSlot(int work) { return 2 * work; }
int lastSlot(int work) { return 2 * work + 1; }

} // namespace

std::vector<const PieceWork*> piecesOf(const RankWork& work) {
    std::vector<const PieceWork*> pieces{&work.embedding, &work.head};
    for (const PieceWork& layer : work.layers) pieces.push_back(&layer);
    if (work.nextToken) pieces.push_back(&*work.nextToken);
    return pieces;
}

UnitBuffers::UnitBuffers(const Scenario& scenario, const RankWork& work, const ModelChunks& chunks, int stage, const std::vector<PlacedWork>& order, bool listed)
    : scenario_(scenario), work_(work), pieces_(piecesOf(work)), chunks_(chunks), stage_(stage), order_(order), end_(lastSlot(static_cast<int>(order.size()))),
      listed_(listed), policy_(scenario), isPlanned_(scenario.execution.profile.plansMemory) {
    if (policy_.unshardsWeights()) addSharded();
    else if (policy_.scattersUnits()) addReduced();
    else if (scenario.execution.profile.keepsBackwardGradients) addBackwardGradients();
    if (scenario.execution.offload.any()) addOffloaded();
    if (scenario.execution.profile.keepsStageOutputs && scenario.parallelism.pipeline > 1) addStageOutputs();
    for (std::size_t i = 1; i < bySlot_.size(); ++i) bySlot_[i] += bySlot_[i - 1];
}

void UnitBuffers::add(MemoryKind kind, std::string_view name, const Unit& unit, double bytes, int first, int last) {
    if (!(bytes > 0) || first > last) return;
    const double whole = std::ceil(bytes);
    if (listed_) lives_.push_back({kind, name, pieceIndex(unit), unit.layer, whole, first, last});
    if (bySlot_.empty()) {
        bySlot_.assign(static_cast<std::size_t>(end_) + 2, 0);
        endingAt_ = bySlot_;
    }
    // What changes from slot to slot, until all are there.
    const auto ends = static_cast<std::size_t>(std::min(last, end_));
    bySlot_[static_cast<std::size_t>(first)] += whole;
    bySlot_[ends + 1] -= whole;
    endingAt_[ends] += whole;
}

int UnitBuffers::pieceIndex(const Unit& unit) const {
    return static_cast<int>(std::find(pieces_.begin(), pieces_.end(), unit.piece) - pieces_.begin());
}

bool UnitBuffers::isRoot(const Unit& unit) const { return !isPlanned_ && (unit.piece == &work_.embedding || unit.piece == &work_.head); }

double UnitBuffers::gathered(const Unit& unit) const {
    return policy_.gatheredBytes(weightsOf(*unit.piece));
}

double UnitBuffers::quantisedCopies(const Unit& unit) const {
    if (copyBytes_ <= 0) return 0;
    double elements = 0;
    for (const Operator& op : unit.piece->graph.forward)
        if (op.format != MatrixFormat::sixteen_bit) elements += op.weights + op.replicatedWeights;
    return copyBytes_ * elements;
}

/// The stage's units are numbered chunk by chunk, each as they stand.
UnitBuffers::Backwards& UnitBuffers::backwardsOf(const Unit& unit) {
    std::size_t before = 0;
    for (const int chunk : chunks_.heldBy(stage_)) {
        const std::vector<Unit>& units = chunks_.units(chunk);
        const std::less<const Unit*> isBefore;
        if (!isBefore(&unit, units.data()) && isBefore(&unit, units.data() + units.size())) return backwards_[before + static_cast<std::size_t>(&unit - units.data())];
        before += units.size();
    }
    throw std::logic_error("a stage runs a unit that it does not hold");
}

void UnitBuffers::listBackwards() {
    std::size_t units = 0;
    for (const int chunk : chunks_.heldBy(stage_)) units += chunks_.units(chunk).size();
    backwards_.resize(units);
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) {
        for (const UnitPass& pass : order_[static_cast<std::size_t>(i)]) {
            if (!pass.endsGradients()) continue;
            Backwards& own = backwardsOf(*pass.unit);
            const int microBatch = pass.step.microBatch;
            if (own.first < 0) own.first = microBatch;
            own.last = microBatch;
            if (own.workOf.size() <= static_cast<std::size_t>(microBatch)) own.workOf.resize(static_cast<std::size_t>(microBatch) + 1, -1);
            own.workOf[static_cast<std::size_t>(microBatch)] = i;
        }
    }
}

void UnitBuffers::addSharded() {
    listBackwards();
    copyBytes_ = gatheredCopyBytes(scenario_);
    dense_ = stateBytes(scenario_, policy_, policy_.sharders());
    expert_ = stateBytes(scenario_, policy_, policy_.expertReplicas());
    for (const int chunk : chunks_.heldBy(stage_))
        for (const Unit& unit : chunks_.units(chunk))
            if (policy_.keepsGathered() || isRoot(unit)) {
                add(MemoryKind::communication_buffers, "gathered weights", unit, gathered(unit), 0, end_);
                add(MemoryKind::communication_buffers, "quantised weights", unit, quantisedCopies(unit), 0, end_);
            }
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) {
        for (const UnitPass& pass : order_[static_cast<std::size_t>(i)]) {
            if (pass.isForward()) addForward(i, pass);
            else addBackward(i, pass);
        }
    }
}

void UnitBuffers::addForward(int index, const UnitPass& pass) {
    if (policy_.keepsGathered() || isRoot(*pass.unit)) return;
    const double bytes = gathered(*pass.unit);
    add(MemoryKind::communication_buffers, "gathered weights", *pass.unit, bytes, firstSlot(index), lastSlot(index));
    add(MemoryKind::communication_buffers, "quantised weights", *pass.unit, quantisedCopies(*pass.unit), firstSlot(index), lastSlot(index));
    // What came over the network, kept until the next gather is copied out.
    if (!isPlanned_) add(MemoryKind::communication_buffers, "gather buffer", *pass.unit, bytes, firstSlot(index), lastSlot(index));
}

void UnitBuffers::addBackward(int index, const UnitPass& pass) {
    if (!policy_.keepsGathered() && pass.readsWeights()) {
        if (!isRoot(*pass.unit)) {
            add(MemoryKind::communication_buffers, "gathered weights", *pass.unit, gathered(*pass.unit), firstSlot(index), lastSlot(index));
            add(MemoryKind::communication_buffers, "quantised weights", *pass.unit, quantisedCopies(*pass.unit), firstSlot(index), lastSlot(index));
        }
        const auto next = static_cast<std::size_t>(index) + 1;
        if (!isPlanned_ && next < order_.size() && !order_[next].passes[0].isForward() && !isRoot(*order_[next].passes[0].unit)) {
            const Unit& unit = *order_[next].passes[0].unit;
            add(MemoryKind::communication_buffers, "gather buffer", unit, gathered(unit), firstSlot(index), lastSlot(index));
        }
    }
    if (pass.endsGradients()) addGradients(index, pass);
}

void UnitBuffers::addGradients(int index, const UnitPass& pass) {
    const Unit& unit = *pass.unit;
    const PieceWork& piece = *unit.piece;
    const double elements = policy_.reducedElements(weightsOf(piece));
    const Backwards& own = backwardsOf(unit);
    const int first = own.first, last = own.last;
    const bool isFirst = pass.step.microBatch == first, isLast = pass.step.microBatch == last;
    const int lastBackward = own.workOf[static_cast<std::size_t>(last)];
    if (policy_.addsUpWhole() && first != last && isFirst)
        add(MemoryKind::gradients, "accumulated gradients", unit, policy_.reduceBytes(elements), lastSlot(index), lastSlot(lastBackward));
    const double shard = piece.elements * dense_.gradients + piece.expertElements * expert_.gradients;
    if (policy_.addsUpWhole() ? isLast : isFirst) add(MemoryKind::gradients, "gradients", unit, shard, lastSlot(index), end_);
    if (policy_.addsUpWhole() && !isLast) return;

    // The root's is reduced when the embedding's backward is done.
    if (isPlanned_) return;
    if (unit.piece == &work_.head && chunks_.heldBy(stage_).front() == 0 && !policy_.keepsGathered()) {
        for (const Unit& embedding : chunks_.units(0)) {
            if (embedding.piece != &work_.embedding) continue;
            const std::vector<int>& works = backwardsOf(embedding).workOf;
            const auto microBatch = static_cast<std::size_t>(pass.step.microBatch);
            if (microBatch >= works.size() || works[microBatch] < 0) continue;
            const int end = lastSlot(works[microBatch]);
            if (!(policy_.addsUpWhole() && first != last)) add(MemoryKind::gradients, "whole gradients", unit, elements * sixteenBit, firstSlot(index + 1), end);
            add(MemoryKind::communication_buffers, "reduce-scatter input", unit, policy_.reduceBytes(elements), end, end);
        }
        return;
    }
    const int next = nextEndingGradients(index);
    add(MemoryKind::communication_buffers, "reduce-scatter input", unit, policy_.reduceBytes(elements), lastSlot(index),
        next < 0 || policy_.keepsGathered() ? lastSlot(index) : firstSlot(next));
}

/// A unit's gradients are there whole until they are reduced, the same as under ZeRO-3.
void UnitBuffers::addReduced() {
    for (int i = 0; i < static_cast<int>(order_.size()); ++i)
        for (const UnitPass& pass : order_[static_cast<std::size_t>(i)]) {
            if (!pass.endsGradients()) continue;
            const int next = nextEndingGradients(i);
            add(MemoryKind::communication_buffers, "reduce-scatter input", *pass.unit,
                policy_.reduceBytes(policy_.reducedElements(weightsOf(*pass.unit->piece))), lastSlot(i), next < 0 ? lastSlot(i) : firstSlot(next));
        }
}

int UnitBuffers::nextEndingGradients(int index) const {
    for (auto i = static_cast<std::size_t>(index) + 1; i < order_.size(); ++i)
        for (const UnitPass& pass : order_[i])
            if (pass.endsGradients()) return static_cast<int>(i);
    return -1;
}

/// From the unit's backward, which has them to its own end, to the end of the micro-batch's on this stage.
void UnitBuffers::addBackwardGradients() {
    struct Open {
        const Unit* unit;
        int from;
    };
    std::map<std::pair<int, int>, std::vector<Open>> open; ///< by chunk and micro-batch
    const auto close = [&](const std::vector<Open>& list, int last) {
        for (const Open& one : list)
            add(MemoryKind::gradients, "gradients of a micro-batch", *one.unit, (one.unit->piece->elements + one.unit->piece->expertElements) * sixteenBit,
                one.from, last);
    };
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) {
        for (const UnitPass& pass : order_[static_cast<std::size_t>(i)]) {
            if (!pass.endsGradients()) continue;
            std::vector<Open>& list = open[{pass.step.chunk, pass.step.microBatch}];
            list.push_back({pass.unit, firstSlot(i + 1)});
            if (!pass.last) continue;
            close(list, lastSlot(i));
            list.clear();
        }
    }
    for (const auto& [key, list] : open) close(list, end_);
}

/// Weights are asked for one piece of work ahead; activations leave while the next one runs and come back while the one before theirs does.
void UnitBuffers::addOffloaded() {
    const Offload& offload = scenario_.execution.offload;
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) {
        for (const UnitPass& pass : order_[static_cast<std::size_t>(i)]) {
            const PieceWork& piece = *pass.unit->piece;
            const int before = std::max(0, i - 1);
            if (offload.weights > 0 && pass.readsWeights())
                add(MemoryKind::weights, "weights from the host", *pass.unit,
                    weightsFromHost(scenario_, policy_, weightsOf(piece)), firstSlot(before), lastSlot(i));
            if (offload.activations <= 0) continue;
            const double kept = offload.activations * piece.forwardMemory.saved;
            if (pass.isForward()) add(MemoryKind::activations, "activations to the host", *pass.unit, kept, firstSlot(i + 1), lastSlot(i + 1));
            else if (pass.step.kind != PassKind::backward_weight && i > 0)
                add(MemoryKind::activations, "activations from the host", *pass.unit, kept, firstSlot(before), lastSlot(before));
        }
    }
}

/// A stage's output stays with its micro-batch until the backward begins that its gradient starts.
void UnitBuffers::addStageOutputs() {
    const Parallelism& plan = scenario_.parallelism;
    const double tokens = double(scenario_.training().microBatch) * scenario_.training().sequenceLength / plan.context;
    const double bytes = tokens * scenario_.model.passedWidth() * sixteenBit / (plan.sequence ? plan.tensor : 1);
    // One buffer each for what comes from the neighbours, copied from there (DeepSpeed, runtime/pipe/engine.py: pipe_recv_buf, grad_layer).
    for (const int chunk : chunks_.heldBy(stage_)) {
        if (chunks_.units(chunk).empty()) continue;
        if (chunk > 0) add(MemoryKind::communication_buffers, "receive buffer", chunks_.units(chunk).front(), bytes, 0, end_);
        if (chunk + 1 < chunks_.count()) add(MemoryKind::communication_buffers, "receive buffer", chunks_.units(chunk).back(), bytes, 0, end_);
    }
    std::map<std::pair<int, int>, std::pair<int, const Unit*>> sent; ///< by chunk and micro-batch: the work that made it
    for (int i = 0; i < static_cast<int>(order_.size()); ++i) {
        for (const UnitPass& pass : order_[static_cast<std::size_t>(i)]) {
            const std::pair<int, int> key{pass.step.chunk, pass.step.microBatch};
            if (pass.isForward() && pass.last && pass.step.chunk + 1 < chunks_.count()) sent[key] = {i, pass.unit};
            const auto made = sent.find(key);
            if (pass.isForward() || made == sent.end()) continue;
            add(MemoryKind::activations, "stage output", *made->second.second, bytes, lastSlot(made->second.first), firstSlot(i));
            sent.erase(made);
        }
    }
}

} // namespace orrery
