// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/serving/cache_tiers.hpp"

#include "core/base/expect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

int blocksIn(double bytes, double blockBytes) {
    ORRERY_EXPECT(blockBytes > 0, blockBytes);
    if (!(blockBytes > 0)) return 0;
    return static_cast<int>(std::min<double>(std::floor(bytes / blockBytes), std::numeric_limits<int>::max() / 2));
}

} // namespace

CacheTier::CacheTier(const CacheTierSettings& given, double blockBytes)
    : settings(given), pool_(blocksIn(given.capacity, blockBytes), true), blockSeconds_(given.bandwidth > 0 ? blockBytes / given.bandwidth : 0) {
    pool_.onEviction = [this](BlockPool::Key key) {
        if (below != nullptr && below->settings.writes == TierWrites::on_eviction) below->store(key);
    };
}

void CacheTier::renew(int page) {
    pool_.share(page);
    page_.assign(1, page);
    pool_.giveBack(PageKind::whole, page_, 0, 1);
}

void CacheTier::store(BlockPool::Key key) {
    if (const int page = pool_.find(key); page >= 0) return renew(page);
    page_.clear();
    pool_.take(PageKind::whole, 1, page_);
    pool_.name(page_.front(), key, true);
    pool_.giveBack(PageKind::whole, page_, 0, 1);
}

void CacheTier::touch(BlockPool::Key key) {
    if (const int page = pool_.find(key); page >= 0) renew(page);
}

double CacheTier::load(int blocks, double now) {
    ORRERY_EXPECT(blocks >= 0, blocks);
    freeAt_ = std::max(freeAt_, now) + blocks * blockSeconds_;
    return freeAt_;
}

CacheTiers::CacheTiers(const EngineSettings& settings, std::shared_ptr<CacheTier> shared) {
    for (const CacheTierSettings& tier : settings.tiers) {
        if (blocksIn(tier.capacity, settings.blockBytes) < 1) continue;
        tiers_.push_back(tier.kind == CacheTierKind::shared && shared ? shared : std::make_shared<CacheTier>(tier, settings.blockBytes));
        if (tiers_.size() > 1) tiers_[tiers_.size() - 2]->below = tiers_.back().get();
    }
}

int CacheTiers::find(BlockPool::Key key) const {
    for (int i = 0; i < size(); ++i)
        if (tier(i).holds(key)) return i;
    return -1;
}

bool CacheTiers::prefetches() const {
    return std::any_of(tiers_.begin(), tiers_.end(), [](const auto& tier) { return tier->settings.prefetch; });
}

void CacheTiers::computed(BlockPool::Key key) {
    for (const auto& tier : tiers_)
        if (tier->settings.writes == TierWrites::write_through) tier->store(key);
}

void CacheTiers::evicted(BlockPool::Key key) {
    if (!tiers_.empty() && tiers_.front()->settings.writes == TierWrites::on_eviction) tiers_.front()->store(key);
}

void CacheTiers::touch(BlockPool::Key key) {
    for (const auto& tier : tiers_) tier->touch(key);
}

} // namespace orrery
