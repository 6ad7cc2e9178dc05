// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/estimate/piece_table.hpp"

#include "core/training/segments/segment_placement.hpp"
#include "core/training/segments/slowed_segment.hpp"
#include "core/training/stage_memory/stage_memory.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace orrery {
namespace {

class TableMaker {
public:
    TableMaker(const Scenario& scenario, const RankWork& work, const StretchOf& stretchOf)
        : work_(work), options_(segmentOptions(scenario)), stretchOf_(stretchOf) {}

    PieceNumbers numbersOf(const PieceWork& piece) {
        PieceNumbers numbers;
        const auto set = [&](PassKind kind, std::uint32_t segment, const PieceMemory& memory) {
            numbers.time[at(kind)] = timeOf(piece, segment);
            numbers.memory[at(kind)] = {memory.peak, memory.change};
        };
        set(PassKind::forward, piece.forwardSegment, piece.forwardMemory);
        set(PassKind::backward, piece.backwardSegment, piece.backwardMemory);
        if (piece.backwardInputSegment != piece.backwardWeightSegment) {
            set(PassKind::backward_input, piece.backwardInputSegment, piece.backwardInputMemory);
            set(PassKind::backward_weight, piece.backwardWeightSegment, piece.backwardWeightMemory);
        }
        numbers.elements = piece.elements;
        numbers.expertElements = piece.expertElements;
        numbers.frozenElements = piece.frozenElements;
        numbers.wideElements = piece.wideElements;
        numbers.orthogonalFlops = piece.orthogonalFlops;
        numbers.weightTensors = piece.weightTensors;
        numbers.forwardSaved = piece.forwardMemory.saved;
        for (const StateShare& share : stateShares(piece)) {
            numbers.stateElements[(share.routed ? 2u : 0u) + (share.momentsAsAdam ? 1u : 0u)] += share.elements;
            if (share.quantised) (share.routed ? numbers.quantisedRouted : numbers.quantisedElements) += share.elements;
        }
        numbers.gradientShapes = weightGradientShapes(piece);
        return numbers;
    }

    PieceTable::Pair pair(const PieceWork& forward, const PieceWork& backward) const {
        const BuiltSegment built =
            buildPairSegment(work_.segments[forward.forwardSegment], work_.segments[backward.backwardSegment], options_, work_.operators);
        return {built.segment.duration, shareSlowedByOthers(built.segment, built.parts, options_.overlapSlowdown)};
    }

private:
    PassTime timeOf(const PieceWork& piece, std::uint32_t index) {
        const Segment& segment = work_.segments[index];
        PassTime time;
        time.alone = time.beside = segment.duration;
        time.share = shareSlowedByOthers(segment, work_.parts[index], options_.overlapSlowdown);
        if (!stretchOf_) return time;
        std::vector<std::uint32_t> operators;
        for (const SegmentEntry& entry : segment.entries) operators.push_back(entry.op);
        std::sort(operators.begin(), operators.end()); // as they were placed
        std::vector<Stretch> stretches(operators.size());
        // Kernels that the traffic slows early in the segment may make the wait for the host shorter, later ones its end later.
        const bool waits = work_.parts[index].withSlowKernels.has_value();
        for (std::size_t i = 0; i < operators.size(); ++i) {
            const Operator& op = work_.operators[operators[i]].op;
            if (op.kind != OperatorKind::collective || (op.group != RankGroup::tensor && op.group != RankGroup::context)) continue;
            stretches[i] = stretchOf_(op);
            time.meets = time.meets || stretches[i].own > 1 || stretches[i].other > 1 || (waits && stretches[i].meet);
        }
        if (!time.meets) return time;
        const auto beside = [&](double toSend) {
            return options_.overlapSlowdown > 1 ? runBeside(operators, stretches, toSend, segment.duration)
                                                : placeBeside(piece, operators, stretches, toSend);
        };
        const Beside always = beside(std::numeric_limits<double>::infinity());
        time.beside = always.lasts;
        time.sent = always.sent;
        for (std::size_t i = 0; i < PassTime::samples; ++i) {
            const Beside some = beside(time.sent * double(i + 1) / PassTime::samples);
            time.lasts[i] = some.lasts;
            time.done[i] = some.done;
        }
        return time;
    }

    struct Beside {
        double lasts = 0; ///< s
        double sent = 0;  ///< s of the group's traffic, alone
        double done = 0;  ///< s
    };
    /// Places the operators while the data-parallel group has `toSend` seconds of traffic to get rid of.
    Beside placeBeside(const PieceWork& piece, const std::vector<std::uint32_t>& operators, const std::vector<Stretch>& stretches, double toSend) const {
        SegmentClocks clocks;
        SegmentPlacement placement(piece.graph.tensors.size(), options_, clocks);
        Beside beside;
        double now = 0, left = toSend; // until where the group's traffic is settled
        const auto sendUntil = [&](double time) {
            if (left > 0 && now + left <= time) beside.done = now + left;
            const double sent = std::max(0.0, std::min(left, time - now));
            beside.sent += sent;
            left -= sent;
            now = std::max(now, time);
        };
        for (std::size_t i = 0; i < operators.size(); ++i) {
            TimedOperator timed = work_.operators[operators[i]];
            if (stretches[i].own > 1 || stretches[i].other > 1) {
                const double start = placement.earliestStart(timed);
                sendUntil(start);
                if (left > 0) {
                    const double own = timed.time * stretches[i].own;
                    const double theirs = left * stretches[i].other;
                    timed.time = theirs >= own ? own : theirs + (timed.time - theirs / stretches[i].own);
                    const double together = std::min(own, theirs);
                    if (theirs <= own) beside.done = start + theirs;
                    beside.sent += std::min(left, together / stretches[i].other);
                    left = theirs <= own ? 0 : left - together / stretches[i].other;
                    now = start + together;
                }
            }
            placement.place(timed, operators[i]);
        }
        beside.lasts = clocks.end();
        sendUntil(beside.lasts);
        if (left > 0) beside.done = beside.lasts + left;
        return beside;
    }

    /// The same where the traffic slows kernels too.
    Beside runBeside(const std::vector<std::uint32_t>& operators, const std::vector<Stretch>& stretches, double toSend, double alone) const {
        SlowedSegment slowed(options_);
        double most = options_.overlapSlowdown;
        for (std::size_t i = 0; i < operators.size(); ++i) {
            slowed.add(work_.operators[operators[i]], operators[i], 0, {stretches[i].own, stretches[i].other});
            most = std::max(most, stretches[i].own);
        }
        const double traffic = std::min(toSend, 2 * most * alone); // no more can be sent meanwhile
        slowed.addTraffic(traffic);
        const SlowedSegment::Times ends = slowed.run();
        return {ends.segment, traffic - std::max(0.0, ends.traffic - ends.segment), ends.traffic};
    }

    const RankWork& work_;
    SegmentOptions options_;
    const StretchOf& stretchOf_;
};

void addRun(const PieceTable& table, int piece, int count, ChunkWork& chunk) {
    if (count == 0) return;
    if (!chunk.runs.empty() && chunk.runs.back().piece == piece) chunk.runs.back().count += count;
    else chunk.runs.push_back({piece, count});
    const PieceNumbers& numbers = table.piece(piece);
    for (std::size_t kind = 0; kind < passKinds; ++kind) {
        chunk.time[kind] += count * numbers.time[kind].alone;
        chunk.slowed[kind] += count * numbers.time[kind].alone * numbers.time[kind].share;
    }
    chunk.elements += count * numbers.elements;
    chunk.expertElements += count * numbers.expertElements;
    chunk.frozenElements += count * numbers.frozenElements;
    chunk.wideElements += count * numbers.wideElements;
    chunk.orthogonalFlops += count * numbers.orthogonalFlops;
    chunk.weightTensors += count * numbers.weightTensors;
}

/// Most bytes over a pass: of equal pieces the first or the last is on top.
double riseOver(const PieceTable& table, const std::vector<PieceRun>& runs, PassKind kind) {
    double now = 0, rise = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PieceRun& run = kind == PassKind::forward ? runs[i] : runs[runs.size() - 1 - i];
        const PassMemory& memory = table.piece(run.piece).memory[at(kind)];
        rise = std::max(rise, now + std::max(0.0, (run.count - 1) * memory.change) + memory.peak);
        now += run.count * memory.change;
    }
    return rise;
}

void addMemory(const PieceTable& table, ChunkWork& chunk) {
    for (const PieceRun& run : chunk.runs) {
        const PieceNumbers& piece = table.piece(run.piece);
        chunk.saved += run.count * piece.memory[at(PassKind::forward)].change;
        chunk.leftForWeights -= run.count * piece.memory[at(PassKind::backward_weight)].change;
    }
    for (const PassKind kind : {PassKind::forward, PassKind::backward, PassKind::backward_input, PassKind::backward_weight})
        chunk.rise[at(kind)] = riseOver(table, chunk.runs, kind);
}

} // namespace

PieceTable makePieceTable(const Scenario& scenario, const RankWork& work, bool withPairs, const StretchOf& stretchOf) {
    std::vector<const PieceWork*> pieces{&work.embedding, &work.head, work.nextToken ? &*work.nextToken : &work.head};
    for (const PieceWork& layer : work.layers) pieces.push_back(&layer);
    PieceTable table;
    TableMaker maker(scenario, work, stretchOf);
    for (const PieceWork* piece : pieces) table.pieces.push_back(maker.numbersOf(*piece));
    for (const int kind : work.kindOfLayer) table.pieceOfLayer.push_back(PieceTable::firstLayer + kind);
    table.nextTokenModules = work.nextToken ? static_cast<int>(scenario.model.nextTokenModules) : 0;
    for (const PieceNumbers& piece : table.pieces)
        for (const PassTime& time : piece.time) table.meetsData = table.meetsData || time.meets;
    if (!withPairs) return table;
    table.pairs.resize(pieces.size(), std::vector<PieceTable::Pair>(pieces.size()));
    // Without modules of multi-token prediction the head stands twice.
    const auto firstOf = [&](std::size_t piece) { return static_cast<std::size_t>(std::find(pieces.begin(), pieces.end(), pieces[piece]) - pieces.begin()); };
    for (std::size_t forward = 0; forward < pieces.size(); ++forward)
        for (std::size_t backward = 0; backward < pieces.size(); ++backward) {
            const std::size_t f = firstOf(forward), b = firstOf(backward);
            table.pairs[forward][backward] = f == forward && b == backward ? maker.pair(*pieces[forward], *pieces[backward]) : table.pairs[f][b];
        }
    return table;
}

void layOut(const PieceTable& table, const std::vector<int>& layout, std::vector<ChunkWork>& chunks) {
    chunks.resize(layout.size());
    std::size_t layer = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        ChunkWork& chunk = chunks[i];
        std::vector<PieceRun> runs = std::move(chunk.runs);
        runs.clear();
        chunk = ChunkWork{};
        chunk.runs = std::move(runs);
        if (i == 0) addRun(table, PieceTable::embedding, 1, chunk);
        for (const std::size_t end = layer + static_cast<std::size_t>(layout[i]); layer < end;) {
            const std::size_t first = layer;
            while (layer < end && table.pieceOfLayer[layer] == table.pieceOfLayer[first]) ++layer;
            addRun(table, table.pieceOfLayer[first], static_cast<int>(layer - first), chunk);
        }
        if (i + 1 == layout.size()) {
            addRun(table, PieceTable::nextToken, table.nextTokenModules, chunk);
            addRun(table, PieceTable::head, 1, chunk);
        }
        addMemory(table, chunk);
    }
}

} // namespace orrery
