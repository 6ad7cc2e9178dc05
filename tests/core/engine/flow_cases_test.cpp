// SPDX-License-Identifier: GPL-3.0-or-later
// Shares and finish times that can be worked out on paper.

#include "core/engine/flow_system.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

constexpr double gb = 1e9;

void expectNear(const std::vector<double>& found, const std::vector<double>& wanted, double unit = 1) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i] / unit, wanted[i], 1e-9 * (1 + wanted[i])) << "at " << i;
}

TEST(SharedLink, HalvesForTwoFlows) {
    expectNear(maxMinRates({100 * gb}, {{.uses = {{0}}}, {.uses = {{0}}}}), {50, 50}, gb);
    // 100 GB and 200 GB: half each until the first is through at 2 s, then 100 GB are left at the full rate.
    expectNear(finishTimes({100 * gb}, {{.bytes = 100 * gb, .path = {0}}, {.bytes = 200 * gb, .path = {0}}}), {2, 3});
}

TEST(SharedLink, SlowsWhileAThirdFlowIsThere) {
    // Two at 50 for 0.5 s (25 GB each), three at 33.3 for 0.75 s (25 GB each), two at 50 for the 50 GB left.
    const std::vector<PointFlow> flows = {{.bytes = 100 * gb, .path = {0}},
                                          {.bytes = 100 * gb, .path = {0}},
                                          {.start = 0.5, .bytes = 25 * gb, .path = {0}}};
    expectNear(finishTimes({100 * gb}, flows), {2.25, 2.25, 1.25});
}

TEST(SharedLink, SplitsByDemand) {
    // 200 GB/s of NVLink; one side can only take 40.
    expectNear(maxMinRates({200 * gb}, {{.uses = {{0}}}, {.uses = {{0}}, .cap = 40 * gb}}), {160, 40}, gb);
    expectNear(finishTimes({200 * gb}, {{.bytes = 160 * gb, .path = {0}}, {.bytes = 40 * gb, .path = {0}, .cap = 40 * gb}}), {1, 1});
}

TEST(SharedLink, IgnoresACapAboveTheFairShare) {
    expectNear(maxMinRates({200 * gb}, {{.uses = {{0}}}, {.uses = {{0}}, .cap = 150 * gb}}), {100, 100}, gb);
}

TEST(SharedLink, CountsAFlowAsOftenAsItCrosses) {
    // Three crossings of the 100 GB/s, two of them by the first flow.
    expectNear(maxMinRates({100 * gb}, {{.uses = {{0, 2}}}, {.uses = {{0}}}}), {100.0 / 3, 100.0 / 3}, gb);
    expectNear(finishTimes({100 * gb, 500 * gb}, {{.bytes = 100 * gb, .path = {0, 1, 0}}, {.bytes = 100 * gb, .path = {0}}}), {3, 3});
    expectNear(finishTimes({100 * gb}, {{.bytes = 100 * gb, .path = {0, 0}}}), {2});
}

TEST(SharedLink, LeavesToOthersWhatABottleneckElsewhereKeepsFromOne) {
    // Bertsekas and Gallager's kind of example: a long flow over both links, one local flow on each.
    expectNear(maxMinRates({30 * gb, 100 * gb}, {{.uses = {{0}, {1}}}, {.uses = {{0}}}, {.uses = {{1}}}}), {15, 15, 85}, gb);
}

TEST(CoupledFlows, RunAtTheRateOfTheirSlowestLink) {
    // A ring over links of 100, 25 and 100 GB/s takes 25 on each; whoever shares a fast link has the other 75.
    const std::vector<FlowDemand> demands = {{.uses = {{0}, {1}, {2}}}, {.uses = {{0}}}, {.uses = {{2}}}};
    expectNear(maxMinRates({100 * gb, 25 * gb, 100 * gb}, demands), {25, 75, 75}, gb);
}

TEST(CoupledFlows, TakeOneShareForEachOfTheirFlows) {
    // Three of its flows and one other on a link: a quarter each, so the group's link carries 75 for it.
    expectNear(maxMinRates({100 * gb, 90 * gb}, {{.uses = {{0, 3}, {1}}}, {.uses = {{0}}}}), {25, 25}, gb);
    // Half of a flow, as when two ways share it evenly, weighs half: 50 = 0.5 r + r.
    expectNear(maxMinRates({50 * gb}, {{.uses = {{0, 0.5}}}, {.uses = {{0}}}}), {100.0 / 3, 100.0 / 3}, gb);
}

TEST(CoupledFlows, FreeTheirFastLinksWhenTheirSlowOneFills) {
    // At 0.5 s another flow comes to the slow link 1: the ring falls from 40 to 20, the neighbour on link 0 rises from 60 to 80.
    const std::vector<double> capacities = {100 * gb, 40 * gb};
    const std::vector<PointFlow> flows = {{.bytes = 40 * gb, .path = {0, 1}},
                                          {.bytes = 70 * gb, .path = {0}},
                                          {.start = 0.5, .bytes = 20 * gb, .path = {1}}};
    expectNear(finishTimes(capacities, flows), {1.5, 1.0, 1.5});
}

TEST(FinishTimes, AreAtOnceForNothingToSend) {
    expectNear(finishTimes({100 * gb}, {{.start = 0.25, .bytes = 0, .path = {0}}, {.bytes = 100 * gb, .path = {0}}}), {0.25, 1});
    expectNear(finishTimes({100 * gb}, {{.start = 3, .bytes = 0, .path = {0}}}), {3});
    EXPECT_TRUE(finishTimes({100 * gb}, {}).empty());
}

TEST(FinishTimes, WithoutLinksFollowTheCapAlone) {
    expectNear(finishTimes({}, {{.start = 1, .bytes = 10 * gb, .path = {}, .cap = 5 * gb}, {.start = 2, .bytes = 10 * gb, .path = {}}}), {3, 2});
    expectNear(maxMinRates({}, {{.uses = {}, .cap = 5 * gb}}), {5}, gb);
}

TEST(FinishTimes, StartAfreshAfterAPause) {
    expectNear(finishTimes({10 * gb}, {{.start = 5, .bytes = 10 * gb, .path = {0}}, {.start = 100, .bytes = 5 * gb, .path = {0}}}), {6, 100.5});
}

TEST(FinishTimes, HandOverAtTheVeryMomentThatOneEnds) {
    expectNear(finishTimes({10 * gb}, {{.bytes = 10 * gb, .path = {0}}, {.start = 1, .bytes = 10 * gb, .path = {0}}}), {1, 2});
}

} // namespace
} // namespace orrery
