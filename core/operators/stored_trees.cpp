// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/stored_trees.hpp"

#include "core/operators/bytes.hpp"

#include <atomic>
#include <mutex>
#include <utility>

namespace orrery {

struct StoredTrees::Shared {
    std::string bytes; ///< empty: the trees were fitted here
    BoostedTrees trees;
    std::atomic<bool> isDecoded{false};
    std::mutex decoding;
};

StoredTrees::StoredTrees(BoostedTrees trees) : shared_(std::make_shared<Shared>()) {
    shared_->trees = std::move(trees);
    shared_->isDecoded = true;
}

StoredTrees::~StoredTrees() = default;
StoredTrees::StoredTrees(const StoredTrees&) = default;
StoredTrees& StoredTrees::operator=(const StoredTrees&) = default;
StoredTrees::StoredTrees(StoredTrees&&) noexcept = default;
StoredTrees& StoredTrees::operator=(StoredTrees&&) noexcept = default;

std::size_t StoredTrees::columns() const {
    std::string_view bytes = shared_->bytes;
    return bytes.empty() ? shared_->trees.columns() : bytes::take8(bytes);
}

const BoostedTrees& StoredTrees::decode() const {
    Shared& shared = *shared_;
    if (shared.isDecoded.load(std::memory_order_acquire)) return shared.trees;
    const std::lock_guard lock(shared.decoding);
    if (!shared.isDecoded.load(std::memory_order_relaxed)) {
        std::string_view bytes = shared.bytes;
        shared.trees = BoostedTrees::read(bytes);
        shared.isDecoded.store(true, std::memory_order_release);
    }
    return shared.trees;
}

void StoredTrees::write(std::string& to) const {
    if (shared_->bytes.empty()) shared_->trees.write(to);
    else to += shared_->bytes;
}

StoredTrees StoredTrees::read(std::string_view& from) {
    StoredTrees stored;
    stored.shared_->bytes = bytes::take(from, BoostedTrees::storedSize(from));
    stored.shared_->isDecoded = false;
    return stored;
}

} // namespace orrery
