// SPDX-License-Identifier: GPL-3.0-or-later
// A toy engine that serves requests by continuous batching (Orca, Yu et al., OSDI 2022), on a program that grows while it runs: is that
// enough? Judged by a second implementation, a plain loop over steps that knows nothing of tasks or events.
#include "core/engine/engine.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <vector>

namespace orrery::test {
namespace {

struct Request {
    double arrival = 0;         ///< s
    int prompt = 1, output = 1; ///< tokens
};

/// What a step takes, s: its launch, and every token it computes.
struct StepCost {
    double launch = 0.01, perToken = 0.001;
    std::size_t mostTogether = 4; ///< requests
    double of(int tokens) const { return launch + perToken * tokens; }
};

/// When each request's first and last token is there, s.
struct Served {
    std::vector<double> first, last;
};

/// Requests that run together, and those that wait for a place: a request joins when a step begins and leaves when its last token is made.
class Batch {
public:
    Batch(const std::vector<Request>& requests, const StepCost& cost) : requests_(requests), cost_(cost), made_(requests.size(), 0) {
        served_.first.assign(requests.size(), 0);
        served_.last.assign(requests.size(), 0);
    }
    void wait(std::size_t request) { waiting_.push_back(request); }
    bool isEmpty() const { return waiting_.empty() && together_.empty(); }
    /// Begins a step; gives what it takes, s.
    double begin() {
        while (!waiting_.empty() && together_.size() < cost_.mostTogether) {
            together_.push_back(waiting_.front());
            waiting_.pop_front();
        }
        int tokens = 0;
        for (const std::size_t request : together_) tokens += made_[request] == 0 ? requests_[request].prompt : 1;
        return cost_.of(tokens);
    }
    void end(double now) {
        for (const std::size_t request : together_) {
            if (++made_[request] == 1) served_.first[request] = now;
            if (made_[request] == requests_[request].output) served_.last[request] = now;
        }
        std::erase_if(together_, [&](std::size_t request) { return made_[request] == requests_[request].output; });
    }
    const Served& served() const { return served_; }

private:
    const std::vector<Request>& requests_;
    StepCost cost_;
    std::deque<std::size_t> waiting_;
    std::vector<std::size_t> together_;
    std::vector<int> made_; ///< tokens, by request
    Served served_;
};

/// Serves on the engine: a step is a task that is added when the step before it has ended, or when a request finds nothing under way.
class ContinuousBatching : public WorkSource {
public:
    ContinuousBatching(const std::vector<Request>& requests, const StepCost& cost, StreamId stream) : requests_(requests), batch_(requests, cost), stream_(stream) {}

    void ended(TaskId, double now, Program& program) override {
        batch_.end(now);
        isRunning_ = false;
        takeArrivals(now); // who arrives as a step ends takes part in the next
        beginStep(program);
    }
    double nextWake() override { return arrived_ < requests_.size() ? requests_[arrived_].arrival : std::numeric_limits<double>::infinity(); }
    void wake(double now, Program& program) override {
        takeArrivals(now);
        beginStep(program);
    }
    const Served& served() const { return batch_.served(); }

private:
    void takeArrivals(double now) {
        while (arrived_ < requests_.size() && requests_[arrived_].arrival <= now) batch_.wait(arrived_++);
    }
    void beginStep(Program& program) {
        if (isRunning_ || batch_.isEmpty()) return;
        program.addTask(stream_, batch_.begin());
        isRunning_ = true;
    }

    const std::vector<Request>& requests_;
    Batch batch_;
    StreamId stream_;
    std::size_t arrived_ = 0;
    bool isRunning_ = false;
};

/// The same by a loop: a clock, and a step after the other.
Served servedByALoop(const std::vector<Request>& requests, const StepCost& cost) {
    Served served{std::vector<double>(requests.size(), 0), std::vector<double>(requests.size(), 0)};
    std::vector<int> left;
    for (const Request& request : requests) left.push_back(request.output);
    std::vector<std::size_t> running;
    std::size_t next = 0;
    double now = 0;
    while (next < requests.size() || !running.empty()) {
        if (running.empty() && requests[next].arrival > now) now = requests[next].arrival;
        while (next < requests.size() && requests[next].arrival <= now && running.size() < cost.mostTogether) running.push_back(next++);
        int tokens = 0;
        for (const std::size_t request : running) tokens += left[request] == requests[request].output ? requests[request].prompt : 1;
        now += cost.of(tokens);
        std::vector<std::size_t> still;
        for (const std::size_t request : running) {
            if (left[request]-- == requests[request].output) served.first[request] = now;
            if (left[request] == 0) served.last[request] = now;
            else still.push_back(request);
        }
        running = still;
    }
    return served;
}

int whole(RandomSource& random, std::size_t low, std::size_t high) { return static_cast<int>(random.between(low, high)); }

std::vector<Request> randomRequests(RandomSource& random, int count, double perSecond) {
    std::vector<Request> requests;
    double now = 0;
    for (int i = 0; i < count; ++i) {
        now += random.between(0, 2 / perSecond);
        requests.push_back({now, whole(random, 1, 300), whole(random, 1, 60)});
    }
    return requests;
}

Served servedByTheEngine(const std::vector<Request>& requests, const StepCost& cost) {
    Program program;
    ContinuousBatching source(requests, cost, program.addStream());
    const auto times = runProgram(program, source);
    EXPECT_TRUE(times);
    return source.served();
}

TEST(ContinuousBatching, IsWhatALoopOverStepsGives) {
    RandomSource random(41);
    for (const double perSecond : {0.5, 3.0, 50.0}) // mostly empty, busy, and more than it can serve
        for (int round = 0; round < 20; ++round) {
            const std::vector<Request> requests = randomRequests(random, 100, perSecond);
            const Served engine = servedByTheEngine(requests, {}), loop = servedByALoop(requests, {});
            for (std::size_t i = 0; i < requests.size(); ++i) {
                ASSERT_DOUBLE_EQ(engine.first[i], loop.first[i]) << perSecond << " requests/s, request " << i;
                ASSERT_DOUBLE_EQ(engine.last[i], loop.last[i]) << perSecond << " requests/s, request " << i;
            }
        }
}

TEST(ContinuousBatching, ARequestJoinsOthersBetweenTheirSteps) {
    const StepCost cost{1, 0, 8}; // every step takes 1 s
    const Served served = servedByTheEngine({{0, 100, 3}, {0.5, 100, 1}}, cost);
    EXPECT_DOUBLE_EQ(served.last[0], 3);  // steps at 0, 1 and 2 s
    EXPECT_DOUBLE_EQ(served.first[1], 2); // the second joins at 1 s and leaves at 2 s
}

/// Gives one round of work when it wakes, and dependencies that the rounds before have met or not.
class Rounds : public WorkSource {
public:
    explicit Rounds(std::vector<double> at) : at_(std::move(at)) {}
    double nextWake() override { return next_ < at_.size() ? at_[next_] : std::numeric_limits<double>::infinity(); }
    void wake(double, Program& program) override {
        const StreamId own = program.addStream();
        const TaskId task = program.addTask(own, 1);
        for (const TaskId before : tasks) program.addDependency(task, before);
        tasks.push_back(task);
        ++next_;
    }
    void ended(TaskId task, double, Program&) override { order.push_back(task); }

    std::vector<TaskId> tasks, order;

private:
    std::vector<double> at_;
    std::size_t next_ = 0;
};

TEST(WorkSource, ATaskMayWaitForTasksThatHaveEndedAndForThoseThatHaveNot) {
    Program program;
    Rounds rounds({0, 0.25, 5});
    const auto times = runProgram(program, rounds);
    ASSERT_TRUE(times);
    EXPECT_EQ(times->start, (std::vector<double>{0, 1, 5})); // the second waits for the first, the third for nobody any more
    EXPECT_EQ(rounds.order, (std::vector<TaskId>{0, 1, 2}));
    EXPECT_EQ(times->duration, 6);
}

TEST(WorkSource, ATaskThatHasStartedCannotBeToldToWait) {
    class Late : public WorkSource {
        void ended(TaskId task, double, Program& program) override {
            if (task == 0) program.addDependency(1, program.addTask(0, 1));
        }
    } late;
    Program program;
    const StreamId first = program.addStream(), second = program.addStream();
    program.addTask(first, 1);
    program.addTask(second, 5);
    EXPECT_THROW(runProgram(program, late), LateDependencyError);
}

TEST(WorkSource, OneThatAddsNothingChangesNothing) {
    class Silent : public WorkSource {
        void ended(TaskId, double, Program&) override {}
    };
    RandomSource random(7);
    for (int round = 0; round < 50; ++round) {
        Program program;
        for (int stream = 0; stream < 5; ++stream) program.addStream();
        for (int task = 0; task < 200; ++task) {
            const TaskId added = program.addTask(static_cast<StreamId>(random.below(5)), random.between(0.0, 1.0));
            if (task > 0 && random.chance(0.5)) program.addDependency(added, static_cast<TaskId>(random.below(static_cast<std::size_t>(task))));
        }
        for (StreamId stream = 0; stream < 5; ++stream) program.placeStream(stream, stream / 2);
        program.setSlowdown(1, 1, 1.5);
        for (TaskId task = 0; task < 200; task += 3) program.setLoad(task, 1);
        const auto alone = runProgram(program);
        Silent silent;
        const auto told = runProgram(program, silent);
        EXPECT_EQ(alone->start, told->start);
        EXPECT_EQ(alone->end, told->end);
    }
}

/// A stream, its device and its slowdown that appear on the way slow what runs already.
TEST(WorkSource, WhatAppearsOnADeviceSlowsWhatRunsThere) {
    class Neighbour : public WorkSource {
    public:
        double nextWake() override { return woken_ ? std::numeric_limits<double>::infinity() : 1; }
        void wake(double, Program& program) override {
            woken_ = true;
            const StreamId stream = program.addStream();
            program.placeStream(stream, 0);
            program.setLoad(program.addTask(stream, 1), 2, 0);
            program.setSlowdown(1, 2, 2);
        }
        void ended(TaskId, double, Program&) override {}

    private:
        bool woken_ = false;
    } neighbour;
    Program program;
    const StreamId stream = program.addStream();
    program.placeStream(stream, 0);
    const TaskId slowed = program.addTask(stream, 3);
    program.setLoad(slowed, 1);
    const auto times = runProgram(program, neighbour);
    EXPECT_DOUBLE_EQ(times->end[slowed], 3.5); // half as fast from 1 s to 2 s
}

} // namespace
} // namespace orrery::test
