// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that slow each other: closed forms of two, and what the definition demands of any program: the work that each task did,
// added up over who ran beside it, is what it is alone.
#include "core/engine/engine.hpp"
#include "tests/core/engine/work_done.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace orrery {
namespace {

constexpr LoadClass compute = 1, collective = 2, send = 3;
constexpr LoadClass classCount = 4;

/// Two that begin `apart` seconds after each other, on one device.
struct Two {
    double first = 0, second = 0; ///< s alone
    double slowsFirst = 1, slowsSecond = 1;
    double apart = 0; ///< s from the first one's start to the second one's
};

/// Until the second begins the first runs alone; then each at its rate until one has ended; then the other alone.
std::pair<double, double> closedForm(const Two& two) {
    if (two.first <= two.apart) return {two.first, two.apart + two.second};
    const double left = two.first - two.apart;
    const double firstBeside = left * two.slowsFirst, secondBeside = two.second * two.slowsSecond;
    if (firstBeside <= secondBeside) return {two.apart + firstBeside, two.apart + firstBeside + (two.second - firstBeside / two.slowsSecond)};
    return {two.apart + secondBeside + (left - secondBeside / two.slowsFirst), two.apart + secondBeside};
}

TEST(Interference, ofTwoIsTheClosedForm) {
    std::mt19937 random(5);
    const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
    for (int i = 0; i < 2000; ++i) {
        const Two two{draw(0.1, 3), draw(0.1, 3), draw(1, 2), draw(1, 2), i % 3 == 0 ? 0 : draw(0, 3.5)};
        Program program;
        const StreamId a = program.addStream(), b = program.addStream(), clock = program.addStream();
        for (const StreamId stream : {a, b, clock}) program.placeStream(stream, 0);
        const TaskId first = program.addTask(a, two.first), wait = program.addTask(clock, two.apart), second = program.addTask(b, two.second);
        program.addDependency(second, wait);
        program.setLoad(first, compute);
        program.setLoad(second, collective);
        program.setSlowdown(compute, collective, two.slowsFirst);
        program.setSlowdown(collective, compute, two.slowsSecond);
        const TaskTimes times = *runProgram(program);
        const auto [firstEnd, secondEnd] = closedForm(two);
        ASSERT_NEAR(times.end[first], firstEnd, 1e-9) << i;
        ASSERT_NEAR(times.end[second], secondEnd, 1e-9) << i;
    }
}

/// Any program: devices of several streams, some streams on two devices, classes and weights at random.
Program randomProgram(std::mt19937& random, bool slows) {
    const auto below = [&](int n) { return static_cast<std::uint32_t>(std::uniform_int_distribution<int>(0, n - 1)(random)); };
    const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
    Program program;
    const std::uint32_t devices = 1 + below(3), streams = devices * (2 + below(3));
    for (std::uint32_t stream = 0; stream < streams; ++stream) {
        program.addStream();
        program.placeStream(stream, stream % devices);
        if (devices > 1 && below(5) == 0) program.placeStream(stream, (stream + 1) % devices);
    }
    if (slows)
        for (LoadClass slowed = 1; slowed < classCount; ++slowed)
            for (LoadClass by = 1; by < classCount; ++by) program.setSlowdown(slowed, by, below(3) == 0 ? 1 : draw(1, 2));
    const std::uint32_t tasks = 3 + below(60);
    for (TaskId task = 0; task < tasks; ++task) {
        program.addTask(below(static_cast<int>(streams)), below(8) == 0 ? 0 : draw(0, 1));
        if (below(6) > 0) program.setLoad(task, static_cast<LoadClass>(1 + below(classCount - 1)), below(3) == 0 ? draw(0, 1) : 1);
        for (std::uint32_t i = below(3); task > 0 && i > 0; --i) program.addDependency(task, below(static_cast<int>(task)));
    }
    return program;
}

TEST(Interference, conservesWorkInAnyProgram) {
    std::mt19937 random(17);
    int slowed = 0;
    for (int i = 0; i < 500; ++i) {
        const Program program = randomProgram(random, true);
        const TaskTimes times = *runProgram(program);
        std::vector<double> ready(program.taskCount(), 0);
        std::vector<double> streamFree(program.streamCount(), 0);
        for (const auto& [before, after] : program.edges()) ready[after] = std::max(ready[after], times.end[before]);
        for (TaskId task = 0; task < program.taskCount(); ++task) {
            double& free = streamFree[program.taskStreams()[task]];
            ASSERT_NEAR(times.start[task], std::max(ready[task], free), 1e-9) << "program " << i << " task " << task;
            ASSERT_NEAR(test::workDone(program, times, task), program.durations()[task], 1e-9) << "program " << i << " task " << task;
            free = times.end[task];
            slowed += times.end[task] - times.start[task] > program.durations()[task] + 1e-6;
        }
    }
    EXPECT_GT(slowed, 3000);
}

TEST(Interference, ofOneChangesNothingToTheLastBit) {
    std::mt19937 random(23);
    for (int i = 0; i < 200; ++i) {
        Program program = randomProgram(random, false);
        const TaskTimes plain = *runProgram(program);
        for (LoadClass slowed = 1; slowed < classCount; ++slowed)
            for (LoadClass by = 1; by < classCount; ++by) program.setSlowdown(slowed, by, 1);
        ASSERT_TRUE(program.interferes());
        const TaskTimes times = *runProgram(program);
        ASSERT_EQ(times.start, plain.start);
        ASSERT_EQ(times.end, plain.end);
    }
}

/// Lasts as long as its number says; tells nobody.
class TimedTransfers : public TransferModel {
public:
    explicit TimedTransfers(double seconds) : seconds_(seconds) {}
    void start(TaskId task, TransferId, double now) override { under_.emplace_back(now + seconds_, task); }
    double nextEvent() override {
        double next = std::numeric_limits<double>::infinity();
        for (const auto& [end, task] : under_) next = std::min(next, end);
        return next;
    }
    void advance(double now, std::vector<TaskId>& ended) override {
        for (const auto& [end, task] : under_)
            if (end <= now) ended.push_back(task);
        std::erase_if(under_, [&](const auto& one) { return one.first <= now; });
    }

private:
    double seconds_;
    std::vector<std::pair<double, TaskId>> under_;
};

TEST(Interference, ofATransferLastsWhileItIsOnItsWay) {
    Program program;
    const StreamId work = program.addStream(), wire = program.addStream();
    program.placeStream(work, 0);
    program.placeStream(wire, 0);
    const TaskId before = program.addTask(work, 1), beside = program.addTask(work, 2), after = program.addTask(work, 1);
    const TaskId transfer = program.addTransfer(wire, 0);
    program.addDependency(transfer, before);
    for (const TaskId task : {before, beside, after}) program.setLoad(task, compute);
    program.setLoad(transfer, collective);
    program.setSlowdown(compute, collective, 1.25);
    program.setSlowdown(collective, compute, 2); // transfers are their model's own affair
    TimedTransfers model(1.5);
    const TaskTimes times = *runProgram(program, {}, &model);
    EXPECT_DOUBLE_EQ(times.end[before], 1);
    EXPECT_DOUBLE_EQ(times.end[transfer], 2.5);
    EXPECT_DOUBLE_EQ(times.end[beside], 1 + 2 + 1.5 * (1 - 1 / 1.25));
    EXPECT_DOUBLE_EQ(times.end[after], times.end[beside] + 1);
}

TEST(Interference, ofSeveralIsTheStrongest) {
    Program program;
    std::vector<TaskId> tasks;
    for (const auto& [load, seconds] : {std::pair{compute, 4.0}, {collective, 1.0}, {send, 3.0}}) {
        const StreamId stream = program.addStream();
        program.placeStream(stream, 7);
        tasks.push_back(program.addTask(stream, seconds));
        program.setLoad(tasks.back(), load);
    }
    program.setSlowdown(compute, collective, 2);
    program.setSlowdown(compute, send, 1.25);
    // One second at 1/2, two at 1/1.25, the rest alone.
    EXPECT_DOUBLE_EQ(runProgram(program)->end[tasks[0]], 3 + (4 - 0.5 - 1.6));
}

} // namespace
} // namespace orrery
