// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/block_pool.hpp"

#include "core/base/expect.hpp"

#include <utility>

namespace orrery {

BlockPool::BlockPool(int blocks, bool prefixCaching, const CacheWindow& window) : count_(blocks), window_(window), caches_(prefixCaching), keepsWhole_(window.share < 1), keepsWindowed_(window.share > 0) {
    if (!caches_) return;
    constexpr int mostAtOnce = 1 << 17; // 4 MiB, which cost nothing before they are used
    nodes_.reserve(static_cast<std::size_t>(std::min(blocks, mostAtOnce)) + 1);
    nodes_.resize(1);
    constexpr std::size_t first = 16;
    table_.assign(first, -1);
    mask_ = first - 1;
}

void BlockPool::unlink(int page) {
    node(node(page).before).after = node(page).after;
    node(node(page).after).before = node(page).before;
}

void BlockPool::append(int page) {
    const int last = node(queueEnd).before;
    node(page).before = last;
    node(page).after = queueEnd;
    node(last).after = node(queueEnd).before = page;
}

/// Room that nobody had yet is taken before that of pages that were given back.
int BlockPool::place() {
    int place = -1;
    while (left(held_, 0, 0) < 0 && node(queueEnd).after != queueEnd) {
        if (place >= 0) vacant_.push_back(place);
        place = node(queueEnd).after;
        unlink(place);
        if (node(place).findable) {
            forget(place);
            if (onEviction && find(keyOf(place)) < 0) onEviction(keyOf(place));
        }
        node(place).key = 0;
        --held_.of(node(place).kind);
    }
    if (place >= 0) return place;
    if (vacant_.empty()) {
        nodes_.emplace_back();
        return static_cast<int>(nodes_.size()) - 2;
    }
    place = vacant_.back();
    vacant_.pop_back();
    return place;
}

void BlockPool::take(PageKind kind, int count, std::vector<int>& table) {
    ORRERY_EXPECT(count >= 0, count);
    inUse_.of(kind) += count;
    if (!caches_) return;
    for (; count > 0; --count) {
        ++held_.of(kind);
        const int page = place();
        node(page).users = 1;
        node(page).kind = kind;
        table.push_back(page);
    }
}

void BlockPool::share(int page) {
    if (node(page).users++ > 0) return;
    unlink(page);
    ++inUse_.of(node(page).kind);
}

void BlockPool::giveBack(PageKind kind, const std::vector<int>& table, int from, int to) {
    ORRERY_EXPECT(0 <= from && from <= to, from, to);
    if (!caches_) { // pages are only counted then, and no table names them
        inUse_.of(kind) -= to - from;
        return;
    }
    ORRERY_EXPECT(to <= static_cast<int>(table.size()), to, table.size());
    int unused = 0;
    for (int i = to - 1; i >= from; --i) {
        const int page = table[static_cast<std::size_t>(i)];
        if (--node(page).users > 0) continue;
        append(page);
        ++unused;
    }
    inUse_.of(kind) -= unused;
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
    for (const int page : old)
        if (page >= 0) table_[slotOf(keyOf(page))] = page;
}

void BlockPool::name(int page, Key key, bool findable) {
    Node& named = node(page);
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
        table_[slot] = named.sameBefore = named.sameAfter = page;
        return;
    }
    const int last = node(first).sameBefore;
    named.sameBefore = last;
    named.sameAfter = first;
    node(last).sameAfter = node(first).sameBefore = page;
}

void BlockPool::forget(int page) {
    Node& forgotten = node(page);
    forgotten.findable = false;
    std::size_t slot = slotOf(forgotten.key);
    if (forgotten.sameAfter != page) { // others hold the same
        node(forgotten.sameBefore).sameAfter = forgotten.sameAfter;
        node(forgotten.sameAfter).sameBefore = forgotten.sameBefore;
        if (table_[slot] == page) table_[slot] = forgotten.sameAfter;
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
