// SPDX-License-Identifier: GPL-3.0-or-later
// The engine against a second implementation: a longest-path solver over the same graph, written here from the definition
// "a task starts when everything before it has ended".
#include "core/engine/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace orrery {
namespace {

/// Longest path to the end of every task, by memoised recursion over predecessors; knows nothing of events or queues.
std::vector<double> longestPaths(const Program& program) {
    const std::size_t count = program.taskCount();
    std::vector<std::vector<TaskId>> before(count);
    std::vector<long> last(program.streamCount(), -1);
    for (TaskId task = 0; task < count; ++task) {
        long& previous = last[program.taskStreams()[task]];
        if (previous >= 0) before[task].push_back(static_cast<TaskId>(previous));
        previous = task;
    }
    for (const auto& [first, second] : program.edges()) before[second].push_back(first);
    std::vector<double> end(count, -1);
    const std::function<double(TaskId)> solve = [&](TaskId task) {
        if (end[task] >= 0) return end[task];
        double start = 0;
        for (TaskId predecessor : before[task]) start = std::max(start, solve(predecessor));
        return end[task] = start + program.durations()[task];
    };
    for (TaskId task = 0; task < count; ++task) solve(task);
    return end;
}

/// A pipeline with uneven stages, transfers with random delays and, now and then, transfers that stop the sender.
Program randomPipeline(std::mt19937& random) {
    const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    const auto seconds = [&](double high) { return std::uniform_real_distribution<double>(0, high)(random); };
    const int stages = draw(1, 8);
    const int microBatches = draw(1, 24);
    const bool blocking = draw(0, 1) == 1;
    const bool delays = draw(0, 2) > 0;
    Program program;
    std::vector<StreamId> compute;
    std::vector<StreamId> link;
    for (int i = 0; i < stages; ++i) {
        compute.push_back(program.addStream());
        link.push_back(program.addStream());
    }
    // 1F1B written out by hand: warm-up, steady state, cool-down.
    struct Entry {
        std::vector<TaskId> forward, backward, sendForward, sendBackward;
    };
    std::vector<Entry> entries(static_cast<std::size_t>(stages));
    for (int stage = 0; stage < stages; ++stage) {
        Entry& entry = entries[static_cast<std::size_t>(stage)];
        const double forwardTime = 0.5 + seconds(1);
        const double backwardTime = 1 + seconds(2);
        const int warmup = std::min(stages - 1 - stage, microBatches);
        TaskId pending = ~TaskId{0};
        const auto run = [&](bool forward) {
            const TaskId task = program.addTask(compute[static_cast<std::size_t>(stage)], forward ? forwardTime : backwardTime);
            if (blocking && pending != ~TaskId{0}) program.addDependency(task, pending);
            const TaskId send = program.addTask(link[static_cast<std::size_t>(stage)], delays ? seconds(0.5) : 0);
            program.addDependency(send, task);
            pending = send;
            (forward ? entry.forward : entry.backward).push_back(task);
            (forward ? entry.sendForward : entry.sendBackward).push_back(send);
        };
        for (int i = 0; i < warmup; ++i) run(true);
        for (int i = warmup; i < microBatches; ++i) {
            run(true);
            run(false);
        }
        for (int i = 0; i < warmup; ++i) run(false);
    }
    for (int stage = 0; stage + 1 < stages; ++stage) {
        const Entry& here = entries[static_cast<std::size_t>(stage)];
        const Entry& next = entries[static_cast<std::size_t>(stage) + 1];
        for (int i = 0; i < microBatches; ++i) {
            const auto at = static_cast<std::size_t>(i);
            program.addDependency(next.forward[at], here.sendForward[at]);
            program.addDependency(here.backward[at], next.sendBackward[at]);
        }
    }
    return program;
}

TEST(Engine, EqualsLongestPathsOn200RandomPipelines) {
    std::mt19937 random(20240721);
    for (int i = 0; i < 200; ++i) {
        const Program program = randomPipeline(random);
        const auto times = runProgram(program);
        ASSERT_TRUE(times);
        const std::vector<double> expected = longestPaths(program);
        for (TaskId task = 0; task < program.taskCount(); ++task)
            ASSERT_NEAR(times->end[task], expected[task], 1e-9 * std::max(1.0, expected[task])) << "pipeline " << i << " task " << task;
        EXPECT_DOUBLE_EQ(times->duration, *std::max_element(expected.begin(), expected.end()));
    }
}

TEST(Engine, RunsAStreamInOrderEvenWhenALaterTaskIsReady) {
    Program program;
    const StreamId a = program.addStream();
    const StreamId b = program.addStream();
    const TaskId slow = program.addTask(a, 5);
    const TaskId waits = program.addTask(b, 1);
    const TaskId ready = program.addTask(b, 1);
    program.addDependency(waits, slow);
    const auto times = runProgram(program);
    ASSERT_TRUE(times);
    EXPECT_EQ(times->start[waits], 5);
    EXPECT_EQ(times->start[ready], 6);
}

TEST(Engine, NamesATaskOfACircle) {
    Program program;
    const StreamId stream = program.addStream();
    const TaskId first = program.addTask(stream, 1);
    const TaskId second = program.addTask(stream, 1);
    program.addDependency(first, second);
    try {
        runProgram(program);
        FAIL() << "a circle must not run";
    } catch (const DeadlockError& error) {
        EXPECT_LE(error.task, second);
    }
}

TEST(Engine, StopsWhenAsked) {
    Program program;
    const StreamId stream = program.addStream();
    for (int i = 0; i < 200000; ++i) program.addTask(stream, 1);
    std::stop_source source;
    int calls = 0;
    RunControl control{source.get_token(), [&](double) { ++calls; source.request_stop(); }, 1};
    EXPECT_FALSE(runProgram(program, control));
    EXPECT_EQ(calls, 1);
}

TEST(Engine, ADurationThatIsNoneIsAFaultAndNoCrash) {
    for (const double duration : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
        Program program;
        const StreamId stream = program.addStream();
        program.addTask(stream, 1);
        program.addTask(stream, duration);
        EXPECT_THROW(runProgram(program), DurationError) << duration;
    }
}

} // namespace
} // namespace orrery
