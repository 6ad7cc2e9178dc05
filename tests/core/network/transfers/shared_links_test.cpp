// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that share links, each with a clock and numbers of its own: together they are one run of all that they start.
#include "core/engine/engine.hpp"
#include "core/network/transfers/flow_transfers.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace orrery::test {
namespace {

/// A flow over some of the links.
TransferPattern over(std::vector<FlowUse> uses, double latency) {
    TransferPattern pattern;
    PatternFlows flows;
    flows.uses = std::move(uses);
    pattern.phases.push_back({latency, {flows}});
    return pattern;
}

/// Tasks on two streams, some of them transfers, the second stream waiting now and then for the first.
struct RandomProgram {
    Program program;
    std::deque<TransferPattern> patterns;
    std::vector<Transfer> transfers;

    explicit RandomProgram(RandomSource& random) {
        const StreamId streams[] = {program.addStream(), program.addStream()};
        std::optional<TaskId> other;
        for (int i = 0; i < 30; ++i) {
            const StreamId stream = streams[random.below(2)];
            TaskId task;
            if (random.chance(0.6)) {
                const auto first = static_cast<FlowLink>(random.below(3));
                patterns.push_back(over({{first, 1}, {first + 1, random.between(0.5, 2.0)}}, random.chance(0.5) ? 0 : random.between(0.0, 0.2)));
                transfers.push_back({&patterns.back(), random.between(1.0, 50.0)});
                task = program.addTransfer(stream, static_cast<TransferId>(transfers.size() - 1));
            } else {
                task = program.addTask(stream, random.between(0.0, 2.0));
            }
            if (other && random.chance(0.3)) program.addDependency(task, *other);
            other = task;
        }
    }
};

TEST(SharedLinks, RunsBesideEachOtherAreOneRunOfTheirSum) {
    RandomSource random(3);
    const std::vector<double> capacities{10, 7, 12, 5};
    for (int round = 0; round < 100; ++round) {
        const RandomProgram a(random), b(random);
        Program both;
        std::vector<Transfer> transfers;
        std::vector<TaskId> first;
        for (const RandomProgram* one : {&a, &b}) {
            first.push_back(both.append(one->program, static_cast<TransferId>(transfers.size())));
            transfers.insert(transfers.end(), one->transfers.begin(), one->transfers.end());
        }
        FlowTransfers model(capacities, transfers);
        const TaskTimes together = *runProgram(both, {}, &model);

        SharedLinks links(capacities);
        std::deque<ProgramRun> runs;
        for (const RandomProgram* one : {&a, &b}) {
            SharedLinks::Share& share = links.join();
            for (const Transfer& transfer : one->transfers) share.add(transfer);
            runs.emplace_back(one->program, 0.0, &share);
        }
        for (;;) {
            ProgramRun& next = runs[0].nextEvent() <= runs[1].nextEvent() ? runs[0] : runs[1];
            if (next.nextEvent() == std::numeric_limits<double>::infinity()) break;
            next.advance();
        }
        for (std::size_t run = 0; run < 2; ++run) {
            const TaskTimes& times = runs[run].times();
            for (std::size_t task = 0; task < times.end.size(); ++task)
                EXPECT_NEAR(times.end[task], together.end[first[run] + task], 1e-9 * together.duration) << "round " << round << " run " << run << " task " << task;
        }
    }
}

TEST(SharedLinks, ARunMayBeginLaterThanAnother) {
    RandomSource random(4);
    const RandomProgram one(random);
    SharedLinks links({10, 7, 12, 5});
    SharedLinks::Share& share = links.join();
    for (const Transfer& transfer : one.transfers) share.add(transfer);
    std::vector<TaskTimes> times;
    double begin = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        ProgramRun run(one.program, begin, &share);
        while (run.nextEvent() < std::numeric_limits<double>::infinity()) run.advance();
        times.push_back(run.times());
        for (std::size_t task = 0; task < times[0].end.size(); ++task) EXPECT_NEAR(times.back().end[task] - begin, times[0].end[task], 1e-9 * times[0].duration);
        begin = times.back().duration;
    }
}

} // namespace
} // namespace orrery::test
