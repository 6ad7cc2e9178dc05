// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/block_pool.hpp"
#include "core/order/serving/engine_settings.hpp"

#include <array>
#include <memory>
#include <vector>

namespace orrery {

/// Blocks of one tier, least recently used first to go, and the way from there to the accelerators, on which loads take turns.
class CacheTier {
public:
    CacheTier(const CacheTierSettings& settings, double blockBytes);

    bool holds(BlockPool::Key key) const { return pool_.find(key) >= 0; }
    /// Takes a block in as the newest; one that it holds becomes the newest.
    void store(BlockPool::Key key);
    /// A block that it holds becomes the newest.
    void touch(BlockPool::Key key);
    /// Loads so many blocks, asked for at `now`; says when they are there, s.
    double load(int blocks, double now);

    const CacheTierSettings settings;
    CacheTier* below = nullptr; ///< gets what this lets go of, where it is written so

private:
    void renew(int page);

    BlockPool pool_;
    double blockSeconds_, freeAt_ = 0;
    std::vector<int> page_;
};

/// The tiers of one instance. A loaded block stays where it was too.
///
/// A tier that is written through gets every block that an instance computes whole and others may look for; one written on eviction what the
/// level above lets go of. What a request finds, and at its end all that it has, is renewed in all tiers, its last block first: beginnings stay for
/// longest, as in SGLang's radix trees, which lose leaves first.
class CacheTiers {
public:
    /// Tiers with room for no block are left out. `shared` takes the place of the shared one.
    CacheTiers(const EngineSettings& settings, std::shared_ptr<CacheTier> shared);

    /// The nearest tier that holds a block, or −1.
    int find(BlockPool::Key key) const;
    const CacheTier& tier(int number) const { return *tiers_[static_cast<std::size_t>(number)]; }
    int size() const { return static_cast<int>(tiers_.size()); }
    bool prefetches() const;
    void computed(BlockPool::Key key);
    void evicted(BlockPool::Key key);
    void touch(BlockPool::Key key);
    double load(int tier, int blocks, double now) { return tiers_[static_cast<std::size_t>(tier)]->load(blocks, now); }

private:
    std::vector<std::shared_ptr<CacheTier>> tiers_;
};

} // namespace orrery
