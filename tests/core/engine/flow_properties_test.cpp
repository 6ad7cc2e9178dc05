// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for any flows on any network.

#include "tests/support/max_min_property.hpp"
#include "tests/support/random_flows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace orrery {
namespace {

using namespace orrery::test;

constexpr TopologyFamily families[] = {TopologyFamily::fat_tree, TopologyFamily::leaf_spine, TopologyFamily::random_graph,
                                       TopologyFamily::ring, TopologyFamily::torus, TopologyFamily::dragonfly};

/// Small enough to share out anew at every event; other seeds than the comparison with SimGrid takes.
std::vector<FlowCase> smallCases() {
    std::vector<FlowCase> cases;
    for (std::uint64_t seed = 1000; seed < 1010; ++seed)
        for (const TopologyFamily family : families) cases.push_back(randomFlowCase(family, seed, {10, 200, 150}));
    return cases;
}

/// Between two events rates stand still. So with the finish times given, every interval's rates are a sharing of one moment
/// among those that are under way: it must be max-min fair, and summed over the intervals it must move each flow's bytes.
TEST(FlowProperties, TheBytesOfEveryFlowAreTheSumOfItsRates) {
    for (const FlowCase& given : smallCases()) {
        const std::vector<double> finish = finishTimes(given.capacities, given.flows);
        std::vector<double> events = finish;
        for (const PointFlow& flow : given.flows) events.push_back(flow.start);
        std::sort(events.begin(), events.end());
        std::vector<double> moved(given.flows.size(), 0);
        for (std::size_t e = 1; e < events.size(); ++e) {
            const double from = events[e - 1], to = events[e];
            if (to - from <= 1e-12 * to) continue; // rounding of one and the same event
            std::vector<std::size_t> under;
            std::vector<PointFlow> flows;
            for (std::size_t i = 0; i < finish.size(); ++i)
                if (given.flows[i].start < from + (to - from) / 2 && finish[i] > from + (to - from) / 2) {
                    under.push_back(i);
                    flows.push_back(given.flows[i]);
                }
            const std::vector<FlowDemand> demands = demandsOf(flows);
            const std::vector<double> rates = maxMinRates(given.capacities, demands);
            ASSERT_EQ(whyNotMaxMin(given.capacities, demands, rates), "") << given.what << " from " << from << " s";
            for (std::size_t k = 0; k < under.size(); ++k) moved[under[k]] += rates[k] * (to - from);
        }
        for (std::size_t i = 0; i < moved.size(); ++i)
            ASSERT_NEAR(moved[i] / given.flows[i].bytes, 1, 1e-6) << given.what << ", flow " << i;
    }
}

/// The same case with its links numbered and its flows listed in another order; `flowAt` tells where a flow went.
FlowCase shuffled(const FlowCase& given, std::vector<std::size_t>& flowAt, RandomSource& random) {
    std::vector<FlowLink> linkAt(given.capacities.size());
    std::iota(linkAt.begin(), linkAt.end(), FlowLink{0});
    random.shuffle(linkAt);
    flowAt.resize(given.flows.size());
    std::iota(flowAt.begin(), flowAt.end(), std::size_t{0});
    random.shuffle(flowAt);
    FlowCase other = given;
    for (std::size_t link = 0; link < linkAt.size(); ++link) other.capacities[linkAt[link]] = given.capacities[link];
    for (std::size_t i = 0; i < flowAt.size(); ++i) {
        PointFlow flow = given.flows[i];
        for (FlowLink& link : flow.path) link = linkAt[link];
        random.shuffle(flow.path);
        other.flows[flowAt[i]] = std::move(flow);
    }
    return other;
}

TEST(FlowProperties, TheOrderOfFlowsAndLinksDoesNotMatter) {
    RandomSource random(7);
    for (const FlowCase& given : smallCases()) {
        std::vector<std::size_t> at;
        const FlowCase other = shuffled(given, at, random);
        const std::vector<double> rates = maxMinRates(given.capacities, demandsOf(given.flows));
        const std::vector<double> otherRates = maxMinRates(other.capacities, demandsOf(other.flows));
        const std::vector<double> finish = finishTimes(given.capacities, given.flows);
        const std::vector<double> otherFinish = finishTimes(other.capacities, other.flows);
        for (std::size_t i = 0; i < at.size(); ++i) {
            ASSERT_NEAR(otherRates[at[i]] / rates[i], 1, 1e-9) << given.what << ", flow " << i;
            ASSERT_NEAR(otherFinish[at[i]], finish[i], 1e-9 * finish[i]) << given.what << ", flow " << i;
        }
    }
}

TEST(FlowProperties, TheSameCallGivesTheSameBits) {
    for (const FlowCase& given : smallCases()) ASSERT_EQ(finishTimes(given.capacities, given.flows), finishTimes(given.capacities, given.flows));
}

/// A load of k times the bytes on links k times as fast takes as long; in a time unit k times as long, 1/k.
TEST(FlowProperties, UnitsDoNotMatter) {
    for (const FlowCase& given : smallCases()) {
        const std::vector<double> finish = finishTimes(given.capacities, given.flows);
        for (const double factor : {1e-9, 1e6}) {
            FlowCase larger = given, slower = given;
            for (double& capacity : larger.capacities) capacity *= factor;
            for (double& capacity : slower.capacities) capacity /= factor;
            for (PointFlow& flow : larger.flows) {
                flow.bytes *= factor;
                flow.cap *= factor;
            }
            for (PointFlow& flow : slower.flows) {
                flow.start *= factor;
                flow.cap /= factor;
            }
            const std::vector<double> asLong = finishTimes(larger.capacities, larger.flows);
            const std::vector<double> scaled = finishTimes(slower.capacities, slower.flows);
            for (std::size_t i = 0; i < finish.size(); ++i) {
                ASSERT_NEAR(asLong[i], finish[i], 1e-9 * finish[i]) << given.what << ", flow " << i;
                ASSERT_NEAR(scaled[i] / factor, finish[i], 1e-9 * finish[i]) << given.what << ", flow " << i;
            }
        }
    }
}

/// Demands of several flows a link, whole and halves, as collectives make them.
TEST(FlowProperties, CoupledDemandsAreMaxMinFairToo) {
    RandomSource random(11);
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<double> capacities(random.between(std::size_t{1}, std::size_t{40}));
        for (double& capacity : capacities) capacity = random.chance(0.5) ? 50e9 : random.logBetween(1e9, 900e9);
        std::vector<FlowDemand> demands(random.between(std::size_t{1}, std::size_t{60}));
        for (FlowDemand& demand : demands) {
            for (FlowLink link = 0; link < capacities.size(); ++link)
                if (random.chance(0.2)) demand.uses.push_back({link, 0.5 * static_cast<double>(random.between(std::size_t{1}, std::size_t{16}))});
            if (demand.uses.empty() || random.chance(0.2)) demand.cap = random.logBetween(1e8, 100e9);
        }
        ASSERT_EQ(whyNotMaxMin(capacities, demands, maxMinRates(capacities, demands)), "") << "trial " << trial;
    }
}

/// The check itself must see what is wrong.
TEST(FlowProperties, UnfairRatesAreFound) {
    const std::vector<double> capacities = {100};
    const std::vector<FlowDemand> demands = {{.uses = {{0}}}, {.uses = {{0}}, .cap = 60}};
    EXPECT_EQ(whyNotMaxMin(capacities, demands, {50, 50}), "");
    for (const std::vector<double>& wrong : {std::vector<double>{40, 60}, {60, 40}, {50, 60}, {50, 49}, {10, 10}, {50}})
        EXPECT_NE(whyNotMaxMin(capacities, demands, wrong), "") << wrong[0];
}

} // namespace
} // namespace orrery
