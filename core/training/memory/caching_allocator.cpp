// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/memory/caching_allocator.hpp"

#include <algorithm>

namespace orrery {
namespace {

// Sizes of PyTorch's allocator: c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize to kRoundLarge, as of PyTorch 2.x.
constexpr std::uint64_t kibibyte = 1024, mebibyte = 1024 * kibibyte;
constexpr std::uint64_t smallestBlock = 512;
constexpr std::uint64_t largestSmall = 1 * mebibyte; ///< request of the small pool
constexpr std::uint64_t smallSegment = 2 * mebibyte;
constexpr std::uint64_t largeSegment = 20 * mebibyte;
constexpr std::uint64_t ownSegmentFrom = 10 * mebibyte; ///< requests from here on get a segment of their own
constexpr std::uint64_t ownSegmentStep = 2 * mebibyte;
constexpr std::uint64_t addressGap = std::uint64_t{1} << 44; ///< between growing segments: they never touch

std::uint64_t roundedUp(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

} // namespace

std::uint64_t CachingAllocator::rounded(std::uint64_t bytes) { return std::max(smallestBlock, roundedUp(bytes, smallestBlock)); }

std::uint64_t CachingAllocator::segmentSize(std::uint64_t rounded) {
    if (rounded <= largestSmall) return smallSegment;
    if (rounded < ownSegmentFrom) return largeSegment;
    return roundedUp(rounded, ownSegmentStep);
}

CachingAllocator::Key CachingAllocator::keyOf(Block block) const {
    const Part& part = blocks_[block];
    return {poolOf(part.stream, part.small), part.size, part.address, block};
}

void CachingAllocator::addFree(Block block) {
    const Key key = keyOf(block);
    free_.insert(std::lower_bound(free_.begin(), free_.end(), key), key);
}

void CachingAllocator::removeFree(Block block) { free_.erase(std::lower_bound(free_.begin(), free_.end(), keyOf(block))); }

CachingAllocator::Block CachingAllocator::newPart(const Part& part) {
    if (unused_.empty()) {
        blocks_.push_back(part);
        return static_cast<Block>(blocks_.size() - 1);
    }
    const Block block = unused_.back();
    unused_.pop_back();
    blocks_[block] = part;
    return block;
}

std::optional<CachingAllocator::Block> CachingAllocator::allocate(std::uint64_t bytes, int stream) {
    const std::uint64_t size = rounded(bytes);
    const bool small = size <= largestSmall;
    std::optional<Block> found = takeBestFit(size, small, stream);
    if (!found) found = options_.expandableSegments ? grow(size, small, stream) : newSegment(size, small, stream);
    if (!found) return std::nullopt;
    const std::uint64_t left = blocks_[*found].size - size;
    const bool splits = small || options_.expandableSegments ? left >= smallestBlock : left > largestSmall;
    if (splits) splitOff(*found, size);
    blocks_[*found].inUse = true;
    allocated_ += blocks_[*found].size;
    allocatedPeak_ = std::max(allocatedPeak_, allocated_);
    return found;
}

std::optional<CachingAllocator::Block> CachingAllocator::takeBestFit(std::uint64_t size, bool small, int stream) {
    const int pool = poolOf(stream, small);
    const auto fit = std::lower_bound(free_.begin(), free_.end(), Key{pool, size, 0, 0});
    if (fit == free_.end() || fit->pool != pool) return std::nullopt;
    const Block block = fit->block;
    free_.erase(fit);
    return block;
}

bool CachingAllocator::take(std::uint64_t bytes) {
    const auto enough = [&] { return options_.capacity == 0 || reserved_ + bytes <= options_.capacity; };
    if (!enough()) releaseCached();
    if (!enough()) return false;
    reserved_ += bytes;
    reservedPeak_ = std::max(reservedPeak_, reserved_);
    return true;
}

std::optional<CachingAllocator::Block> CachingAllocator::newSegment(std::uint64_t size, bool small, int stream) {
    const std::uint64_t segment = segmentSize(size);
    if (!take(segment)) return std::nullopt;
    Part part;
    part.address = nextAddress_;
    part.size = segment;
    part.stream = stream;
    part.small = small;
    nextAddress_ += segment;
    return newPart(part);
}

/// Lengthens the stream's one segment by whole pages until its end holds the request.
std::optional<CachingAllocator::Block> CachingAllocator::grow(std::uint64_t size, bool small, int stream) {
    auto growing = std::find_if(growing_.begin(), growing_.end(), [&](const Growing& g) { return g.stream == stream && g.small == small; });
    if (growing == growing_.end()) {
        growing_.push_back({stream, small, none});
        growing = std::prev(growing_.end());
    }
    const auto endIsFree = [&] { return growing->last != none && !blocks_[growing->last].inUse; };
    const auto missing = [&] { return roundedUp(size - (endIsFree() ? blocks_[growing->last].size : 0), small ? smallSegment : largeSegment); };
    // What makes room may take the free end itself.
    if (options_.capacity != 0 && reserved_ + missing() > options_.capacity) releaseCached();
    const std::uint64_t pages = missing();
    if (!take(pages)) return std::nullopt;
    if (endIsFree()) {
        removeFree(growing->last);
        blocks_[growing->last].size += pages;
        return growing->last;
    }
    Part part;
    part.size = pages;
    part.stream = stream;
    part.small = small;
    part.before = growing->last;
    part.address = growing->last == none ? nextAddress_ : blocks_[growing->last].address + blocks_[growing->last].size;
    if (growing->last == none) nextAddress_ += addressGap;
    const Block added = newPart(part);
    if (part.before != none) blocks_[part.before].after = added;
    growing->last = added;
    return added;
}

void CachingAllocator::splitOff(Block block, std::uint64_t size) {
    Part rest = blocks_[block];
    rest.address += size;
    rest.size -= size;
    rest.before = block;
    rest.inUse = false;
    const Block added = newPart(rest);
    blocks_[block].size = size;
    blocks_[block].after = added;
    if (rest.after != none) blocks_[rest.after].before = added;
    for (Growing& growing : growing_)
        if (growing.last == block) growing.last = added;
    addFree(added);
}

void CachingAllocator::free(Block block) {
    allocated_ -= blocks_[block].size;
    blocks_[block].inUse = false;
    const Block before = blocks_[block].before, after = blocks_[block].after;
    if (after != none && !blocks_[after].inUse) {
        removeFree(after);
        joinAfter(block);
    }
    if (before != none && !blocks_[before].inUse) {
        removeFree(before);
        joinAfter(before);
        block = before;
    }
    addFree(block);
}

/// Adds the block's next neighbour to it.
void CachingAllocator::joinAfter(Block block) {
    const Block gone = blocks_[block].after;
    blocks_[block].size += blocks_[gone].size;
    blocks_[block].after = blocks_[gone].after;
    if (blocks_[block].after != none) blocks_[blocks_[block].after].before = block;
    for (Growing& growing : growing_)
        if (growing.last == gone) growing.last = block;
    unused_.push_back(gone);
}

void CachingAllocator::releaseCached() {
    for (auto at = free_.begin(); at != free_.end();) {
        const Part& part = blocks_[at->block];
        const bool wholeSegment = part.before == none && part.after == none;
        const auto growing = std::find_if(growing_.begin(), growing_.end(), [&](const Growing& g) { return g.last == at->block; });
        // A growing segment gives its free end back; a segment of its own only as a whole.
        if (!wholeSegment && growing == growing_.end()) {
            ++at;
            continue;
        }
        reserved_ -= part.size;
        if (growing != growing_.end()) growing->last = part.before;
        if (part.before != none) blocks_[part.before].after = none;
        unused_.push_back(at->block);
        at = free_.erase(at);
    }
}

std::uint64_t CachingAllocator::cached() const {
    std::uint64_t bytes = 0;
    for (const Key& key : free_) bytes += key.size;
    return bytes;
}

} // namespace orrery
