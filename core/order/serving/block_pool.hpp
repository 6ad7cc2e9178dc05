// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

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

/// What of a block lies in a page: keys and values of the layers that look back on everything, or of those with windows.
enum class PageKind : std::uint8_t { whole,
                                     windowed };

/// The blocks of a paged cache of keys and values (Kwon et al., SOSP 2023), with vLLM's prefix cache.
///
/// A block has a page for each kind of layer that the model has, each with users and a key of its own; a model without windows has one page a
/// block. Free pages wait in a queue; one that still holds the tokens named by its key is found by it until its room is taken for other tokens.
/// What was freed first is taken first. Several pages may hold the same tokens; the one named first is found. Without prefix caching the pool
/// only counts. A page costs memory and time only once it is taken: engines have a hundred thousand, most runs use a few.
class BlockPool {
public:
    using Key = std::uint64_t; ///< 0: nothing to be found again

    BlockPool(int blocks, bool prefixCaching, const CacheWindow& window = {});

    int blocks() const { return count_; }
    int free() const { return freeBeside(0, 0); }
    /// Whole blocks' worth that stays free once so many more pages of each kind are in use; less than none where they have no room.
    int freeBeside(int whole, int windowed) const { return left(inUse_, whole, windowed); }
    int used() const { return count_ - free(); }
    const CacheWindow& window() const { return window_; }
    bool keeps(PageKind kind) const { return kind == PageKind::whole ? keepsWhole_ : keepsWindowed_; }
    bool caches() const { return caches_; }

    /// Takes `count` pages, for which there is room, to the end of `table`.
    void take(PageKind kind, int count, std::vector<int>& table);
    /// Shares a page that find() or keyOf() showed.
    void share(int page);
    /// Gives back the pages `from` ≤ i < `to` of a table, the last first, so that the first stays findable for longest. Leaves `table` as it is.
    void giveBack(PageKind kind, const std::vector<int>& table, int from, int to);

    /// Names the tokens that a page in use holds. A key that others may look for is `findable`.
    void name(int page, Key key, bool findable);
    /// Makes a named page findable.
    void publish(int page) {
        if (!node(page).findable) name(page, keyOf(page), true);
    }
    /// The page that holds these tokens, or −1.
    int find(Key key) const;
    Key keyOf(int page) const { return node(page).key; }
    /// Told a key once its last page has gone.
    std::function<void(Key)> onEviction;
    bool isFree(int page) const { return node(page).users == 0; }

private:
    static constexpr int queueEnd = -1;
    struct Pages {
        int whole = 0, windowed = 0;
        int& of(PageKind kind) { return kind == PageKind::whole ? whole : windowed; }
    };
    struct Node {
        Key key = 0;
        int users = 0;
        int before = queueEnd, after = queueEnd; ///< in the queue of free pages that were in use before, a ring closed by its end
        int sameBefore = -1, sameAfter = -1;     ///< ring of findable pages with the same key
        bool findable = false;
        PageKind kind = PageKind::whole;
    };
    Node& node(int page) { return nodes_[static_cast<std::size_t>(page) + 1]; }
    const Node& node(int page) const { return nodes_[static_cast<std::size_t>(page) + 1]; }
    int left(const Pages& pages, int whole, int windowed) const {
        const int room = count_ - pages.whole - whole;
        return keepsWindowed_ ? room + window_.worth(std::int64_t{pages.whole} + whole - pages.windowed - windowed) : room;
    }
    int place();
    void growTable();
    void unlink(int page);
    void append(int page);
    std::size_t slotOf(Key key) const; ///< where the key stands or would stand
    void forget(int page);

    std::vector<Node> nodes_;          ///< the queue's end, and one for each page that has room
    std::vector<int> vacant_;          ///< of these, those whose room went to pages of another kind
    std::vector<int> table_;           ///< hash table with linear probing, at most half full: the first page of a key, or −1
    std::size_t mask_ = 0, named_ = 0; ///< and its keys
    int count_ = 0;
    Pages inUse_, held_; ///< held_: in use or in the queue
    CacheWindow window_;
    bool caches_ = false, keepsWhole_ = true, keepsWindowed_ = false;
};

} // namespace orrery
