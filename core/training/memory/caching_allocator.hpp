// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace orrery {

struct AllocatorOptions {
    /// Grow segments page by page instead of asking for new ones (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True).
    bool expandableSegments = false;
    std::uint64_t capacity = 0; ///< bytes the device can give; 0: no limit
};

/// PyTorch's caching allocator for device memory (c10/cuda/CUDACachingAllocator.cpp, as of PyTorch 2.x). Sizes are rounded up to 512 B.
/// Requests of up to 1 MiB share segments of 2 MiB, larger ones below 10 MiB segments of 20 MiB, the rest get a segment of their
/// own, rounded up to 2 MiB. A request takes the smallest free block that holds it, of equals the one at the lowest address; what
/// is left over is split off when it is of use (512 B among small ones, more than 1 MiB among large ones). Free neighbours join.
/// Nothing goes back to the device before it has nothing left; then all segments without a block in use do.
class CachingAllocator {
public:
    using Block = std::uint32_t;

    explicit CachingAllocator(AllocatorOptions options = {}) : options_(options) {}

    /// Memory for at least `bytes` (more than 0) on a stream: blocks are used again on their own stream only.
    /// Nothing when the device has not enough.
    std::optional<Block> allocate(std::uint64_t bytes, int stream = 0);
    /// Gives a block back that `allocate` gave.
    void free(Block block);

    std::uint64_t allocated() const { return allocated_; } ///< bytes of blocks in use
    std::uint64_t reserved() const { return reserved_; }   ///< bytes taken from the device
    std::uint64_t allocatedPeak() const { return allocatedPeak_; }
    std::uint64_t reservedPeak() const { return reservedPeak_; }
    std::uint64_t sizeOf(Block block) const { return blocks_[block].size; }
    /// Bytes of free blocks; `reserved` is this and `allocated`.
    std::uint64_t cached() const;

    /// Bytes that a request counts: a multiple of 512.
    static std::uint64_t rounded(std::uint64_t bytes);
    /// Bytes of the segment that a request of `rounded` bytes takes from the device when no cached block holds it.
    static std::uint64_t segmentSize(std::uint64_t rounded);

private:
    static constexpr Block none = ~Block{0};

    struct Part {
        std::uint64_t address = 0;
        std::uint64_t size = 0;
        Block before = none, after = none; ///< neighbours of the same segment
        int stream = 0;
        bool small = false;
        bool inUse = false;
    };
    /// A free block, in the order in which they are looked through.
    struct Key {
        int pool; ///< see poolOf
        std::uint64_t size, address;
        Block block;
        auto operator<=>(const Key&) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison for a pointer
    };
    using Keys = std::vector<Key>;
    /// The one segment of a stream and pool that grows.
    struct Growing {
        int stream;
        bool small;
        Block last;
    };

    static int poolOf(int stream, bool small) { return 2 * stream + (small ? 1 : 0); }
    Key keyOf(Block block) const;
    Block newPart(const Part& part);
    void addFree(Block block);
    void removeFree(Block block);
    std::optional<Block> takeBestFit(std::uint64_t size, bool small, int stream);
    std::optional<Block> newSegment(std::uint64_t size, bool small, int stream);
    std::optional<Block> grow(std::uint64_t size, bool small, int stream);
    bool take(std::uint64_t bytes);
    void splitOff(Block block, std::uint64_t size);
    void joinAfter(Block block);
    void releaseCached();

    AllocatorOptions options_;
    std::vector<Part> blocks_;
    std::vector<Block> unused_; ///< of `blocks_`
    Keys free_;                 ///< in order: neighbours join, so there are few
    std::vector<Growing> growing_;
    std::uint64_t nextAddress_ = 0;
    std::uint64_t allocated_ = 0, reserved_ = 0, allocatedPeak_ = 0, reservedPeak_ = 0;
};

} // namespace orrery
