// SPDX-License-Identifier: GPL-3.0-or-later
// What a pattern takes alone, from the few links that can set the time: to the last bit what all its links say.
#include "core/network/transfers/alone_timing.hpp"

#include "core/engine/flow_system.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace orrery {
namespace {

using namespace orrery::test;

/// Seconds of one phase's flows on all links of the cluster, told apart by nothing.
double onAllLinks(const PatternPhase& phase, double bytes, const std::vector<double>& capacities) {
    FlowSystem system(capacities);
    for (const PatternFlows& flows : phase.flows) system.start(0, flows.uses.data(), flows.uses.size(), flows.bytesPerByte * bytes, flows.cap);
    double end = 0;
    for (std::vector<ActivityId> ended; ended.size() < phase.flows.size();) {
        end = system.nextEnd();
        system.advance(end, ended);
    }
    return end;
}

/// Groups of flows, each over links of its own or, where they share, over any.
PatternPhase randomPhase(RandomSource& random, std::size_t links, bool share) {
    PatternPhase phase;
    const std::size_t groups = 2 + random.below(6), each = links / groups;
    for (std::size_t group = 0; group < groups; ++group) {
        PatternFlows flows;
        flows.bytesPerByte = random.pick<double>({1, 1, 0.5, 1 + 1e-15});
        if (random.chance(0.3)) flows.cap = random.pick<double>({20, 40});
        for (std::size_t link = share ? 0 : group * each; link < (share ? links : (group + 1) * each); ++link)
            if (random.chance(0.5)) flows.uses.push_back({static_cast<FlowLink>(link), random.pick<double>({1, 2, 3, 1 / 0.7})});
        if (flows.uses.empty()) flows.uses.push_back({static_cast<FlowLink>(group * each), 1});
        phase.flows.push_back(flows);
    }
    return phase;
}

TEST(AloneTiming, IsWhatAllLinksSayToTheLastBit) {
    RandomSource random(530);
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> capacities(40);
        for (double& capacity : capacities) capacity = random.pick<double>({100, 50, 50, 25.0 / 3});
        TransferPattern pattern;
        pattern.phases.push_back(randomPhase(random, capacities.size(), trial % 2 != 0));
        for (const double bytes : {1.0, 12345.678, 3e9}) EXPECT_EQ(AloneTiming(pattern, capacities).of(bytes).transfer, onAllLinks(pattern.phases.front(), bytes, capacities)) << "trial " << trial;
    }
}

TEST(AloneTiming, OfOneGroupTheHardestLinkCounts) {
    TransferPattern pattern;
    pattern.start = 2;
    pattern.phases = {{0.5, {{{{0, 1}, {1, 3}, {2, 1}, {3, 2}}, 0.5, 70}}}};
    // 50 bytes a flow: 1/100, 3/100, 1/25 and 2/100 of a second each; the cap lets 70 a second through.
    EXPECT_EQ(AloneTiming(pattern, {100, 100, 25, 100}).of(100).time, 2.5 + 50.0 / 25);
    EXPECT_EQ(AloneTiming(pattern, {100, 100, 90, 100}).of(100).time, 2.5 + 50.0 * 3 / 100);
    EXPECT_EQ(AloneTiming(pattern, {1000, 1000, 1000, 1000}).of(100).time, 2.5 + 50.0 / 70);
    EXPECT_EQ(AloneTiming(pattern, {100, 100, 90, 100}).of(100).latency, 2.5);
}

TEST(AloneTiming, PatternsOfOneShapeAreEqualWhereverTheyLie) {
    const auto over = [](FlowLink a, FlowLink b) {
        TransferPattern pattern;
        pattern.phases = {{0.5, {{{{a, 1}, {b, 2}}}}}, {0, {{{{a, 1}}}, {{{b, 1}}}}}, {0, {{{{a, 1}, {b, 1}}}, {{{b, 1}}}}}};
        return pattern;
    };
    const std::vector<double> capacities{100, 50, 100, 50, 10};
    EXPECT_EQ(AloneTiming(over(0, 1), capacities), AloneTiming(over(2, 3), capacities));
    EXPECT_NE(AloneTiming(over(0, 1), capacities), AloneTiming(over(0, 4), capacities));
    TransferPattern later = over(0, 1);
    later.start = 1;
    EXPECT_NE(AloneTiming(over(0, 1), capacities), AloneTiming(later, capacities));
}

} // namespace
} // namespace orrery
