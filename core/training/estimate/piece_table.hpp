// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"
#include "core/training/rank_work/rank_work.hpp"
#include "core/training/stage_memory/stage_memory.hpp"

#include <array>
#include <functional>
#include <utility>
#include <vector>

namespace orrery {

/// Time of a pass through a piece, s: alone, and beside the data-parallel group's traffic where both use the same links.
struct PassTime {
    static constexpr std::size_t samples = 8;

    double alone = 0;
    double share = 1; ///< of it, what communication outside the segment slows
    bool meets = false;
    double beside = 0; ///< while the group sends all the time
    double sent = 0;   ///< s that the group would have needed alone for what it sends meanwhile
    /// With (i + 1)/samples of `sent` to send from the pass's start on: how long the pass lasts, when the group is done.
    std::array<double, samples> lasts{}, done{};
};

inline constexpr std::size_t passKinds = 4; ///< the first four of PassKind
constexpr std::size_t at(PassKind kind) { return static_cast<std::size_t>(kind); }

/// What the estimate needs to know of a piece of the model on one rank.
struct PieceNumbers {
    std::array<PassTime, passKinds> time;     ///< by PassKind
    std::array<PassMemory, passKinds> memory; ///< by PassKind
    /// These mean what they mean in PieceWork.
    double elements = 0, expertElements = 0, frozenElements = 0, wideElements = 0, orthogonalFlops = 0;
    int weightTensors = 0;                                 ///< as in PieceWork
    double forwardSaved = 0;                               ///< bytes
    std::array<double, 4> stateElements{};                 ///< trained; index 2 × of routed experts + stepped over by Adam whatever the optimizer
    double quantisedRouted = 0;                            ///< as quantisedElements, of routed experts
    double quantisedElements = 0;                          ///< of which a copy in the products' format is held
    std::vector<std::pair<double, double>> gradientShapes; ///< see weightGradientShapes
};

/// The pieces of one plan's rank work, without their operators.
struct PieceTable {
    std::vector<PieceNumbers> pieces; ///< embedding, head, next token (unused when the model has none), kinds of layers
    /// Time and share of the forward of the first beside the backward of the second; empty: the schedule has no such pairs.
    struct Pair {
        double alone = 0, share = 1;
    };
    std::vector<std::vector<Pair>> pairs;
    std::vector<int> pieceOfLayer; ///< by layer of the model
    int nextTokenModules = 0;
    bool meetsData = false; ///< some pass is slower beside the data-parallel group's traffic, or slows it down

    const PieceNumbers& piece(int index) const { return pieces[static_cast<std::size_t>(index)]; }
    const Pair& pair(int forward, int backward) const { return pairs[static_cast<std::size_t>(forward)][static_cast<std::size_t>(backward)]; }

    static constexpr int embedding = 0;
    static constexpr int head = 1;
    static constexpr int nextToken = 2;
    static constexpr int firstLayer = 3;
};

/// How a collective of the tensor or context group and the data-parallel group's traffic slow each other down: how many times as long
/// each takes while the other sends all the time.
struct Stretch {
    double own = 1;
    double other = 1;
    bool meet = false; ///< on some link, whether it holds one of them back or not
    bool operator==(const Stretch&) const = default;
};
using StretchOf = std::function<Stretch(const Operator&)>;

/// `stretchOf` may be empty: nothing meets.
PieceTable makePieceTable(const Scenario& scenario, const RankWork& work, bool withPairs, const StretchOf& stretchOf);

/// Equal pieces in a row.
struct PieceRun {
    int piece = 0;
    int count = 0;
};

/// What a chunk of the model runs, front to back.
struct ChunkWork {
    std::vector<PieceRun> runs;
    std::array<double, passKinds> time{};
    std::array<double, passKinds> slowed{}; ///< of it, what communication beside it slows
    double elements = 0, expertElements = 0, frozenElements = 0, wideElements = 0, orthogonalFlops = 0;
    int weightTensors = 0;
    double saved = 0;                     ///< bytes that one micro-batch's forward keeps
    double leftForWeights = 0;            ///< of these and new ones, bytes left for the weight part
    std::array<double, passKinds> rise{}; ///< most bytes beyond those before a pass
};

/// By chunk. `chunks` is reused from call to call.
void layOut(const PieceTable& table, const std::vector<int>& layout, std::vector<ChunkWork>& chunks);

} // namespace orrery
