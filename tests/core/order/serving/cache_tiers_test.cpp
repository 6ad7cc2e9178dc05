// SPDX-License-Identifier: GPL-3.0-or-later
// Tiers below the accelerators' memory: who finds what, and how long it takes to come.
#include "core/order/serving/serving_metrics.hpp"
#include "tests/core/order/serving/serving_workloads.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace orrery::test {
namespace {

constexpr double blockBytes = 1000;

CacheTierSettings tierOf(CacheTierKind kind, int blocks, TierWrites writes, double blocksPerSecond = 1e6) {
    return {kind, blocks * blockBytes, blocksPerSecond * blockBytes, writes, false};
}

/// Requests so far apart that each is alone, of prompts that begin alike; a hash a token, the last token nobody else's.
RequestList lonely(RandomSource& random, int count, int longest) {
    RequestList list;
    list.hashBlockSize = 1;
    std::map<std::pair<std::uint64_t, int>, std::uint64_t> names;
    std::uint64_t newest = 0;
    for (int i = 0; i < count; ++i) {
        Request request;
        request.arrival = i * 100.0;
        request.input = wholeBetween(random, 2, longest);
        std::uint64_t path = 0;
        for (int token = 0; token + 1 < request.input; ++token) {
            std::uint64_t& name = names[{path, random.chance(0.75) ? 0 : wholeBetween(random, 1, 2)}];
            if (name == 0) name = ++newest;
            request.hashes.push_back(path = name);
        }
        request.hashes.push_back(++newest);
        list.requests.push_back(std::move(request));
    }
    return list;
}

EngineSettings smallEngine(int blocks, std::vector<CacheTierSettings> tiers) {
    EngineSettings engine;
    engine.blockSize = 1;
    engine.blocks = blocks;
    engine.blockBytes = blockBytes;
    engine.tiers = std::move(tiers);
    return engine;
}

/// SGLang's radix tree with HiCache written through, a token a page, step by step (sglang/srt/mem_cache/hiradix_cache.py): a prompt but its last
/// token is matched on the device and from there on the host; what the host has is loaded back, the rest computed and written to the host. Either
/// level loses leaves, the least recently matched first: the device none of the path in work, the host none that the device has.
class RadixOracle {
public:
    RadixOracle(int device, int host) : device_(device), host_(host) {}

    /// Tokens found on device and host.
    std::pair<int, int> serve(const std::vector<std::uint64_t>& path) {
        ++now_;
        const std::size_t matchable = path.size() - 1;
        std::size_t onDevice = 0;
        while (onDevice < matchable && nodes_[path[onDevice]].device) ++onDevice;
        std::size_t onHost = onDevice;
        while (onHost < matchable && nodes_[path[onHost]].host) ++onHost;
        for (std::size_t i = 0; i < path.size(); ++i) {
            nodes_[path[i]].parent = i == 0 ? 0 : path[i - 1];
            nodes_[path[i]].used = now_;
        }
        for (std::size_t i = onDevice; i < path.size(); ++i) put(path[i], &Node::device, device_, [&](const Node& node) { return node.used < now_; });
        for (std::size_t i = onHost; i < path.size(); ++i)
            if (!nodes_[path[i]].host) put(path[i], &Node::host, host_, [](const Node& node) { return !node.device; });
        return {static_cast<int>(onDevice), static_cast<int>(onHost - onDevice)};
    }

private:
    struct Node {
        std::uint64_t parent = 0;
        int used = 0;
        bool device = false, host = false;
    };
    template <typename May>
    void put(std::uint64_t name, bool Node::*level, int room, May may) {
        int held = 0;
        for (const auto& [other, node] : nodes_) held += int{node.*level};
        if (held == room) {
            std::map<std::uint64_t, int> children;
            for (const auto& [other, node] : nodes_)
                if (node.*level) ++children[node.parent];
            Node* oldest = nullptr;
            for (auto& [other, node] : nodes_)
                if (node.*level && children.count(other) == 0 && may(node) && (!oldest || node.used < oldest->used)) oldest = &node;
            ASSERT_NE(oldest, nullptr);
            oldest->*level = false;
        }
        nodes_[name].*level = true;
    }

    int device_, host_, now_ = 0;
    std::map<std::uint64_t, Node> nodes_;
};

TEST(CacheTiers, AHostTierIsSglangsRadixTreeWithHiCache) {
    RandomSource random(71);
    int fromHost = 0;
    for (int run = 0; run < 40; ++run) {
        const int longest = wholeBetween(random, 4, 12), device = longest + wholeBetween(random, 0, 20), host = device + longest + wholeBetween(random, 0, 30);
        const RequestList requests = lonely(random, 60, longest);
        const MadeUpClock clock;
        const auto outcome = serve(requests, oneEngine(smallEngine(device, {tierOf(CacheTierKind::host, host, TierWrites::write_through)}), clock));
        RadixOracle oracle(device, host);
        for (std::size_t i = 0; i < requests.requests.size(); ++i) {
            const auto [onDevice, onHost] = oracle.serve(requests.requests[i].hashes);
            const RequestRecord& record = outcome->log.records[i];
            ASSERT_EQ(record.tierTokens[0], onHost) << "run " << run << ", request " << i;
            ASSERT_EQ(record.cachedTokens, onDevice + onHost) << "run " << run << ", request " << i;
            fromHost += onHost;
        }
    }
    EXPECT_GT(fromHost, 1000);
}

TEST(CacheTiers, MoreTiersNeverFindLess) {
    RandomSource random(72);
    int more = 0;
    for (int run = 0; run < 60; ++run) {
        const int longest = wholeBetween(random, 4, 12), device = longest + wholeBetween(random, 0, 6);
        const RequestList requests = lonely(random, 60, longest);
        const MadeUpClock clock;
        const auto writes = [&] { return random.chance(0.5) ? TierWrites::write_through : TierWrites::on_eviction; };
        const std::vector<CacheTierSettings> all{tierOf(CacheTierKind::host, wholeBetween(random, 1, 30), writes()), tierOf(CacheTierKind::disk, wholeBetween(random, 1, 60), writes()),
                                                 tierOf(CacheTierKind::shared, wholeBetween(random, 1, 90), writes())};
        std::vector<int> before(requests.requests.size(), 0);
        for (std::size_t count = 0; count <= all.size(); ++count) {
            const auto outcome = serve(requests, oneEngine(smallEngine(device, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}), clock));
            for (std::size_t i = 0; i < before.size(); ++i) {
                const RequestRecord& record = outcome->log.records[i];
                ASSERT_GE(record.cachedTokens, before[i]) << "run " << run << ", request " << i << ", tiers " << count;
                ASSERT_LE(std::accumulate(record.tierTokens.begin(), record.tierTokens.end(), 0), record.cachedTokens);
                more += int{record.cachedTokens > before[i]};
                before[i] = record.cachedTokens;
            }
        }
    }
    EXPECT_GT(more, 500);
}

/// Two prompts that have no room together, one after the other and the first again.
RequestList threeInTurn() {
    RequestList requests;
    requests.hashBlockSize = 1;
    const auto prompt = [](std::uint64_t first) {
        std::vector<std::uint64_t> hashes(10);
        std::iota(hashes.begin(), hashes.end(), first);
        return hashes;
    };
    requests.requests = {{0, 11, 1, 0, prompt(1)}, {100, 11, 1, 0, prompt(101)}, {200, 11, 1, 0, prompt(1)}};
    return requests;
}

TEST(CacheTiers, BlocksTakeTheirBytesOverTheBandwidth) {
    const RequestList requests = threeInTurn();
    const MadeUpClock clock;
    for (const TierWrites writes : {TierWrites::write_through, TierWrites::on_eviction}) {
        const auto outcome = serve(requests, oneEngine(smallEngine(12, {tierOf(CacheTierKind::host, 40, writes, 5)}), clock));
        const RequestRecord& again = outcome->log.records[2];
        ASSERT_EQ(again.cachedTokens, 10);
        const int loaded = again.tierTokens[0];
        ASSERT_GE(loaded, 9); // a page was free all the while
        EXPECT_NEAR(again.loading, loaded / 5.0, 1e-9);
        EXPECT_NEAR(again.firstToken - 200, loaded / 5.0 + clock.seconds({{}, 1, 10, 0}), 1e-9);
        EXPECT_EQ(outcome->log.records[0].loading, 0);
    }
    const auto without = serve(requests, oneEngine(smallEngine(12, {}), clock));
    EXPECT_LE(without->log.records[2].cachedTokens, 1);
}

TEST(CacheTiers, WhatIsPrefetchedComesWhileARequestWaits) {
    RequestList requests = threeInTurn();
    Request other = requests.requests.back(); // takes the engine as the last one comes
    other.arrival = 199.99;
    other.input = 1000;
    other.hashes.clear();
    other.output = 10;
    requests.requests.insert(requests.requests.begin() + 2, other);
    const MadeUpClock clock;
    const auto last = [&](bool prefetch) {
        EngineSettings engine = smallEngine(1010, {tierOf(CacheTierKind::host, 2000, TierWrites::write_through, 5)});
        engine.maxSeqs = 1;
        engine.tiers.front().prefetch = prefetch;
        return serve(requests, oneEngine(engine, clock))->log.records[3];
    };
    const RequestRecord late = last(false), early = last(true);
    ASSERT_GT(late.tierTokens[0], 0);
    EXPECT_EQ(early.tierTokens, late.tierTokens);
    EXPECT_NEAR(late.loading, late.tierTokens[0] / 5.0, 1e-9);
    EXPECT_NEAR(early.loading, std::max(0.0, late.loading - (early.admitted - 200)), 1e-9);
    EXPECT_LT(early.loading, late.loading);
}

TEST(CacheTiers, InstancesFindInASharedTierWhatOthersComputed) {
    RequestList requests = threeInTurn();
    requests.requests.erase(requests.requests.begin() + 1);
    const MadeUpClock clock;
    ServingSettings settings;
    const auto found = [&](CacheTierKind kind) {
        settings.instances.assign(2, {smallEngine(100, {tierOf(kind, 40, TierWrites::write_through)}), &clock, InstanceRole::both});
        return serve(requests, settings)->log.records[1].cachedTokens;
    };
    EXPECT_EQ(found(CacheTierKind::host), 0);
    EXPECT_EQ(found(CacheTierKind::shared), 10);
}

TEST(CacheTiers, RunsOfLikeStepsAreWhatTheyAreStepByStep) {
    RandomSource random(73);
    for (int run = 0; run < 150; ++run) {
        RandomCase made = randomCase(random);
        made.engine.prefixCaching = true;
        made.engine.blockBytes = blockBytes;
        made.engine.tiers = {tierOf(CacheTierKind::host, wholeBetween(random, 1, 60), random.chance(0.5) ? TierWrites::write_through : TierWrites::on_eviction, 500)};
        if (random.chance(0.5)) made.engine.tiers.push_back(tierOf(CacheTierKind::disk, wholeBetween(random, 1, 90), random.chance(0.5) ? TierWrites::write_through : TierWrites::on_eviction, 50));
        made.engine.tiers.front().prefetch = random.chance(0.3);
        const MadeUpClock clock;
        ServingSettings settings = oneEngine(made.engine, clock);
        const auto fast = serve(made.requests, settings);
        settings.stepByStep = true;
        const auto slow = serve(made.requests, settings);
        for (std::size_t i = 0; i < made.requests.requests.size(); ++i) {
            const RequestRecord &a = fast->log.records[i], &b = slow->log.records[i];
            ASSERT_EQ(a.finish, b.finish) << "run " << run;
            ASSERT_EQ(a.tierTokens, b.tierTokens);
            if (a.isCompleted()) {
                ASSERT_LE(a.loading, a.prefillSeconds() + 1e-9);
            }
        }
    }
}

} // namespace
} // namespace orrery::test
