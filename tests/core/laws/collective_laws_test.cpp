// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of single collectives on the cluster where they run: the library's choice is the best it has there, and a better network is never slower.
#include "core/network/transfers/pattern_maker.hpp"
#include "core/training/job_traffic/collective_choice.hpp"
#include "core/training/job_traffic/job_traffic.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "tests/core/laws/law_plans.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::test {
namespace {

constexpr CollectiveKind kinds[]{CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all, CollectiveKind::send_receive};

/// A cluster of a random chip whose leaves' up-links may be thin, with a network as stated.
Json anyCluster(RandomSource& random, const Json& plan) {
    Json document = plan;
    const int domain = document["cluster"]["accelerators_per_node"].get<int>();
    document["cluster"]["scale_up"] = {{"bandwidth_gb_s", random.logBetween(50, 1800)}, {"latency_us", random.between(0.5, 3.0)}, {"domain_size", domain * (1 << random.below(3))}};
    document["cluster"]["scale_out"] = {{"bandwidth_gb_s", random.logBetween(5, 200)}, {"latency_us", random.between(2.0, 10.0)}};
    if (random.chance(0.4)) document["cluster"]["scale_out"]["oversubscription"] = random.pick<double>({1.5, 2.0, 4.0});
    return document;
}

/// Every so many ranks of the cluster.
std::vector<int> anyRanks(RandomSource& random, int all) {
    const int stride = 1 << random.below(4);
    std::vector<int> ranks;
    for (int rank = 0; rank < all; rank += stride) ranks.push_back(rank);
    if (ranks.size() > 3 && random.chance(0.3)) ranks.pop_back(); // domains of unequal numbers
    return ranks;
}

struct Asked {
    Json document;
    std::vector<int> ranks;
    CollectiveKind kind = CollectiveKind::all_reduce;
    double bytes = 0;
};

template <typename Visit> void eachAsked(std::uint64_t seed, Visit visit) {
    RandomSource random = lawSource(seed);
    for (const Json& plan : soundPlans(seed, plansOfEveryChip)) {
        Asked asked{anyCluster(random, plan), {}, random.pick<CollectiveKind>({std::begin(kinds), std::end(kinds)}), std::exp2(random.between(10.0, 33.0))};
        const auto scenario = readPlan(asked.document);
        if (!scenario) continue;
        asked.ranks = anyRanks(random, scenario->cluster.accelerators());
        if (asked.ranks.size() >= 2) visit(*scenario, asked);
    }
}

std::string nameOf(const Asked& asked) { return described(asked.document) + std::to_string(asked.ranks.size()) + " ranks, collective " + std::to_string(static_cast<int>(asked.kind)) + " of " + std::to_string(asked.bytes); }

TEST(CollectiveLaws, AChoiceIsTheFastestWhereItRuns) {
    Law law("no other way that the library has is faster on the network as it is");
    eachAsked(931, [&](const Scenario& scenario, const Asked& asked) {
        RoutedFabric fabric(scenario.cluster);
        PatternMaker maker(fabric.router());
        const double chosen = runLoneCollective(scenario, asked.ranks, asked.kind, asked.bytes).time;
        for (const CollectiveOption& option : collectiveOptions(scenario, libraryQuestion(scenario, fabric.router(), asked.ranks, asked.kind), asked.bytes)) {
            const double time = aloneTime(maker.make(asked.ranks, option.request), asked.bytes, fabric.capacities()).time;
            law.atLeast(time, chosen, 1e-9, [&] { return option.request.algorithm + " " + option.request.protocol + ": " + nameOf(asked); });
        }
    });
    law.settle(2 * plansOfEveryChip);
}

TEST(CollectiveLaws, ABetterNetworkIsNeverSlower) {
    Law law("a collective alone is never slower on a better network");
    eachAsked(932, [&](const Scenario& scenario, const Asked& asked) {
        const double before = runLoneCollective(scenario, asked.ranks, asked.kind, asked.bytes).time;
        for (const auto& [figure, factor] : {std::pair("/cluster/scale_up/bandwidth_gb_s", 1.1), std::pair("/cluster/scale_out/bandwidth_gb_s", 1.1), std::pair("/cluster/scale_up/latency_us", 0.7), std::pair("/cluster/scale_out/latency_us", 0.7)}) {
            Json better = asked.document;
            Json& value = better[Json::json_pointer(figure)];
            value = value.get<double>() * factor;
            const auto changed = readPlan(better);
            if (changed) law.atLeast(before, runLoneCollective(*changed, asked.ranks, asked.kind, asked.bytes).time, 1e-9, [&, figure = figure] { return std::string(figure) + ": " + nameOf(asked); });
        }
    });
    law.settle(2 * plansOfEveryChip);
}

} // namespace
} // namespace orrery::test
