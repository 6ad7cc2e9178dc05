// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace orrery {

/// The blocks of a paged cache of keys and values (Kwon et al., SOSP 2023), with vLLM's prefix cache.
///
/// Free blocks wait in a queue; one that still holds the tokens named by its key is found by it until it is taken for other tokens. What was
/// freed first is taken first. Several blocks may hold the same tokens; the one named first is found. Without prefix caching the pool only
/// counts. A block costs memory and time only once it is taken: engines have a hundred thousand, most runs use a few.
class BlockPool {
public:
    using Key = std::uint64_t; ///< 0: nothing to be found again

    BlockPool(int blocks, bool prefixCaching);

    int blocks() const { return count_; }
    int free() const { return free_; }
    int used() const { return count_ - free_; }
    bool caches() const { return caches_; }

    /// Takes `count` ≤ free() blocks to the end of `table`.
    void take(int count, std::vector<int>& table);
    /// Shares a block that find() or keyOf() showed.
    void share(int block);
    /// Gives all back, the last first, so that the first stays findable for longest. Leaves `table` as it is.
    void giveBack(const std::vector<int>& table, int count);

    /// Names the tokens that a block in use holds. A key that others may look for is `findable`.
    void name(int block, Key key, bool findable);
    /// The block that holds these tokens, or −1.
    int find(Key key) const;
    Key keyOf(int block) const { return node(block).key; }
    bool isFree(int block) const { return node(block).users == 0; }

private:
    static constexpr int queueEnd = -1;
    struct Node {
        Key key = 0;
        int users = 0;
        int before = queueEnd, after = queueEnd; ///< in the queue of free blocks that were in use before, a ring closed by its end
        int sameBefore = -1, sameAfter = -1;     ///< ring of findable blocks with the same key
        bool findable = false;
    };
    Node& node(int block) { return nodes_[static_cast<std::size_t>(block) + 1]; }
    const Node& node(int block) const { return nodes_[static_cast<std::size_t>(block) + 1]; }
    int taken() const { return static_cast<int>(nodes_.size()) - 1; } ///< blocks that were ever in use: the first ones
    int takeFree();
    void growTable();
    void unlink(int block);
    void append(int block);
    std::size_t slotOf(Key key) const; ///< where the key stands or would stand
    void forget(int block);

    std::vector<Node> nodes_;          ///< the queue's end, and one for each block that was ever in use
    std::vector<int> table_;           ///< hash table with linear probing, at most half full: the first block of a key, or −1
    std::size_t mask_ = 0, named_ = 0; ///< and its keys
    int count_ = 0, free_ = 0;
    bool caches_ = false;
};

} // namespace orrery
