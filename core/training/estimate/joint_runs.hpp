// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/estimate/piece_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace orrery {

/// A pass through a chunk's pieces: front to back, or back to front.
struct PassRuns {
    const std::vector<PieceRun>& runs;
    bool backwards = false;

    const PieceRun& at(std::size_t index) const { return backwards ? runs[runs.size() - 1 - index] : runs[index]; }
};

/// Two passes that run unit beside unit: calls `take(pieces, count)` for each stretch of equal units. Where one pass has more units, its
/// last ones run alone: the other's piece is −1.
template <typename Take>
void forEachJointRun(const PassRuns& one, const PassRuns& other, Take take) {
    const std::array<const PassRuns*, 2> passes{&one, &other};
    std::array<std::size_t, 2> run{};
    std::array<int, 2> used{};
    for (;;) {
        std::array<int, 2> pieces{-1, -1}, left{};
        for (std::size_t side = 0; side < 2; ++side) {
            if (run[side] == passes[side]->runs.size()) continue;
            const PieceRun& own = passes[side]->at(run[side]);
            pieces[side] = own.piece;
            left[side] = own.count - used[side];
        }
        if (left[0] == 0 && left[1] == 0) return;
        const int count = left[0] == 0 || left[1] == 0 ? std::max(left[0], left[1]) : std::min(left[0], left[1]);
        take(pieces, count);
        for (std::size_t side = 0; side < 2; ++side) {
            if (left[side] == 0) continue;
            used[side] += count;
            if (count < left[side]) continue;
            ++run[side];
            used[side] = 0;
        }
    }
}

} // namespace orrery
