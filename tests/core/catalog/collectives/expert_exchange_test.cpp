// SPDX-License-Identifier: GPL-3.0-or-later
// How often a token leaves a rank on its way to its experts: closed forms against every possible choice, and against routings drawn at
// random and walked through, rank by rank.
#include "core/catalog/collectives/expert_exchange.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace orrery {
namespace {

using test::RandomSource;

/// All ways to choose `k` of 0 … n − 1.
std::vector<std::vector<int>> allChoices(int n, int k) {
    std::vector<std::vector<int>> all;
    std::vector<bool> taken(static_cast<std::size_t>(n), false);
    std::fill_n(taken.begin(), k, true);
    do {
        std::vector<int> one;
        for (int i = 0; i < n; ++i)
            if (taken[static_cast<std::size_t>(i)]) one.push_back(i);
        all.push_back(one);
    } while (std::prev_permutation(taken.begin(), taken.end()));
    return all;
}

/// The chance counted over every choice of groups and, of their experts, of experts.
double countedChance(const Routing& routing, int held) {
    const int each = routing.experts / routing.groups;
    double hits = 0, ways = 0;
    for (const std::vector<int>& groups : allChoices(routing.groups, routing.groupsPerToken)) {
        std::vector<int> open;
        for (const int group : groups)
            for (int i = 0; i < each; ++i) open.push_back(group * each + i);
        for (const std::vector<int>& chosen : allChoices(static_cast<int>(open.size()), routing.perToken)) {
            ++ways;
            for (const int place : chosen)
                if (open[static_cast<std::size_t>(place)] < held) {
                    ++hits;
                    break;
                }
        }
    }
    return hits / ways;
}

TEST(VisitChance, IsTheShareOfAllChoices) {
    for (const Routing& routing : {Routing{8, 2, 1, 1}, Routing{8, 3, 1, 1}, Routing{12, 2, 4, 2}, Routing{12, 4, 3, 2}, Routing{16, 3, 4, 3}, Routing{8, 8, 1, 1}})
        for (int held = 0; held <= routing.experts; ++held)
            EXPECT_NEAR(visitChance(routing, held), countedChance(routing, held), 1e-12) << routing.experts << ' ' << routing.groups << ' ' << held;
}

// DeepSeek-V3: 8 of 256 experts in 4 of 8 groups. By hand: with a group on each of 8 nodes a token goes to at most 4, and misses a
// chosen one with C(96, 8)/C(128, 8).
TEST(VisitChance, OfNodeLimitedRoutingIsBoundByItsGroups) {
    const Routing deepSeek{256, 8, 8, 4};
    double miss = 1;
    for (int i = 0; i < 8; ++i) miss *= (96.0 - i) / (128 - i);
    EXPECT_NEAR(8 * visitChance(deepSeek, 32), 4 * (1 - miss), 1e-12);
    EXPECT_LT(8 * visitChance(deepSeek, 32), 4);
    // Without the groups the same eight experts lie on 5.3 of 8 nodes.
    EXPECT_NEAR(8 * visitChance({256, 8, 1, 1}, 32), 5.29, 0.01);
}

TEST(ExchangeForm, WithOneExpertPerTokenIsThePairwiseExchange) {
    // Every token goes to one rank: (n − 1)/n leave, (n − g)/n of them the domain, and those cross the other domain's ports again unless
    // they arrive where they belong: together D (g − 1)/n per token.
    for (const int domains : {1, 2, 4}) {
        const ExchangeForm form = exchangeForm({64, 1, 1, 1}, 32, domains);
        const double n = 32, g = n / domains;
        EXPECT_NEAR(form.ranks, 1, 1e-12);
        EXPECT_NEAR(form.out, (n - g) / n, 1e-12);
        EXPECT_NEAR(form.up, domains * (g - 1) / n, 1e-12);
    }
}

/// Walks drawn tokens of every rank to their experts and counts what leaves and what enters each rank on both levels.
struct Walked {
    double up = 0, out = 0, ranks = 0; ///< per token
    bool sentIsReceived = true;
};

Walked walk(RandomSource& random, const Routing& routing, int ranks, int domains, int tokens) {
    const int members = ranks / domains, held = routing.experts / ranks, each = routing.experts / routing.groups;
    std::vector<int> sent(static_cast<std::size_t>(ranks), 0), received = sent;
    Walked walked;
    const auto draw = [&](int n, int k) {
        std::vector<int> all(static_cast<std::size_t>(n));
        std::iota(all.begin(), all.end(), 0);
        for (int i = 0; i < k; ++i) std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i) + random.below(static_cast<std::uint64_t>(n - i))]);
        all.resize(static_cast<std::size_t>(k));
        return all;
    };
    const auto send = [&](int from, int to, double& level) {
        ++sent[static_cast<std::size_t>(from)];
        ++received[static_cast<std::size_t>(to)];
        ++level;
    };
    for (int rank = 0; rank < ranks; ++rank)
        for (int token = 0; token < tokens; ++token) {
            std::vector<int> open;
            for (const int group : draw(routing.groups, routing.groupsPerToken))
                for (int i = 0; i < each; ++i) open.push_back(group * each + i);
            std::set<int> visited;
            for (const int place : draw(static_cast<int>(open.size()), routing.perToken)) visited.insert(open[static_cast<std::size_t>(place)] / held);
            walked.ranks += double(visited.size());
            std::set<int> reached;
            for (const int to : visited) {
                const int domain = to / members, gate = domain * members + rank % members;
                if (domain != rank / members && reached.insert(domain).second) send(rank, gate, walked.out);
                if (to != gate) send(gate, to, walked.up);
            }
        }
    const double all = double(ranks) * tokens;
    walked.up /= all;
    walked.out /= all;
    walked.ranks /= all;
    walked.sentIsReceived = std::accumulate(sent.begin(), sent.end(), 0) == std::accumulate(received.begin(), received.end(), 0);
    return walked;
}

TEST(ExchangeForm, IsWhatRandomRoutingsSend) {
    RandomSource random(20261120);
    for (int trial = 0; trial < 20; ++trial) {
        const int groups = random.pick(std::vector<int>{1, 1, 2, 4, 8});
        const int experts = random.pick(std::vector<int>{32, 64, 128, 256});
        const int chosen = groups == 1 ? 1 : 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(groups)));
        const int perToken = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(std::min(8, experts / groups * chosen))));
        const Routing routing{experts, perToken, groups, chosen};
        const int ranks = random.pick(std::vector<int>{8, 16, 32}), domains = random.pick(std::vector<int>{1, 2, 4, 8});
        const int tokens = 20000 / ranks;
        const ExchangeForm form = exchangeForm(routing, ranks, domains);
        const Walked walked = walk(random, routing, ranks, domains, tokens);
        SCOPED_TRACE(std::to_string(experts) + " experts, " + std::to_string(perToken) + " a token, groups " + std::to_string(chosen) + "/" +
                     std::to_string(groups) + ", ranks " + std::to_string(ranks) + " in " + std::to_string(domains));
        EXPECT_TRUE(walked.sentIsReceived);
        // Counts of at most 8 a token over 20,000: five standard errors of their mean.
        const double slack = 5 * 2.0 / std::sqrt(20000.0);
        EXPECT_NEAR(walked.ranks, form.ranks, slack);
        EXPECT_NEAR(walked.up, form.up, slack);
        EXPECT_NEAR(walked.out, form.out, slack);
        // Never more than a row for each expert, never less than to one rank.
        EXPECT_LE(form.ranks, std::min(perToken, ranks) + 1e-12);
        EXPECT_GE(form.ranks, 1 - 1e-12);
    }
}

} // namespace
} // namespace orrery
