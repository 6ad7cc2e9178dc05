// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs of a hybrid over a plan, held to closed forms and to whole simulations in which what is asked is so.
#include "core/base/json.hpp"
#include "core/records/ranks/planned_report.hpp"
#include "core/records/ranks/simulated_job.hpp"
#include "core/records/ranks/task_reach.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/plan/lanes.hpp"
#include "tests/support/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>

namespace orrery {
namespace {

/// A small model on 8 accelerators; ranks are numbered tensor first, then data, then pipeline.
Scenario smallJob(Json parallelism, Json execution = {{"overlap", {{"data", false}}}}) {
    const Json config = {{"model_type", "gpt2"}, {"n_layer", 12}, {"n_embd", 768}, {"n_head", 12}, {"n_positions", 1024}, {"vocab_size", 50304}, {"activation_function", "gelu_new"}, {"tie_word_embeddings", false}};
    execution["recompute"] = "none";
    const Json document = {{"format", "orrery-scenario/1"}, {"model", {{"config", config}}}, {"cluster", {{"accelerator", "a100-sxm4-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}}, {"workload", {{"kind", "training"}, {"sequence_length", 1024}, {"global_batch_size", 64}, {"micro_batch_size", 2}, {"precision", "bf16"}}}, {"parallelism", std::move(parallelism)}, {"execution", std::move(execution)}};
    const ScenarioReading reading = readScenario(document, test::catalog(), {});
    for (const Problem& problem : reading.problems)
        if (problem.severity == Severity::error) ADD_FAILURE() << toText(problem);
    return reading.scenario.value();
}

/// A job that ran by itself, the records of some of its ranks, and hybrids made of them.
struct JobOfRecords {
    Problems problems;
    PlannedRanks ranks;
    std::vector<RankClass> classes;
    std::map<int, RecordedPasses> records;
    HybridFiles files;
    SimulatedJob truth;

    JobOfRecords(const Scenario& scenario, const std::vector<int>& recorded, double sigma = 0.01) : ranks(scenario, problems), classes(rankClasses(scenario)) {
        const KernelJitter jitter{sigma, 5};
        truth = simulateAllRanks(ranks, jitter).value();
        for (const int rank : recorded) {
            std::ostringstream out;
            writeRankTrace(ranks, truth, jitter, rank, out);
            const auto trace = readDeviceTrace(out.str(), "rank", problems);
            records[rank] = passesIn(trace.value(), ranks, rank, "rank", problems).value();
            files.ranks[rank] = {"rank" + std::to_string(rank), recordedPeak(*trace), std::nullopt};
        }
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    }
    PlannedHybrid played(const PlannedQuestion& question = {}) {
        auto hybrid = playPlannedHybrid(ranks, records, classes, 0, 1, problems, question);
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
        return hybrid.value();
    }
    PlannedHybrid late(int rank, std::size_t before, double seconds) {
        PlannedQuestion question;
        question.whatIfs.delays.push_back({rank, before, std::llround(seconds * 1e9)});
        return played(question);
    }
    PlannedHybrid stopped(int rank, std::size_t before, bool prune = true) {
        PlannedQuestion question;
        question.whatIfs.stops.push_back({rank, before});
        question.prune = prune;
        return played(question);
    }
    /// The job itself, with nothing recorded, in which a rank is late, s.
    double truthWithLate(int rank, std::size_t before, double seconds) {
        const RankWhatIfs asked{{{rank, before, std::llround(seconds * 1e9)}}, {}};
        Program program = ranks.program(truth.passTimes);
        PlannedWhatIfs(ranks, asked, truth.times).delay(program, truth.times);
        return ranks.run(program).value().duration;
    }
    double waiting(const PlannedHybrid& hybrid, int rank) const { return waitsByLane(ranks.iteration(), hybrid.draws.front())[static_cast<std::size_t>(ranks.laneOf(rank))].waiting; }
    std::size_t collectivesOfRank(const PlannedHybrid& hybrid, int rank) const { return collectivesOf(ranks.iteration(), TaskReach(ranks.iteration().program), hybrid.draws.front(), ranks.laneOf(rank)).size(); }
    Json document(const PlannedHybrid& hybrid) const { return plannedHybridDocument(ranks, hybrid, classes, files); }
};

const std::vector<int> allEight{0, 1, 2, 3, 4, 5, 6, 7};

TEST(PlannedWhatIfs, ADelayMovesTheEndByWhatTheOthersDoNotWaitAnyway) {
    JobOfRecords job(smallJob({{"pipeline", 1}}), allEight);
    const PlannedHybrid plain = job.played();
    // All meet once, when gradients are summed up: who waits least comes last.
    int last = 0, early = 0;
    for (const int rank : allEight) {
        if (job.waiting(plain, rank) < job.waiting(plain, last)) last = rank;
        if (job.waiting(plain, rank) > job.waiting(plain, early)) early = rank;
    }
    const double slack = job.waiting(plain, early);
    ASSERT_NEAR(job.waiting(plain, last), 0, 1e-12);
    ASSERT_GT(slack, 1e-4);
    const PlannedHybrid lastLater = job.late(last, 0, 3e-3);
    EXPECT_NEAR(lastLater.iterationTime - plain.iterationTime, 3e-3, 1e-9);
    EXPECT_NEAR(job.waiting(lastLater, early), slack + 3e-3, 1e-9);
    for (const double factor : {0.5, 1.0, 4.0}) {
        const PlannedHybrid earlyLater = job.late(early, 0, factor * slack);
        EXPECT_NEAR(earlyLater.iterationTime - plain.iterationTime, std::max(0.0, factor - 1) * slack, 2e-9) << factor;
        EXPECT_NEAR(job.waiting(earlyLater, early), std::max(0.0, 1 - factor) * slack, 2e-9) << factor;
    }
    EXPECT_EQ(job.late(last, 1000, 1).iterationTime, plain.iterationTime) << "there is no such collective";
}

TEST(PlannedWhatIfs, ALateSendMovesAllThatFollowsAndNoDelayIsTheIdentity) {
    for (const bool overlap : {false, true}) {
        JobOfRecords job(smallJob({{"pipeline", 2}}, {{"overlap", {{"data", overlap}}}}), allEight, overlap ? 0.01 : 0);
        const PlannedHybrid plain = job.played();
        const std::size_t count = job.collectivesOfRank(plain, 0);
        ASSERT_GT(count, 16U); // 8 micro-batches sent and received, and gradients
        constexpr double late = 5e-3;
        // The first thing that stage 0 does for the others is to send: all wait for it.
        if (!overlap) {
            EXPECT_NEAR(job.late(0, 0, late).iterationTime - plain.iterationTime, late, 1e-9);
        }
        for (const int rank : {0, 4})
            for (std::size_t before = 0; before < job.collectivesOfRank(plain, rank); before += 3) {
                EXPECT_EQ(job.late(rank, before, 0).draws.front().end, plain.draws.front().end) << rank << ' ' << before;
                const double moved = job.late(rank, before, late).iterationTime - plain.iterationTime;
                EXPECT_GE(moved, -1e-12);
                EXPECT_LE(moved, late + 1e-9) << rank << ' ' << before;
            }
    }
}

// Sums of gradients slow the backwards beside them, and begin when their last rank comes: who is late because somebody asks is slowed as the last one is.
TEST(PlannedWhatIfs, ADelayBesideOverlappedTrafficIsASimulationInWhichItIs) {
    double largest = 0;
    for (const Json& plan : {Json{{"pipeline", 1}}, Json{{"pipeline", 2}}, Json{{"pipeline", 1}, {"zero_stage", 3}}}) {
        JobOfRecords job(smallJob(plan, Json::object()), allEight, 0.02);
        const PlannedHybrid plain = job.played();
        EXPECT_NEAR(plain.iterationTime / job.truth.times.duration, 1, 1e-3) << plan;
        for (const int rank : {0, 3, 6}) {
            const std::size_t count = job.collectivesOfRank(plain, rank);
            for (std::size_t before = 0; before < count; before += 1 + count / 6)
                for (const double late : {20e-6, 200e-6, 2e-3}) {
                    const double truth = job.truthWithLate(rank, before, late) - job.truth.times.duration, hybrid = job.late(rank, before, late).iterationTime - plain.iterationTime;
                    EXPECT_NEAR(hybrid, truth, 5e-6) << plan << rank << ' ' << before << ' ' << late;
                    largest = std::max(largest, std::abs(hybrid - truth));
                }
        }
    }
    std::cout << "what a delay beside overlapped traffic costs: largest error " << 1e6 * largest << " us\n";
}

TEST(PlannedWhatIfs, DelaysOfOneRankAddUpAndThoseOfRanksInStepDoNot) {
    JobOfRecords job(smallJob({{"tensor", 2}, {"pipeline", 2}}), allEight, 0);
    const double plain = job.played().iterationTime;
    PlannedQuestion question;
    question.whatIfs.delays = {{0, 0, 1'000'000}, {0, 0, 2'000'000}};
    EXPECT_NEAR(job.played(question).iterationTime - plain, 3e-3, 1e-9);
    question.whatIfs.delays = {{0, 0, 1'000'000}, {1, 0, 2'000'000}};
    EXPECT_NEAR(job.played(question).iterationTime - plain, 2e-3, 1e-9);
}

TEST(PlannedWhatIfs, ScaledKernelsAreASimulationInWhichTheyAre) {
    for (const auto& [recorded, overlap] : {std::pair(allEight, false), std::pair(std::vector<int>{0}, false), std::pair(allEight, true), std::pair(std::vector<int>{0}, true)}) {
        // Which kernels the last sums of gradients lie beside follows from these two: stated, for no fit of constants is a question here.
        const Json constants{{"overlap_slowdown", 1.3}, {"scale_up_share_of_library", 1}};
        JobOfRecords job(smallJob({{"pipeline", 1}}, {{"overlap", {{"data", overlap}}}, {"calibration", constants}}), recorded, 0);
        const PlannedHybrid plain = job.played();
        PlannedQuestion question;
        question.scaled = {{"", 1}};
        EXPECT_EQ(job.played(question).draws.front().end, plain.draws.front().end);
        question.scaled = {{"MLP", 0.5}};
        std::vector<double> times(job.ranks.iteration().tasks.size(), -1);
        double ofRank = 0;
        for (std::size_t lane = 0; lane < job.ranks.lanes(); ++lane)
            for (const TaskId pass : job.ranks.passes(static_cast<int>(lane))) {
                times[pass] = job.ranks.plannedTime(pass);
                for (const PlannedKernel& kernel : job.ranks.kernels(pass)) {
                    if (kernel.collective || job.ranks.iteration().work.operators[kernel.op].op.name.find("mlp") == std::string::npos) continue;
                    times[pass] -= 0.5 * kernel.seconds;
                    if (lane == 0) ofRank += 0.5 * kernel.seconds;
                }
            }
        const auto truth = job.ranks.run(times);
        ASSERT_TRUE(truth);
        const double scaled = job.played(question).iterationTime;
        EXPECT_NEAR(scaled / truth->duration, 1, overlap ? 2e-4 : 1e-5); // records are in whole ns; which of a pass's kernels are slowed is not in them
        EXPECT_NEAR((plain.iterationTime - scaled) / ofRank, 1, 1e-3);
        EXPECT_GT(ofRank, 0.1 * plain.iterationTime);
    }
}

TEST(PlannedWhatIfs, AStopInAPipelineHangsTheNextStageFirst) {
    JobOfRecords job(smallJob({{"tensor", 2}, {"pipeline", 2}}), allEight);
    const PlannedHybrid hybrid = job.stopped(1, 0);
    ASSERT_TRUE(hybrid.hang);
    EXPECT_EQ(hybrid.hang->collective, 0U);
    EXPECT_EQ(hybrid.hang->name, "pipeline.send_activations");
    EXPECT_EQ(hybrid.hang->missing, std::vector<std::int64_t>({1}));
    EXPECT_EQ(hybrid.hang->waiting, std::vector<std::int64_t>({5}));
    EXPECT_EQ(hybrid.hang->blocked, std::vector<std::int64_t>({0, 2, 3, 4, 6, 7}));
    // A receiver that stops leaves its sender waiting.
    const PlannedHybrid receiver = job.stopped(5, 0);
    EXPECT_EQ(receiver.hang->missing, std::vector<std::int64_t>({5}));
    EXPECT_EQ(receiver.hang->waiting, std::vector<std::int64_t>({1}));
    const Json document = job.document(hybrid);
    EXPECT_TRUE(document["iteration_time_s"].is_null());
    EXPECT_EQ(document["hang"]["missing"], Json({1}));
    EXPECT_FALSE(job.stopped(1, 1000).hang) << "there is no such collective";
}

TEST(PlannedWhatIfs, AStopBeforeGradientsAreSummedUpHangsTheGroup) {
    JobOfRecords job(smallJob({{"tensor", 2}, {"pipeline", 2}}), allEight);
    const std::size_t last = job.collectivesOfRank(job.played(), 1) - 1;
    const PlannedHybrid hybrid = job.stopped(1, last);
    ASSERT_TRUE(hybrid.hang);
    EXPECT_EQ(hybrid.hang->name, "data.all_reduce_gradients");
    EXPECT_EQ(hybrid.hang->missing, std::vector<std::int64_t>({1}));
    EXPECT_EQ(hybrid.hang->waiting, std::vector<std::int64_t>({3})); // the data ranks with its tensor coordinate
    EXPECT_EQ(hybrid.hang->blocked, std::vector<std::int64_t>({0, 2, 4, 5, 6, 7}));
    // Everything before has run: each stage's passes but those behind the sum.
    const TaskTimes& times = hybrid.draws.front();
    for (const TaskId pass : job.ranks.passes(job.ranks.laneOf(1))) EXPECT_EQ(times.end[pass] > 0, job.ranks.iteration().tasks[pass].microBatch >= 0);
    // Two stop: the one that gets there first is told.
    PlannedQuestion both;
    both.whatIfs.stops = {{1, last}, {6, 2}};
    EXPECT_EQ(job.played(both).hang->missing, std::vector<std::int64_t>({6}));
}

TEST(PlannedWhatIfs, WhatIsLeftOutChangesNothingOfTheRecordedRanks) {
    for (const Json& plan : {Json{{"pipeline", 2}}, Json{{"tensor", 2}, {"pipeline", 2}}})
        for (const bool overlap : {false, true}) {
            JobOfRecords job(smallJob(plan, {{"overlap", {{"data", overlap}}}}), {0, 4});
            const PlannedHybrid plain = job.played();
            EXPECT_EQ(plain.leftOut.tasks, 0U); // the end of every rank is a result
            for (const auto& [rank, before] : {std::pair(0, std::size_t{7}), std::pair(2, std::size_t{5}), std::pair(7, std::size_t{0}), std::pair(3, job.collectivesOfRank(plain, 3) - 1)}) {
                const PlannedHybrid pruned = job.stopped(rank, before), whole = job.stopped(rank, before, false);
                EXPECT_EQ(whole.leftOut.tasks, 0U);
                // Up to the sum of gradients, the last of all, each rank's work leads to stage 1's.
                if (before + 1 < job.collectivesOfRank(plain, rank)) {
                    EXPECT_GT(pruned.leftOut.tasks, 0U);
                }
                const Json short_ = job.document(pruned), long_ = job.document(whole);
                for (const int recorded : {0, 4}) EXPECT_EQ(short_["ranks"][static_cast<std::size_t>(recorded)].dump(), long_["ranks"][static_cast<std::size_t>(recorded)].dump());
                EXPECT_EQ(short_["hang"], long_["hang"]);
                EXPECT_EQ(short_["pruned"]["tasks"], pruned.leftOut.tasks);
                const auto laneTimes = [&](const TaskTimes& times) {
                    std::vector<double> ends;
                    for (TaskId task = 0; task < times.end.size(); ++task)
                        if (const int lane = job.ranks.iteration().tasks[task].lane; lane == job.ranks.laneOf(0) || lane == job.ranks.laneOf(4)) ends.push_back(times.end[task]);
                    return ends;
                };
                EXPECT_EQ(laneTimes(pruned.draws.front()), laneTimes(whole.draws.front())) << plan << rank << ' ' << before;
            }
        }
}

TEST(PlannedWhatIfs, HoldInEveryKindOfPlan) {
    const std::vector<std::pair<Json, Json>> plans = {
        {{{"pipeline", 4}, {"schedule", "gpipe"}}, Json::object()},
        {{{"pipeline", 2}, {"virtual_pipeline", 2}, {"schedule", "interleaved"}}, {{"overlap", {{"pipeline", false}}}}},
        {{{"pipeline", 4}, {"schedule", "zb-h1"}}, Json::object()},
        {{{"pipeline", 2}, {"virtual_pipeline", 2}, {"schedule", "zb-v"}}, Json::object()},
        {{{"pipeline", 4}, {"schedule", "dualpipe"}}, Json::object()},
        {{{"pipeline", 1}, {"zero_stage", 3}}, Json::object()},
        {{{"pipeline", 1}, {"context", 2}, {"zero_stage", 3}, {"shard_group", 4}}, Json::object()},
        {{{"pipeline", 2}, {"context", 2}, {"zero_stage", 1}}, {{"offload", {{"optimizer", 0.5}}}}},
    };
    for (const auto& [plan, execution] : plans) {
        JobOfRecords job(smallJob(plan, execution), allEight);
        const PlannedHybrid plain = job.played();
        for (const int rank : {0, 3, 6}) {
            const std::size_t count = job.collectivesOfRank(plain, rank);
            ASSERT_GT(count, 0U) << plan;
            for (std::size_t before = 0; before < count; before += 1 + count / 5) {
                EXPECT_EQ(job.late(rank, before, 0).draws.front().end, plain.draws.front().end) << plan << rank << ' ' << before;
                EXPECT_GE(job.late(rank, before, 10).iterationTime, 10) << plan << rank << ' ' << before;
                const PlannedHybrid hybrid = job.stopped(rank, before);
                ASSERT_TRUE(hybrid.hang) << plan << rank << ' ' << before;
                const PlannedHang& hang = *hybrid.hang;
                EXPECT_TRUE(std::find(hang.missing.begin(), hang.missing.end(), rank) != hang.missing.end()) << plan << rank << ' ' << before;
                EXPECT_FALSE(hang.waiting.empty()) << plan << rank << ' ' << before;
                std::vector<std::int64_t> all;
                for (const auto* list : {&hang.missing, &hang.waiting, &hang.blocked}) all.insert(all.end(), list->begin(), list->end());
                std::sort(all.begin(), all.end());
                EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end()) << plan << rank << ' ' << before;
                EXPECT_EQ(all.size(), 8U) << plan << rank << ' ' << before; // nobody gets through an iteration that sums up gradients
                // What ran, ran as without the stop: all that it waited for was there.
                const TaskTimes& times = hybrid.draws.front();
                EXPECT_LT(times.duration, plain.draws.front().duration);
            }
        }
    }
}

// Streams 0 and 1 are of device 0, stream 2 of device 1, stream 3 of none; links 0 and 1.
TEST(NeededTasks, KeepsWhatLeadsThereAndWhatCanMeetIt) {
    Program program;
    for (int stream = 0; stream < 4; ++stream) program.addStream();
    for (const auto& [stream, device] : {std::pair(0, 0), std::pair(1, 0), std::pair(2, 1)}) program.placeStream(static_cast<StreamId>(stream), static_cast<DeviceId>(device));
    program.setSlowdown(1, 2, 1.5);
    const TaskId first = program.addTask(0, 1), wanted = program.addTask(0, 1), later = program.addTask(0, 1);
    const TaskId beside = program.addTransfer(1, 0);                                   // slows the wanted one; on link 0
    const TaskId source = program.addTask(3, 1);                                       // what it waits for
    const TaskId meets = program.addTransfer(2, 1), apart = program.addTransfer(2, 2); // link 0; link 1
    for (const TaskId task : {first, wanted, later}) program.setLoad(task, 1);
    for (const TaskId task : {beside, meets, apart}) program.setLoad(task, 2);
    program.addDependency(beside, source);
    const TaskReach reach(program);
    const std::vector<bool> all(program.taskCount(), true);
    std::vector<bool> kept = neededTasks(program, reach, all, {wanted}, {{0}, {0}, {1}});
    EXPECT_EQ(kept, std::vector<bool>({true, true, true, true, true, true, false})); // the later one loads the same device
    kept = neededTasks(program, reach, all, {wanted}, {{1}, {0}, {1}});
    EXPECT_TRUE(kept[meets] && kept[apart]); // the one before on its stream comes along
    kept = neededTasks(program, reach, all, {source}, {{0}, {0}, {1}});
    EXPECT_EQ(std::count(kept.begin(), kept.end(), true), 1);
    EXPECT_EQ(reach.behind({source}), std::vector<bool>({false, false, false, true, true, false, false}));
    const ProgramPart part = partOf(program, reach.upTo({beside}));
    EXPECT_EQ(part.tasks, std::vector<TaskId>({beside, source}));
    EXPECT_EQ(part.program.edges(), (std::vector<std::pair<TaskId, TaskId>>{{1, 0}}));
}

TEST(PlannedWhatIfs, AClassTakesAfterTheRecordThatIsNamed) {
    JobOfRecords job(smallJob({{"pipeline", 2}}), {0, 1, 4});
    const PlannedHybrid plain = job.played();
    PlannedQuestion question;
    question.likeness[1] = job.records.at(4); // the only record of stage 1
    EXPECT_EQ(job.played(question).iterationTime, plain.iterationTime);
    // Stage 0 has two records: the one is made twice as slow, and ranks 2 and 3 with it.
    question.likeness.clear();
    question.likeness[0] = job.records.at(1);
    for (double& kernel : question.likeness[0].kernels) kernel *= 2;
    const PlannedHybrid slower = job.played(question);
    const auto passOf = [&](const PlannedHybrid& hybrid, int rank) {
        double seconds = 0;
        for (const TaskId pass : job.ranks.passes(job.ranks.laneOf(rank))) seconds += hybrid.draws.front().end[pass] - hybrid.draws.front().start[pass];
        return seconds;
    };
    EXPECT_NEAR(passOf(slower, 2) / passOf(plain, 2), 2, 0.1); // what is no kernel stays
    EXPECT_NEAR(passOf(slower, 1) / passOf(plain, 1), 1, 1e-9);
}

} // namespace
} // namespace orrery
