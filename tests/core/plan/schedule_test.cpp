// Pipeline schedules against the closed forms of physics rows 4, 5 and 8, run by the engine with equal stages and no communication.
#include "core/engine/engine.hpp"
#include "core/plan/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery {
namespace {

struct Played {
    double span = 0;
    double idlePerStage = 0;
    std::vector<int> mostInFlight; ///< by stage: micro-batches (of one chunk) forwarded and not yet backwarded
};

/// Plays a schedule with F and B a chunk; every dependency is written from what a pipeline is, not from the builder under test.
Played play(const Schedule& schedule, int chunks, int microBatches, double forward, double backward) {
    const int stages = static_cast<int>(schedule.size());
    Program program;
    std::map<std::tuple<StepKind, int, int>, TaskId> tasks; // kind, chunk of the model, micro-batch
    std::vector<std::vector<std::pair<TaskId, Step>>> byStage(schedule.size());
    for (int stage = 0; stage < stages; ++stage) {
        const StreamId stream = program.addStream();
        for (const Step& step : schedule[static_cast<std::size_t>(stage)]) {
            const TaskId task = program.addTask(stream, step.kind == StepKind::forward ? forward : backward);
            const bool fresh = tasks.emplace(std::tuple(step.kind, step.chunk * stages + stage, step.microBatch), task).second;
            EXPECT_TRUE(fresh) << "a step stands twice";
            byStage[static_cast<std::size_t>(stage)].emplace_back(task, step);
        }
    }
    const int last = chunks * stages - 1;
    EXPECT_EQ(tasks.size(), static_cast<std::size_t>(2 * (last + 1) * microBatches));
    for (const auto& [key, task] : tasks) {
        const auto& [kind, chunk, microBatch] = key;
        if (kind == StepKind::forward && chunk > 0) program.addDependency(task, tasks.at({kind, chunk - 1, microBatch}));
        if (kind == StepKind::backward && chunk < last) program.addDependency(task, tasks.at({kind, chunk + 1, microBatch}));
        if (kind == StepKind::backward) program.addDependency(task, tasks.at({StepKind::forward, chunk, microBatch}));
    }
    const auto times = runProgram(program);
    Played played;
    played.span = times->duration;
    played.idlePerStage = played.span - chunks * microBatches * (forward + backward);
    for (const auto& steps : byStage) {
        int now = 0;
        int most = 0;
        for (const auto& [task, step] : steps) {
            now += step.kind == StepKind::forward ? 1 : -1;
            most = std::max(most, now);
        }
        played.mostInFlight.push_back(most);
    }
    return played;
}

TEST(Schedule, BubbleOfGpipeAndOneForwardOneBackward) {
    for (ScheduleKind kind : {ScheduleKind::gpipe, ScheduleKind::one_f_one_b})
        for (int p : {1, 2, 3, 4, 8, 16})
            for (int m : {1, 2, 4, 7, 16, 33}) {
                const Played played = play(makeSchedule(kind, p, 1, m), 1, m, 1, 2);
                EXPECT_NEAR(played.idlePerStage / played.span, double(p - 1) / (m + p - 1), 1e-9) << p << " " << m;
                EXPECT_NEAR(played.idlePerStage / (m * 3.0), double(p - 1) / m, 1e-9);
            }
}

TEST(Schedule, BubbleOfInterleaving) {
    for (int p : {2, 4, 8})
        for (int v : {2, 3, 5})
            for (int groups : {1, 2, 6}) {
                const int m = groups * p;
                const Played played = play(makeSchedule(ScheduleKind::interleaved, p, v, m), v, m, 1, 2);
                EXPECT_NEAR(played.idlePerStage / played.span, double(p - 1) / (v * m + p - 1), 1e-9) << p << " " << v << " " << m;
            }
}

TEST(Schedule, MicroBatchesInFlight) {
    const int p = 4;
    const int m = 12;
    const Played gpipe = play(makeSchedule(ScheduleKind::gpipe, p, 1, m), 1, m, 1, 2);
    const Played plain = play(makeSchedule(ScheduleKind::one_f_one_b, p, 1, m), 1, m, 1, 2);
    for (int i = 0; i < p; ++i) {
        EXPECT_EQ(gpipe.mostInFlight[static_cast<std::size_t>(i)], m);
        EXPECT_EQ(plain.mostInFlight[static_cast<std::size_t>(i)], std::min(m, p - i));
    }
    for (int v : {2, 3}) {
        const Played interleaved = play(makeSchedule(ScheduleKind::interleaved, p, v, m), v, m, 1, 2);
        for (int i = 0; i < p; ++i)
            EXPECT_EQ(interleaved.mostInFlight[static_cast<std::size_t>(i)], std::min(m * v, 2 * (p - 1 - i) + (v - 1) * p + 1));
    }
}

TEST(Schedule, ASmallerLastGroupStillRuns) {
    for (int m : {1, 3, 5, 9, 10}) play(makeSchedule(ScheduleKind::interleaved, 4, 2, m), 2, m, 1, 2);
}

} // namespace
} // namespace orrery
