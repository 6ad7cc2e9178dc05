// SPDX-License-Identifier: GPL-3.0-or-later
// Who sends whom which keys and values: every rank gets exactly what it is to hold, from ranks that hold it.
#include "core/training/job_traffic/cache_traffic.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

namespace orrery::test {
namespace {

CacheHolder holderOf(RandomSource& random, int layers, int firstRank) {
    CacheHolder holder;
    Parallelism& plan = holder.plan;
    plan.tensor = random.pick<int>({1, 2, 4, 8, 16});
    plan.pipeline = random.pick<int>({1, 2, 3});
    plan.context = random.pick<int>({1, 2});
    plan.attentionData = random.pick<int>({1, 2, 4});
    for (int stage = 0; stage < plan.pipeline; ++stage) plan.layout.push_back(layers / plan.pipeline + (stage < layers % plan.pipeline ? 1 : 0));
    holder.ranks.resize(static_cast<std::size_t>(plan.ranks()));
    std::iota(holder.ranks.begin(), holder.ranks.end(), firstRank);
    return holder;
}

/// The share of a sequence that a rank holds.
double held(const CacheHolder& holder, int heads, int layers, std::size_t place) {
    const Parallelism& plan = holder.plan;
    const auto stage = place / static_cast<std::size_t>(plan.tensor * plan.attentionData * plan.context);
    return double(plan.layout[stage]) / layers / plan.context / std::min(heads, plan.tensor);
}

TEST(CacheTraffic, EveryRankGetsWhatItIsToHoldFromThoseThatHoldIt) {
    RandomSource random(11);
    for (int round = 0; round < 300; ++round) {
        Architecture model;
        model.layers = random.pick<int>({16, 31, 61});
        const int layers = static_cast<int>(model.layers);
        model.kvHeads = random.pick<int>({1, 2, 8});
        const bool latent = random.chance(0.2);
        if (latent) model.latent.emplace();
        const int heads = latent ? 1 : static_cast<int>(model.kvHeads);
        const CacheHolder from = holderOf(random, layers, 0), to = holderOf(random, layers, 1000);
        const int fromGroup = static_cast<int>(random.below(static_cast<std::size_t>(from.plan.attentionData))), toGroup = static_cast<int>(random.below(static_cast<std::size_t>(to.plan.attentionData)));
        std::map<int, double> got;
        for (const CachePart& part : cacheParts(model, from, fromGroup, to, toGroup)) {
            EXPECT_GT(part.share, 0);
            const auto sender = static_cast<std::size_t>(part.from), receiver = static_cast<std::size_t>(part.to - 1000);
            EXPECT_EQ(static_cast<int>(sender) / from.plan.tensor % from.plan.attentionData, fromGroup);
            EXPECT_EQ(static_cast<int>(receiver) / to.plan.tensor % to.plan.attentionData, toGroup);
            EXPECT_LE(part.share, held(from, heads, layers, sender) * (1 + 1e-9));
            got[part.to] += part.share;
        }
        EXPECT_EQ(got.size(), to.ranks.size() / static_cast<std::size_t>(to.plan.attentionData));
        for (const auto& [rank, share] : got) EXPECT_NEAR(share, held(to, heads, layers, static_cast<std::size_t>(rank - 1000)), 1e-9);
    }
}

} // namespace
} // namespace orrery::test
