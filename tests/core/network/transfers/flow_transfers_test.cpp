// SPDX-License-Identifier: GPL-3.0-or-later
// A transfer as the engine sees it: its call's start, then phase by phase a latency and its flows, beside all others.

#include "tests/core/network/transfers/runs.hpp"
#include "tests/support/random_source.hpp"

#include <algorithm>

namespace orrery {
namespace {

using namespace orrery::test;

PatternFlows flowsOver(std::vector<FlowUse> uses, double bytesPerByte = 1, double cap = unlimitedRate) { return {std::move(uses), bytesPerByte, cap}; }

TransferPattern phases(std::vector<PatternPhase> list, double start = 0) {
    TransferPattern pattern;
    pattern.algorithm = "by hand";
    pattern.start = start;
    pattern.phases = std::move(list);
    return pattern;
}

TEST(FlowTransfers, LatencyThenFlowsPhaseByPhase) {
    const std::vector<double> capacities{100, 50};
    const TransferPattern pattern = phases({{0.5, {flowsOver({{0, 1}})}}, {0.25, {flowsOver({{1, 1}}, 0.5)}}, {0, {flowsOver({{0, 2}})}}}, 3);
    // 3 + 0.5 + 100/100 + 0.25 + 50/50 + two flows of 100 over 100
    EXPECT_TRUE(close(endsFrom(capacities, {{&pattern, 100}}, {0})[0], 3 + 0.5 + 1 + 0.25 + 1 + 2));
    EXPECT_TRUE(close(aloneTime(pattern, 100, capacities).time, 7.75));
    EXPECT_TRUE(close(aloneTime(pattern, 100, capacities).latency, 3.75));
    EXPECT_TRUE(close(endsFrom(capacities, {{&pattern, 100}}, {10})[0], 17.75)) << "whenever it starts";
}

TEST(FlowTransfers, NothingIsSharedWhileALatencyRuns) {
    const std::vector<double> capacities{100};
    const TransferPattern now = phases({{0, {flowsOver({{0, 1}})}}}), later = phases({{1, {flowsOver({{0, 1}})}}});
    // The first has the link alone for 1 s; then both share: 100 left and 100 to do.
    const std::vector<double> ends = endsFrom(capacities, {{&now, 200}, {&later, 100}}, {0, 0});
    EXPECT_TRUE(close(ends[0], 3));
    EXPECT_TRUE(close(ends[1], 3));
}

TEST(FlowTransfers, PhasesOfTwoMeetOnOneLinkOnly) {
    const std::vector<double> capacities{100, 100, 100};
    const TransferPattern a = phases({{0, {flowsOver({{0, 1}})}}, {0, {flowsOver({{1, 1}})}}});
    const TransferPattern b = phases({{0, {flowsOver({{2, 1}})}}, {0, {flowsOver({{1, 1}})}}});
    // a: 1 s on link 0, then link 1; b: 200 bytes on link 2 for 2 s, then link 1. a is through with link 1 just as b comes.
    std::vector<double> ends = endsFrom(capacities, {{&a, 100}, {&b, 200}}, {0, 0});
    EXPECT_TRUE(close(ends[0], 2));
    EXPECT_TRUE(close(ends[1], 4));
    // b half a second earlier: a has half a phase alone, then they share; a has 50 left at half rate, b then the rest alone.
    ends = endsFrom(capacities, {{&a, 100}, {&b, 150}}, {0, 0});
    EXPECT_TRUE(close(ends[0], 2.5));
    EXPECT_TRUE(close(ends[1], 1.5 + 1 + 1));
}

TEST(FlowTransfers, APhaseLastsUntilItsSlowestFlowHasEnded) {
    const std::vector<double> capacities{100, 10};
    const TransferPattern pattern = phases({{0, {flowsOver({{0, 1}}), flowsOver({{1, 1}}, 0.5)}}, {0, {flowsOver({{0, 1}})}}});
    EXPECT_TRUE(close(endsFrom(capacities, {{&pattern, 100}}, {0})[0], 5 + 1));
}

// Two transfers whose first phases are of several flows each and end at one moment; the next phases begin in that moment.
TEST(FlowTransfers, PhasesThatEndTogetherAllGoOn) {
    const std::vector<double> capacities{100, 100, 100, 100};
    const auto twoThenOne = [&](FlowLink a, FlowLink b) {
        return phases({{0, {flowsOver({{a, 1}}), flowsOver({{b, 1}})}}, {0, {flowsOver({{a, 1}}), flowsOver({{b, 1}})}}, {0, {flowsOver({{b, 1}})}}});
    };
    const TransferPattern one = twoThenOne(0, 1), other = twoThenOne(2, 3);
    EXPECT_TRUE(close(endsFrom(capacities, {{&one, 100}}, {0})[0], 3));
    for (const double end : endsFrom(capacities, {{&one, 100}, {&other, 100}, {&one, 100}, {&other, 100}}, {0, 0, 0, 0})) EXPECT_TRUE(close(end, 6));
}

// Flows beyond what links carry can neither be lost nor end early: every transfer ends, and not before it would alone.
TEST(FlowTransfers, AnyPhasesAtAnyTimesAllEndAndNoneBeforeItWouldAlone) {
    RandomSource random(29);
    for (int trial = 0; trial < 300; ++trial) {
        const std::vector<double> capacities{100, 100, 50, 200, 100};
        std::vector<TransferPattern> patterns;
        for (int i = 0; i < 6; ++i) {
            std::vector<PatternPhase> list;
            for (std::uint64_t phase = 1 + random.below(4); phase > 0; --phase) {
                std::vector<PatternFlows> flows;
                for (std::uint64_t group = random.below(4); group > 0; --group)
                    flows.push_back(flowsOver({{static_cast<FlowLink>(random.below(5)), 1}}, 0.5 * double(1 + random.below(2))));
                list.push_back({random.chance(0.3) ? 0.5 : 0, std::move(flows)});
            }
            patterns.push_back(phases(std::move(list)));
        }
        std::vector<Transfer> transfers;
        std::vector<double> starts;
        for (int i = 0; i < 12; ++i) {
            transfers.push_back({&patterns[random.below(patterns.size())], 100});
            starts.push_back(0.5 * double(random.below(4)));
        }
        const std::vector<double> ends = endsFrom(capacities, transfers, starts);
        for (std::size_t i = 0; i < ends.size(); ++i)
            ASSERT_GE(ends[i] * (1 + 1e-9), starts[i] + aloneTime(*transfers[i].pattern, 100, capacities).time) << "trial " << trial << ", transfer " << i;
    }
}

TEST(FlowTransfers, ACapHoldsAndLeavesTheRestToOthers) {
    const std::vector<double> capacities{100};
    const TransferPattern slow = phases({{0, {flowsOver({{0, 1}}, 1, 20)}}}), fast = phases({{0, {flowsOver({{0, 1}})}}});
    const std::vector<double> ends = endsFrom(capacities, {{&slow, 100}, {&fast, 80}}, {0, 0});
    EXPECT_TRUE(close(ends[0], 5));
    EXPECT_TRUE(close(ends[1], 1));
}

TEST(FlowTransfers, WithoutBytesLinksOrPhasesOnlyTheLatencyIsLeft) {
    const std::vector<double> capacities{100};
    const TransferPattern empty = phases({}, 2), linkless = phases({{1, {flowsOver({})}}}, 2), flowless = phases({{1, {}}}, 2),
                          twice = phases({{1, {flowsOver({{0, 1}})}}, {3, {flowsOver({{0, 1}})}}});
    const std::vector<double> ends = endsFrom(capacities, {{&empty, 100}, {&linkless, 100}, {&flowless, 100}, {&twice, 0}}, {0, 0, 0, 0});
    EXPECT_EQ(ends, (std::vector<double>{2, 3, 3, 4}));
}

TEST(FlowTransfers, AStretchIsOfAllThatTheTransferTakes) {
    const std::vector<double> capacities{100};
    const TransferPattern pattern = phases({{0.5, {flowsOver({{0, 1}})}}, {0.25, {flowsOver({{0, 2}})}}}, 2), other = phases({{0, {flowsOver({{0, 1}})}}});
    const double alone = 2 + 0.5 + 1 + 0.25 + 2;
    EXPECT_TRUE(close(endsFrom(capacities, {{&pattern, 100}}, {0})[0], alone));
    EXPECT_TRUE(close(endsFrom(capacities, {{&pattern, 100, 1.5}}, {0})[0], 1.5 * alone));
    // Whom it meets is on the link for longer, not slower.
    EXPECT_TRUE(close(endsFrom(capacities, {{&other, 100, 3}, {&other, 100}}, {0, 0})[1], 2));
    EXPECT_TRUE(close(endsFrom(capacities, {{&other, 100, 3}, {&other, 100}}, {0, 0})[0], 4));
}

TEST(FlowTransfers, TheSameTransferOfManyTasksSharesWithItself) {
    Program program;
    const TransferPattern pattern = phases({{0.5, {flowsOver({{0, 1}})}}});
    const std::vector<Transfer> transfers{{&pattern, 100}};
    std::vector<TaskId> tasks;
    const StreamId inOrder = program.addStream();
    for (int i = 0; i < 3; ++i) tasks.push_back(program.addTransfer(inOrder, 0));
    for (int i = 0; i < 4; ++i) tasks.push_back(program.addTransfer(program.addStream(), 0));
    FlowTransfers model({100}, transfers);
    const std::optional<TaskTimes> times = runProgram(program, {}, &model);
    ASSERT_TRUE(times);
    // Five at once end at 0.5 + 5; then the rest of the first stream one by one.
    EXPECT_TRUE(close(times->end[tasks[0]], 5.5));
    for (std::size_t i = 3; i < 7; ++i) EXPECT_TRUE(close(times->end[tasks[i]], 5.5));
    EXPECT_TRUE(close(times->end[tasks[1]], 7));
    EXPECT_TRUE(close(times->end[tasks[2]], 8.5));
    EXPECT_TRUE(close(times->duration, 8.5));
}

TEST(FlowTransfers, TransfersAndComputationWaitForEachOther) {
    Program program;
    const TransferPattern pattern = phases({{0.5, {flowsOver({{0, 1}})}}});
    const std::vector<Transfer> transfers{{&pattern, 100}, {&pattern, 50}};
    const StreamId compute = program.addStream(), network = program.addStream();
    const TaskId first = program.addTask(compute, 2);
    const TaskId send = program.addTransfer(network, 0);
    const TaskId again = program.addTransfer(network, 1);
    const TaskId last = program.addTask(compute, 1);
    program.addDependency(send, first);
    program.addDependency(last, send);
    FlowTransfers model({100}, transfers);
    const std::optional<TaskTimes> times = runProgram(program, {}, &model);
    ASSERT_TRUE(times);
    EXPECT_TRUE(close(times->start[send], 2));
    EXPECT_TRUE(close(times->end[send], 3.5));
    EXPECT_TRUE(close(times->end[last], 4.5));
    EXPECT_TRUE(close(times->end[again], 4.5));
}

TEST(FlowTransfers, AnyPatternAloneTakesItsAloneTimeAndTwiceTheLoadTwiceTheTransfer) {
    RandomSource random(17);
    for (int trial = 0; trial < 40; ++trial) {
        const int D = 1 + static_cast<int>(random.below(4)), g = 1 + static_cast<int>(random.below(6));
        if (D * g < 2) continue;
        Network network(random.chance(0.5) ? oneSwitch(D, g, random.logBetween(1e9, 1e12), 1e-6) : rails(D, g, random.logBetween(1e9, 1e12), 1e-6, true));
        const char* algorithms[] = {"ring", "tree", "nvls"};
        const CollectiveKind kinds[] = {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::all_to_all, CollectiveKind::send_receive,
                                        CollectiveKind::broadcast};
        for (const CollectiveKind kind : kinds)
            for (const char* algorithm : algorithms) {
                const TransferPattern pattern = network.make(network.all(), kind, algorithm);
                const double bytes = random.logBetween(1, 1e10);
                const AloneTime alone = aloneTime(pattern, bytes, network.capacities);
                EXPECT_TRUE(close(endsTogether(network, {{&pattern, bytes}})[0], alone.time));
                // A single phase of one group: on links without caps two of them share every link evenly.
                if (pattern.phases.size() != 1 || pattern.phases[0].flows.size() != 1 || pattern.phases[0].flows[0].cap != unlimitedRate) continue;
                for (const double end : endsTogether(network, {{&pattern, bytes}, {&pattern, bytes}}))
                    EXPECT_TRUE(close(end, alone.latency + 2 * alone.transfer));
            }
    }
}

} // namespace
} // namespace orrery
