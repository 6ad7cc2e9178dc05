// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/scheduler.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace orrery {

void Scheduler::attachTiers(std::shared_ptr<CacheTier> shared) {
    if (!pool.caches() || pool.keeps(PageKind::windowed)) return;
    tiers_ = std::make_unique<CacheTiers>(settings, std::move(shared));
    if (tiers_->size() == 0) return tiers_.reset();
    pool.onEviction = [this](BlockPool::Key key) { tiers_->evicted(key); };
}

/// Behind what the accelerators hold, block by block as far as any tier goes on.
void Scheduler::findInTiers(int request, int blocks) {
    for (int block = static_cast<int>(hits_.whole.size()); block < blocks; ++block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, PageKind::whole, findable);
        const int tier = findable ? tiers_->find(key) : -1;
        if (tier < 0) return;
        tierHits_.push_back(tier);
    }
}

void Scheduler::loadFromTiers(int request, int first, int end) {
    Prefetched ahead;
    if (const auto known = prefetched_.find(request); known != prefetched_.end()) {
        ahead = known->second;
        prefetched_.erase(known);
    }
    std::array<int, cacheTierKindCount> loads{};
    for (int block = first; block < end; ++block) {
        const int tier = tierHits_[static_cast<std::size_t>(block - first)];
        if (tiers_->tier(tier).settings.prefetch && block >= ahead.first && block < ahead.end) plan_->loaded = std::max(plan_->loaded, ahead.until);
        else ++loads[static_cast<std::size_t>(tier)];
    }
    for (int tier = 0; tier < tiers_->size(); ++tier)
        if (const int blocks = loads[static_cast<std::size_t>(tier)]; blocks > 0) plan_->loaded = std::max(plan_->loaded, tiers_->load(tier, blocks, now_));
    touchInTiers(request, end);
}

void Scheduler::touchInTiers(int request, int blocks) {
    for (int block = blocks - 1; block >= 0; --block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, PageKind::whole, findable);
        if (findable) tiers_->touch(key);
    }
}

/// The last one first, so that it is the first to go.
void Scheduler::nameInTiers(int request, int first, int end) {
    for (int block = end - 1; block >= first; --block) {
        bool findable = false;
        const BlockPool::Key key = keyOf(request, block, PageKind::whole, findable);
        if (findable) tiers_->computed(key);
    }
}

void Scheduler::prefetch(int request, double now) {
    if (!tiers_ || !tiers_->prefetches()) return;
    cachedBlocks(request);
    Prefetched ahead;
    ahead.first = ahead.end = static_cast<int>(hits_.whole.size());
    std::array<int, cacheTierKindCount> loads{};
    for (const int tier : tierHits_) {
        ++ahead.end;
        if (tiers_->tier(tier).settings.prefetch) ++loads[static_cast<std::size_t>(tier)];
    }
    for (int tier = 0; tier < tiers_->size(); ++tier)
        if (const int blocks = loads[static_cast<std::size_t>(tier)]; blocks > 0) ahead.until = std::max(ahead.until, tiers_->load(tier, blocks, now));
    if (ahead.until > 0) prefetched_[request] = ahead;
}

} // namespace orrery
