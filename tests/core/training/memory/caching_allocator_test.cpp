// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch's caching allocator: the rules its source states, a second implementation by lists, and what must hold of any run.
#include "core/training/memory/caching_allocator.hpp"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <random>

namespace orrery {
namespace {

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB;

TEST(CachingAllocator, RoundsRequestsTo512Bytes) {
    EXPECT_EQ(CachingAllocator::rounded(1), 512u);
    EXPECT_EQ(CachingAllocator::rounded(512), 512u);
    EXPECT_EQ(CachingAllocator::rounded(513), 1024u);
    EXPECT_EQ(CachingAllocator::rounded(MiB), MiB);
}

TEST(CachingAllocator, SegmentsAreOf2MiBOf20MiBOrOfTheirOwnSize) {
    EXPECT_EQ(CachingAllocator::segmentSize(512), 2 * MiB);
    EXPECT_EQ(CachingAllocator::segmentSize(MiB), 2 * MiB);
    EXPECT_EQ(CachingAllocator::segmentSize(MiB + 512), 20 * MiB);
    EXPECT_EQ(CachingAllocator::segmentSize(10 * MiB - 512), 20 * MiB);
    EXPECT_EQ(CachingAllocator::segmentSize(10 * MiB), 10 * MiB);
    EXPECT_EQ(CachingAllocator::segmentSize(10 * MiB + 512), 12 * MiB);
}

TEST(CachingAllocator, SmallRequestsShareASegmentAndLargeOnesDoNotEnterIt) {
    CachingAllocator allocator;
    for (int i = 0; i < 4; ++i) allocator.allocate(512 * KiB);
    EXPECT_EQ(allocator.reserved(), 2 * MiB);
    allocator.allocate(512 * KiB);
    EXPECT_EQ(allocator.reserved(), 4 * MiB);
    allocator.allocate(MiB + 1);
    EXPECT_EQ(allocator.reserved(), 24 * MiB);
}

TEST(CachingAllocator, KeepsWhatIsFreedAndUsesItAgain) {
    CachingAllocator allocator;
    const auto block = *allocator.allocate(30 * MiB);
    allocator.free(block);
    EXPECT_EQ(allocator.allocated(), 0u);
    EXPECT_EQ(allocator.reserved(), 30 * MiB);
    allocator.allocate(30 * MiB);
    EXPECT_EQ(allocator.reserved(), 30 * MiB);
    allocator.allocate(30 * MiB, 1); // another stream has none of it
    EXPECT_EQ(allocator.reserved(), 60 * MiB);
}

TEST(CachingAllocator, LeavesALargeRestUnsplitWhenItIsNoMoreThan1MiB) {
    CachingAllocator allocator;
    allocator.free(*allocator.allocate(30 * MiB));
    const auto block = *allocator.allocate(29 * MiB);
    EXPECT_EQ(allocator.sizeOf(block), 30 * MiB);
    EXPECT_EQ(allocator.allocated(), 30 * MiB);
    allocator.free(block);
    EXPECT_EQ(allocator.sizeOf(*allocator.allocate(29 * MiB - 512)), 29 * MiB - 512);
}

TEST(CachingAllocator, TakesTheSmallestBlockThatHolds) {
    CachingAllocator allocator;
    const auto large = *allocator.allocate(64 * MiB), small = *allocator.allocate(32 * MiB);
    allocator.free(large);
    allocator.free(small);
    allocator.allocate(31 * MiB);
    EXPECT_TRUE(allocator.allocate(64 * MiB));
    EXPECT_EQ(allocator.reserved(), 96 * MiB);
}

TEST(CachingAllocator, JoinsFreeNeighbours) {
    CachingAllocator allocator;
    const auto whole = *allocator.allocate(90 * MiB);
    allocator.free(whole);
    const auto a = *allocator.allocate(30 * MiB), b = *allocator.allocate(30 * MiB), c = *allocator.allocate(30 * MiB);
    allocator.free(a);
    allocator.free(c);
    allocator.free(b);
    allocator.allocate(90 * MiB);
    EXPECT_EQ(allocator.reserved(), 90 * MiB);
}

TEST(CachingAllocator, FragmentsAsBlocksThatDontFitAreKept) {
    CachingAllocator allocator;
    allocator.free(*allocator.allocate(40 * MiB));
    allocator.allocate(48 * MiB);
    EXPECT_EQ(allocator.reservedPeak(), 88 * MiB);
    EXPECT_EQ(allocator.allocatedPeak(), 48 * MiB);
}

TEST(CachingAllocator, ReleasesWhatIsCachedBeforeItFails) {
    CachingAllocator allocator({false, 100 * MiB});
    allocator.free(*allocator.allocate(60 * MiB));
    const auto block = allocator.allocate(80 * MiB);
    ASSERT_TRUE(block);
    EXPECT_EQ(allocator.reserved(), 80 * MiB);
    EXPECT_EQ(allocator.reservedPeak(), 80 * MiB);
    EXPECT_FALSE(allocator.allocate(40 * MiB));
    EXPECT_EQ(allocator.allocated(), 80 * MiB);
}

TEST(CachingAllocator, MakingRoomMayTakeTheFreeEndThatWasToGrow) {
    AllocatorOptions options;
    options.expandableSegments = true;
    options.capacity = 150 * MiB;
    CachingAllocator allocator(options);
    const auto kept = *allocator.allocate(40 * MiB);
    allocator.free(*allocator.allocate(40 * MiB));
    allocator.free(*allocator.allocate(40 * MiB, 1));
    // 60 MiB behind the free 40 would be too much: all that is cached goes back, and 100 MiB are taken behind what is kept.
    const auto large = *allocator.allocate(90 * MiB);
    EXPECT_EQ(allocator.sizeOf(kept), 40 * MiB);
    EXPECT_EQ(allocator.sizeOf(large), 90 * MiB);
    EXPECT_EQ(allocator.allocated(), 130 * MiB);
    EXPECT_EQ(allocator.reserved(), 140 * MiB);
    allocator.free(kept);
    allocator.free(large);
    EXPECT_EQ(allocator.allocated(), 0u);
    EXPECT_EQ(allocator.cached(), 140 * MiB);
}

TEST(CachingAllocator, ExpandableSegmentsGrowInsteadOfLeavingHoles) {
    CachingAllocator allocator({true, 0});
    allocator.free(*allocator.allocate(40 * MiB));
    allocator.allocate(60 * MiB);
    EXPECT_EQ(allocator.reserved(), 60 * MiB); // 40 there and one page of 20 more
    allocator.allocate(30 * MiB);
    EXPECT_EQ(allocator.reserved(), 100 * MiB);
}

/// The same rules over plain lists, searched from end to end.
class ListAllocator {
public:
    explicit ListAllocator(bool expandable) : expandable_(expandable) {}

    int allocate(std::uint64_t bytes, int stream) {
        const std::uint64_t size = std::max<std::uint64_t>(512, (bytes + 511) / 512 * 512);
        const bool small = size <= MiB;
        Segment* segment = nullptr;
        std::list<Piece>::iterator best;
        for (Segment& candidate : segments_) {
            if (candidate.stream != stream || candidate.small != small) continue;
            for (auto piece = candidate.pieces.begin(); piece != candidate.pieces.end(); ++piece)
                if (piece->owner < 0 && piece->size >= size && (!segment || piece->size < best->size)) {
                    segment = &candidate;
                    best = piece;
                }
        }
        if (!segment) {
            if (expandable_) {
                for (Segment& candidate : segments_)
                    if (candidate.stream == stream && candidate.small == small) segment = &candidate;
                if (!segment) segment = &segments_.emplace_back(Segment{stream, small, {}});
                const std::uint64_t page = small ? 2 * MiB : 20 * MiB;
                if (segment->pieces.empty() || segment->pieces.back().owner >= 0) segment->pieces.push_back({0, -1});
                while (segment->pieces.back().size < size) {
                    segment->pieces.back().size += page;
                    reserved += page;
                }
            } else {
                const std::uint64_t whole = small ? 2 * MiB : size < 10 * MiB ? 20 * MiB
                                                                              : (size + 2 * MiB - 1) / (2 * MiB) * (2 * MiB);
                segment = &segments_.emplace_back(Segment{stream, small, {{whole, -1}}});
                reserved += whole;
            }
            best = std::prev(segment->pieces.end());
        }
        const std::uint64_t rest = best->size - size;
        if (small || expandable_ ? rest >= 512 : rest > MiB) {
            best->size = size;
            segment->pieces.insert(std::next(best), {rest, -1});
        }
        best->owner = next_;
        allocated += best->size;
        return next_++;
    }

    void free(int owner) {
        for (Segment& segment : segments_) {
            for (Piece& piece : segment.pieces)
                if (piece.owner == owner) {
                    piece.owner = -1;
                    allocated -= piece.size;
                }
            for (auto piece = segment.pieces.begin(); piece != segment.pieces.end();) {
                const auto after = std::next(piece);
                if (after != segment.pieces.end() && piece->owner < 0 && after->owner < 0) {
                    piece->size += after->size;
                    segment.pieces.erase(after);
                } else {
                    ++piece;
                }
            }
        }
    }

    std::uint64_t allocated = 0, reserved = 0;

private:
    struct Piece {
        std::uint64_t size;
        int owner;
    };
    struct Segment {
        int stream;
        bool small;
        std::list<Piece> pieces;
    };
    bool expandable_;
    std::list<Segment> segments_;
    int next_ = 0;
};

class RandomRequests : public testing::TestWithParam<int> {};

TEST_P(RandomRequests, GiveWhatTheListsGiveAndLoseNothing) {
    std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()));
    const bool expandable = GetParam() % 2 == 1;
    CachingAllocator allocator({expandable, 0});
    ListAllocator lists(expandable);
    std::vector<std::pair<CachingAllocator::Block, int>> alive;
    std::uint64_t sizes = 0, largest = 0;
    for (int step = 0; step < 400; ++step) {
        if (!alive.empty() && random() % 5 < 2) {
            const std::size_t which = random() % alive.size();
            sizes -= allocator.sizeOf(alive[which].first);
            allocator.free(alive[which].first);
            lists.free(alive[which].second);
            alive[which] = alive.back();
            alive.pop_back();
        } else {
            const std::uint64_t scale[] = {2000, 700 * KiB, 8 * MiB, 60 * MiB};
            const std::uint64_t bytes = 1 + random() % scale[random() % 4];
            const int stream = static_cast<int>(random() % 2);
            const auto block = allocator.allocate(bytes, stream);
            ASSERT_TRUE(block);
            EXPECT_GE(allocator.sizeOf(*block), bytes);
            EXPECT_EQ(allocator.sizeOf(*block) % 512, 0u);
            alive.emplace_back(*block, lists.allocate(bytes, stream));
            sizes += allocator.sizeOf(*block);
        }
        largest = std::max(largest, sizes);
        ASSERT_EQ(allocator.reserved(), lists.reserved) << step;
        ASSERT_EQ(allocator.allocated(), lists.allocated) << step;
        ASSERT_EQ(allocator.allocated(), sizes);
        ASSERT_EQ(allocator.allocated() + allocator.cached(), allocator.reserved());
        ASSERT_EQ(allocator.allocatedPeak(), largest);
        ASSERT_GE(allocator.reservedPeak(), largest);
    }
    for (const auto& [block, owner] : alive) allocator.free(block);
    EXPECT_EQ(allocator.allocated(), 0u);
    EXPECT_EQ(allocator.cached(), allocator.reserved());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRequests, testing::Range(0, 40));

} // namespace
} // namespace orrery
