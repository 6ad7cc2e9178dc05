// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace orrery {

/// What part of a cache's blocks is worth nothing once later tokens see no more of them: layers with sliding windows or chunks share a pool
/// with layers that look back on everything (vLLM's hybrid allocator: each kind of layer has pages of its own, taken from one pool and given
/// back when they lie behind the window). vLLM makes the pages of all kinds equally large, by groups of equally many layers, some of them
/// empty; here a page is as large as its layers' keys and values.
struct CacheWindow {
    double share = 0;      ///< of a block's bytes, 0 to 1: those of layers with windows; 0: no layer has one
    std::int64_t span = 0; ///< tokens, its own included, that a token sees there
    bool chunks = false;   ///< what is seen begins with a chunk of `span` tokens instead

    bool operator==(const CacheWindow&) const = default;

    /// Tokens at a sequence's beginning that none sees who comes behind the first `tokens`.
    std::int64_t tokensBehind(std::int64_t tokens) const {
        if (span <= 0) return 0;
        return chunks ? tokens / span * span : std::max<std::int64_t>(0, tokens - span + 1);
    }
    /// Whole blocks that lie behind the window of who comes behind the first `tokens`.
    int blocksBehind(std::int64_t tokens, int blockSize) const { return share > 0 ? static_cast<int>(tokensBehind(tokens) / blockSize) : 0; }
    /// Tokens up to which no more than so many blocks lie behind.
    std::int64_t tokensUntilBehind(std::int64_t blocks, int blockSize) const {
        const std::int64_t more = (blocks + 1) * blockSize;
        return chunks ? (more + span - 1) / span * span : more + span - 1;
    }
    /// Whole blocks' worth of room that so many blocks behind the window leave; what fewer blocks than none leave is taken.
    int worth(std::int64_t blocks) const {
        constexpr double roundedOff = 1e-9; // of a share: three blocks of a third are one
        return share > 0 ? static_cast<int>(std::floor(share * static_cast<double>(blocks) + roundedOff)) : 0;
    }
    /// Most blocks' worth that a sequence of so many tokens ever takes of an empty pool, computed in steps of at most `step` tokens. What a step
    /// computes has its place before what it leaves behind goes, and most is held when that takes the first place of a block. A chunk counts as
    /// a window of its span: it leaves as little behind once its last token comes.
    std::int64_t mostBlocks(std::int64_t tokens, std::int64_t step, int blockSize) const {
        const std::int64_t all = (tokens + blockSize - 1) / blockSize;
        if (share <= 0) return all;
        const std::int64_t computed = (all - 1) * blockSize + 1 - step;
        return all - worth(std::max<std::int64_t>(0, computed - span + 1) / blockSize);
    }
};

} // namespace orrery
