// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/stage_memory/stage_memory.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

bool isProduct(const Operator& op) { return op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm; }

} // namespace

std::vector<StateShare> stateShares(const PieceWork& piece) {
    std::vector<StateShare> shares;
    const std::string& name = piece.graph.name;
    // Muon steps over the layers' matrices; Adam over the rest.
    const bool isLayer = name != "embedding" && name != "head";
    double rest = piece.elements;
    for (const Operator& op : piece.graph.forward) {
        const double elements = op.weights + op.replicatedWeights;
        if (elements <= 0) continue;
        const bool routed = op.kind == OperatorKind::grouped_gemm;
        shares.push_back({op.name, elements, routed, !(isProduct(op) && isLayer), op.format != MatrixFormat::sixteen_bit});
        if (!routed) rest -= elements;
    }
    if (rest > 0.5) shares.push_back({name + ".tied_weight", rest, false, true, false});
    return shares;
}

std::vector<std::pair<double, double>> weightGradientShapes(const PieceWork& layer) {
    std::vector<std::pair<double, double>> shapes;
    for (const Operator& op : layer.graph.forward)
        if (isProduct(op) && op.weights > 0 && !op.name.starts_with("head.")) shapes.emplace_back(op.shape.n, op.shape.k);
    std::sort(shapes.begin(), shapes.end());
    shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
    return shapes;
}

namespace {

/// The highest moment of work, relative to the moment before it; a pair's by the order in which its operators begin.
struct Highest {
    double bytes = 0, kept = 0;
    std::array<int, 2> at{};
};

/// Running sums of a piece by operator.
struct Running {
    std::vector<double> bytes, kept;

    explicit Running(const PieceMemory& memory) : bytes(std::size_t(memory.operators) + 1, 0), kept(bytes) {
        for (const TensorLife& life : memory.lives) {
            const bool isKept = memory.kept[static_cast<std::size_t>(life.tensor)];
            const auto add = [&](int index, double change) {
                bytes[static_cast<std::size_t>(index)] += change;
                if (isKept) kept[static_cast<std::size_t>(index)] += change;
            };
            if (!life.isAliveBefore()) add(life.first, life.bytes);
            if (!life.keptAfter) add(life.last + 1, -life.bytes);
        }
        for (std::size_t i = 1; i < bytes.size(); ++i) {
            bytes[i] += bytes[i - 1];
            kept[i] += kept[i - 1];
        }
    }
};

Highest highestOfPair(const RankWork& rank, const PairedSegments& pairs, const PlacedWork& work) {
    const std::array<std::uint32_t, 2> segments{segmentOf(work.passes[0]), segmentOf(work.passes[1])};
    const std::array<Running, 2> running{Running(memoryOf(work.passes[0])), Running(memoryOf(work.passes[1]))};
    std::array<std::vector<std::uint32_t>, 2> operators;
    for (std::size_t half = 0; half < 2; ++half) operators[half] = issueOrder(rank.segments[segments[half]]);
    Highest highest;
    bool begun = false;
    std::array<int, 2> at{-1, -1};
    for (const SegmentEntry& entry : rank.segments[pairs.at({segments[0], segments[1]})].entries) {
        const auto of = [&](std::size_t half) { return std::lower_bound(operators[half].begin(), operators[half].end(), entry.op); };
        const std::size_t half = of(0) != operators[0].end() && *of(0) == entry.op ? 0 : 1;
        at[half] = std::max(at[half], static_cast<int>(of(half) - operators[half].begin()));
        double bytes = 0, kept = 0;
        for (std::size_t side = 0; side < 2; ++side) {
            if (at[side] < 0) continue;
            bytes += running[side].bytes[static_cast<std::size_t>(at[side])];
            kept += running[side].kept[static_cast<std::size_t>(at[side])];
        }
        if (begun && bytes <= highest.bytes) continue;
        highest = {bytes, kept, at};
        begun = true;
    }
    return highest;
}

} // namespace

const PieceMemory& memoryOf(const UnitPass& pass) {
    const PieceWork& piece = *pass.unit->piece;
    switch (pass.step.kind) {
    case PassKind::forward: return piece.forwardMemory;
    case PassKind::backward_input: return piece.backwardInputMemory;
    case PassKind::backward_weight: return piece.backwardWeightMemory;
    default: return piece.backwardMemory;
    }
}

std::vector<std::uint32_t> issueOrder(const Segment& segment) {
    std::vector<std::uint32_t> operators;
    for (const SegmentEntry& entry : segment.entries) operators.push_back(entry.op);
    std::sort(operators.begin(), operators.end());
    operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
    return operators;
}

std::vector<WorkMemory> stageMemory(const Scenario& scenario, const RankWork& work, const PairedSegments& pairedSegments,
                                    const std::vector<PlacedWork>& order, const UnitBuffers& buffers) {
    std::vector<WorkMemory> memory;
    memory.reserve(order.size());
    const double share = scenario.execution.offload.activations;
    // What of a unit's is in host memory between the passes: whole bytes, so that what comes back is what went.
    const auto parkedOf = [share](double saved) { return std::floor(share * saved); };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Highest> pairs;
    double kept = 0;
    const auto buffersAt = [&](std::size_t slot) { return buffers.bySlot().empty() ? 0.0 : buffers.bySlot()[slot]; };
    for (std::size_t i = 0; i < order.size(); ++i) {
        const PlacedWork& placed = order[i];
        WorkMemory now;
        double back = 0, change = 0;
        for (const UnitPass& pass : placed) {
            const PieceMemory& piece = memoryOf(pass);
            const bool comesBack = !pass.isForward() && pass.step.kind != PassKind::backward_weight;
            if (comesBack) back += parkedOf(pass.unit->piece->forwardMemory.saved);
            change += piece.change - (pass.isForward() ? parkedOf(piece.saved) : 0);
        }
        const double before = kept + back;
        const auto take = [&](double bytes, double keptOfThem, double buffered, std::array<int, 2> at) {
            if (before + bytes + buffered <= now.peak() && now.peak() > 0) return;
            now.kept = before + keptOfThem;
            now.temporary = bytes - keptOfThem;
            now.buffers = buffered;
            now.peakOperator = at;
        };
        if (placed.count == 1) {
            const PieceMemory& piece = memoryOf(placed.passes[0]);
            if (piece.operators != 1) take(piece.beforeLast.bytes, piece.beforeLast.kept, buffersAt(2 * i), {piece.beforeLast.at, 0});
            take(piece.atLast.bytes, piece.atLast.kept, buffersAt(2 * i + 1), {piece.atLast.at, 0});
        } else {
            const std::pair<std::uint32_t, std::uint32_t> key{segmentOf(placed.passes[0]), segmentOf(placed.passes[1])};
            auto known = pairs.find(key);
            if (known == pairs.end()) known = pairs.emplace(key, highestOfPair(work, pairedSegments, placed)).first;
            take(known->second.bytes, known->second.kept, buffersAt(2 * i), known->second.at);
        }
        kept = before + change;
        now.after = kept;
        now.buffersAfter = buffers.bySlot().empty() ? 0 : buffers.bySlot()[2 * i + 1] - buffers.endingAt()[2 * i + 1];
        memory.push_back(now);
    }
    return memory;
}

ChunkMemory chunkMemory(const std::vector<Unit>& units) {
    ChunkMemory memory;
    for (std::size_t kind = 0; kind < memory.size(); ++kind) {
        UnitPass pass;
        pass.step.kind = static_cast<PassKind>(kind);
        PassMemory& sum = memory[kind];
        for (std::size_t i = 0; i < units.size(); ++i) {
            pass.unit = pass.isForward() ? &units[i] : &units[units.size() - 1 - i];
            const PieceMemory& piece = memoryOf(pass);
            sum.peak = i == 0 ? piece.peak : std::max(sum.peak, sum.change + piece.peak);
            sum.change += piece.change;
        }
    }
    return memory;
}

double peakOfSteps(const std::vector<PipelineStep>& steps, const std::vector<ChunkMemory>& chunks) {
    double kept = 0, peak = 0;
    for (const PipelineStep& step : steps) {
        const PassMemory& pass = chunks[static_cast<std::size_t>(step.chunk)][static_cast<std::size_t>(step.kind)];
        peak = std::max(peak, kept + pass.peak);
        kept += pass.change;
    }
    return peak;
}

} // namespace orrery
