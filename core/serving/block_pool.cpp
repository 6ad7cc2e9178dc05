// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/block_pool.hpp"

#include <algorithm>
#include <utility>

namespace orrery {

BlockPool::BlockPool(int blocks, bool prefixCaching) : count_(blocks), free_(blocks), caches_(prefixCaching) {
    if (!caches_) return;
    constexpr int mostAtOnce = 1 << 17; // 4 MiB, which cost nothing before they are used
    nodes_.reserve(static_cast<std::size_t>(std::min(blocks, mostAtOnce)) + 1);
    nodes_.resize(1);
    constexpr std::size_t first = 16;
    table_.assign(first, -1);
    mask_ = first - 1;
}

void BlockPool::unlink(int block) {
    node(node(block).before).after = node(block).after;
    node(node(block).after).before = node(block).before;
}

void BlockPool::append(int block) {
    const int last = node(queueEnd).before;
    node(block).before = last;
    node(block).after = queueEnd;
    node(last).after = node(queueEnd).before = block;
}

/// Those that nobody had yet stand before those that were given back.
int BlockPool::takeFree() {
    const int fresh = taken();
    if (fresh < count_) {
        nodes_.emplace_back();
        return fresh;
    }
    const int block = node(queueEnd).after;
    unlink(block);
    if (node(block).findable) forget(block);
    return block;
}

void BlockPool::take(int count, std::vector<int>& table) {
    free_ -= count;
    if (!caches_) return;
    for (; count > 0; --count) {
        const int block = takeFree();
        node(block).key = 0;
        node(block).users = 1;
        table.push_back(block);
    }
}

void BlockPool::share(int block) {
    if (node(block).users++ > 0) return;
    unlink(block);
    --free_;
}

void BlockPool::giveBack(const std::vector<int>& table, int count) {
    if (!caches_) {
        free_ += count;
        return;
    }
    for (int i = count - 1; i >= 0; --i) {
        const int block = table[static_cast<std::size_t>(i)];
        if (--node(block).users > 0) continue;
        append(block);
        ++free_;
    }
}

std::size_t BlockPool::slotOf(Key key) const {
    std::size_t slot = key * 0x9e3779b97f4a7c15ULL >> 17U & mask_;
    while (table_[slot] >= 0 && keyOf(table_[slot]) != key) slot = (slot + 1) & mask_;
    return slot;
}

int BlockPool::find(Key key) const { return table_[slotOf(key)]; }

void BlockPool::growTable() {
    const std::vector<int> old = std::exchange(table_, std::vector<int>(2 * table_.size(), -1));
    mask_ = table_.size() - 1;
    for (const int block : old)
        if (block >= 0) table_[slotOf(keyOf(block))] = block;
}

void BlockPool::name(int block, Key key, bool findable) {
    Node& named = node(block);
    named.key = key;
    named.findable = findable;
    if (!findable) return;
    std::size_t slot = slotOf(key);
    const int first = table_[slot];
    if (first < 0) {
        if (2 * ++named_ > table_.size()) {
            growTable();
            slot = slotOf(key);
        }
        table_[slot] = named.sameBefore = named.sameAfter = block;
        return;
    }
    const int last = node(first).sameBefore;
    named.sameBefore = last;
    named.sameAfter = first;
    node(last).sameAfter = node(first).sameBefore = block;
}

void BlockPool::forget(int block) {
    Node& forgotten = node(block);
    forgotten.findable = false;
    std::size_t slot = slotOf(forgotten.key);
    if (forgotten.sameAfter != block) { // others hold the same
        node(forgotten.sameBefore).sameAfter = forgotten.sameAfter;
        node(forgotten.sameAfter).sameBefore = forgotten.sameBefore;
        if (table_[slot] == block) table_[slot] = forgotten.sameAfter;
        return;
    }
    // Linear probing without marks of what was removed: what stands behind the gap moves up where it may (Knuth, TAOCP 3, 6.4, algorithm R).
    std::size_t gap = slot;
    while (true) {
        slot = (slot + 1) & mask_;
        if (table_[slot] < 0) break;
        const std::size_t home = keyOf(table_[slot]) * 0x9e3779b97f4a7c15ULL >> 17U & mask_;
        if (((slot - home) & mask_) >= ((slot - gap) & mask_)) {
            table_[gap] = table_[slot];
            gap = slot;
        }
    }
    table_[gap] = -1;
    --named_;
}

} // namespace orrery
