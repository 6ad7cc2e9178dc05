// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks with collectives of their groups replayed together, held against made jobs that are played by themselves.
#include "core/base/json.hpp"
#include "core/records/ranks/grouped_replay.hpp"
#include "core/records/ranks/hybrid_run.hpp"
#include "core/records/ranks/replay_report.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/support/grouped_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace orrery {
namespace {

using test::GroupedJob;
using test::RandomSource;
using JobRuns = std::vector<std::vector<GroupedJob::Run>>;

KinetoTrace traceOf(const GroupedJob& job, const JobRuns& runs, int rank, std::int64_t ahead = 0) {
    Problems problems;
    auto trace = readDeviceTrace(job.record(rank, runs, ahead), "rank" + std::to_string(rank), problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return trace.value_or(KinetoTrace());
}

std::optional<HybridRun> hybridOf(const GroupedJob& job, const JobRuns& runs, Json more, Problems& problems) {
    more["ranks"] = Json::object();
    for (int rank = 0; rank < job.ranks(); ++rank) more["ranks"][std::to_string(rank)] = std::to_string(rank);
    const auto question = readHybrid({{"hybrid", std::move(more)}}, problems);
    if (!question) return std::nullopt;
    return runHybrid(
        *question, {}, [&](const std::string& name, Problems&) { return std::optional(traceOf(job, runs, std::stoi(name))); }, problems);
}

/// From the first arrival at a collective of `before` to the end of the last of `now`, ns.
std::int64_t spanOf(const GroupedJob& job, const JobRuns& before, const JobRuns& now) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
    for (int rank = 0; rank < job.ranks(); ++rank)
        for (const std::size_t action : job.communication(rank, before)) {
            first = std::min(first, *before[static_cast<std::size_t>(rank)][action].start);
            last = std::max(last, *now[static_cast<std::size_t>(rank)][action].end);
        }
    return last - first;
}

TEST(GroupedReplay, UnchangedIsTheRecord) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomSource random(seed);
        const GroupedJob job(random, seed % 2 == 0);
        const JobRuns runs = job.played({});
        std::vector<ReplayedTrace> traces;
        std::set<std::size_t> counts;
        // Clocks that are seconds apart: ends of collectives set them back, along chains of groups.
        for (int rank = 0; rank < job.ranks(); ++rank) {
            const std::int64_t ahead = seed % 3 == 0 ? rank * 7'000'000'123 : 0;
            traces.push_back(replayedTrace(traceOf(job, runs, rank, ahead), std::to_string(rank), std::nullopt));
            counts.insert(traces.back().record.collectives.size());
        }
        Problems problems;
        const auto report = replayReport(traces, problems);
        for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
        ASSERT_TRUE(report) << seed;
        for (const Json& rank : report->at("ranks")) {
            EXPECT_EQ(rank.at("error_percent"), 0) << seed << rank;
            const double apart = rank.at("clock_offset_us").get<double>() - report->at("ranks").at(0).at("clock_offset_us").get<double>();
            EXPECT_NEAR(apart, seed % 3 == 0 ? rank.at("rank").get<double>() * 7'000'000.123 : 0, 1e-6) << seed;
        }
        EXPECT_EQ(report->at("span_us"), report->at("recorded_us")) << seed;
        EXPECT_NEAR(report->at("span_us").get<double>(), static_cast<double>(spanOf(job, runs, runs)) / 1e3, 1e-9) << seed;
    }
}

TEST(GroupedReplay, WaitsAreThoseOfTheJob) {
    RandomSource random(5);
    const GroupedJob job(random, false);
    const JobRuns runs = job.played({});
    Problems problems;
    const auto run = hybridOf(job, runs, Json::object(), problems);
    ASSERT_TRUE(run && problems.empty());
    for (int rank = 0; rank < job.ranks(); ++rank) {
        std::int64_t together = 0, transit = 0; // what is no transit of its time in collectives is waiting
        for (const std::size_t action : job.communication(rank, runs)) {
            const auto& one = runs[static_cast<std::size_t>(rank)][action];
            together += *one.end - *one.start;
            transit += job.actions()[static_cast<std::size_t>(rank)][action].duration;
        }
        EXPECT_EQ(run->ranks[static_cast<std::size_t>(rank)].transit, transit) << rank;
        EXPECT_EQ(run->ranks[static_cast<std::size_t>(rank)].waiting, together - transit) << rank;
    }
}

/// A rank and one of its collectives, sends and receives, by chance; nothing where the rank has none.
std::optional<GroupedJob::WhatIf> placeIn(const GroupedJob& job, const JobRuns& runs, RandomSource& random) {
    GroupedJob::WhatIf whatIf;
    whatIf.rank = static_cast<int>(random.below(static_cast<std::size_t>(job.ranks())));
    const std::size_t count = job.communication(whatIf.rank, runs).size();
    if (count == 0) return std::nullopt;
    whatIf.before = random.below(count);
    return whatIf;
}

TEST(GroupedReplay, DelaysAndFasterKernelsGiveWhatTheJobItselfWouldTake) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomSource random(seed);
        const GroupedJob job(random, false);
        const JobRuns runs = job.played({});
        std::optional<GroupedJob::WhatIf> place = placeIn(job, runs, random);
        ASSERT_TRUE(place) << seed; // every rank of a job of two or more does something with another
        GroupedJob::WhatIf& whatIf = *place;
        whatIf.delay = static_cast<std::int64_t>(random.between(std::size_t{0}, std::size_t{2000})) * 1000;
        Json asked{{"delays", {{{"rank", whatIf.rank}, {"before_collective", whatIf.before}, {"us", whatIf.delay / 1000}}}}};
        if (seed % 2 == 0) {
            whatIf.kernels = random.between(0.2, 3.0);
            asked["scale_kernels"] = {{{"match", "gemm"}, {"factor", whatIf.kernels}}};
        }
        Problems problems;
        const auto run = hybridOf(job, runs, asked, problems);
        for (const Problem& problem : problems) ADD_FAILURE() << seed << toText(problem);
        ASSERT_TRUE(run) << seed;
        EXPECT_EQ(run->replay.span(), spanOf(job, runs, job.played(whatIf))) << seed << asked << job.ranks() << " " << haveGroups({recordOf(traceOf(job, runs, 0), "0")});
    }
}

TEST(GroupedReplay, AStoppedRankHangsThoseWhoNeedIt) {
    int hangs = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        RandomSource random(seed);
        const GroupedJob job(random, false);
        const JobRuns runs = job.played({});
        std::optional<GroupedJob::WhatIf> place = placeIn(job, runs, random);
        ASSERT_TRUE(place) << seed;
        GroupedJob::WhatIf& whatIf = *place;
        whatIf.stops = true;
        Problems problems;
        const auto run = hybridOf(job, runs, {{"stops", {{{"rank", whatIf.rank}, {"before_collective", whatIf.before}}}}}, problems);
        for (const Problem& problem : problems) ADD_FAILURE() << seed << toText(problem);
        ASSERT_TRUE(run) << seed;
        std::vector<std::int64_t> waiting;
        const JobRuns stopped = job.played(whatIf);
        for (int rank = 0; rank < job.ranks(); ++rank) {
            const auto& own = stopped[static_cast<std::size_t>(rank)];
            if (std::any_of(own.begin(), own.end(), [](const auto& one) { return one.start && !one.end; })) waiting.push_back(rank);
        }
        ASSERT_EQ(run->replay.hang.has_value(), !waiting.empty()) << seed;
        if (waiting.empty()) continue;
        ++hangs;
        EXPECT_EQ(run->replay.hang->missing, std::vector<std::int64_t>{whatIf.rank}) << seed;
        EXPECT_FALSE(run->replay.hang->waiting.empty()) << seed;
        std::vector<std::int64_t> found = run->replay.hang->waiting;
        found.insert(found.end(), run->replay.hang->blocked.begin(), run->replay.hang->blocked.end());
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, waiting) << seed;
        EXPECT_TRUE(hybridDocument(*run, "")["iteration_time_s"].is_null());
    }
    EXPECT_GT(hangs, 30);
}

TEST(GroupedReplay, WhatIsMissingOfAGroupIsNamed) {
    for (std::uint64_t seed = 1;; ++seed) {
        RandomSource random(seed);
        const GroupedJob job(random, false);
        const JobRuns runs = job.played({});
        std::vector<RankRecord> records;
        for (int rank = 0; rank < job.ranks(); ++rank) records.push_back(recordOf(traceOf(job, runs, rank), "rank" + std::to_string(rank)));
        const auto send = std::find_if(records[0].messages.begin(), records[0].messages.end(), [](const CollectiveMessage& message) { return message.kind == CollectiveKind::send_receive; });
        if (send == records[0].messages.end()) continue; // a job of one stage
        const std::int64_t to = send->members.back();
        records[0].collectives.erase(records[0].collectives.begin() + (send - records[0].messages.begin()));
        records[0].messages.erase(send);
        Problems problems;
        EXPECT_FALSE(jointOperations(records, problems));
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_EQ(problems[0].code, "unlike-traces");
        EXPECT_EQ(problems[0].file, "rank0");
        EXPECT_NE(problems[0].message.find("transfers from rank 0 to rank " + std::to_string(to)), std::string::npos) << problems[0].message;
        // Nobody waits for a rank whose record isn't there.
        records.erase(records.begin());
        problems.clear();
        EXPECT_TRUE(jointOperations(records, problems)) << seed;
        return;
    }
}

TEST(GroupedReplay, RanksWithoutARecordAreAskedFor) {
    for (std::uint64_t seed = 1;; ++seed) {
        RandomSource random(seed);
        const GroupedJob job(random, false);
        if (job.ranks() < 4) continue;
        const JobRuns runs = job.played({});
        Problems problems;
        const auto question = readHybrid({{"hybrid", {{"ranks", {{"0", "0"}, {"1", "1"}, {"2", "2"}}}}}}, problems);
        ASSERT_TRUE(question);
        EXPECT_FALSE(runHybrid(
            *question, {}, [&](const std::string& name, Problems&) { return std::optional(traceOf(job, runs, std::stoi(name))); }, problems));
        ASSERT_EQ(problems.size(), 1U);
        EXPECT_EQ(problems[0].code, "no-trace-for-rank");
        return;
    }
}

// PyTorch writes a group's ranks one by one, shortens long lists, and names groups that the file lists at its head.
TEST(GroupsOfCollectives, AreReadHoweverTheyAreSaid) {
    const auto membersOf = [](const std::string& said, const std::string& head = "") {
        Problems problems;
        const std::string text = R"({)" + head + R"("traceEvents":[{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","ts":1.0,"dur":2.0,"args":{"stream":1,"Collective name":"allreduce",)" + said + "}}]}";
        const auto trace = readDeviceTrace(text, "said", problems);
        EXPECT_TRUE(problems.empty());
        return recordOf(trace.value(), "said").messages.front().members;
    };
    const std::vector<std::int64_t> four{1, 3, 5, 7};
    EXPECT_EQ(membersOf(R"("Process Group Ranks":"[1, 3, 5, 7]")"), four);
    EXPECT_EQ(membersOf(R"("Process Group Ranks":"[7, 1, 5, 3, 1]")"), four);
    EXPECT_EQ(membersOf(R"("Process Group Ranks":"[1, 3, ...]","Group size":4,"Global rank start":1,"Global rank stride":2)"), four);
    EXPECT_EQ(membersOf(R"("Process Group Ranks":"","Process Group Name":"tp")", R"("distributedInfo":{"rank":1,"world_size":8,"pg_config":[{"pg_name":"dp","ranks":[0]},{"pg_name":"tp","ranks":[1,3,5,7]}]},)"), four);
    for (const char* nothing : {R"("Process Group Ranks":"[]")", R"("Process Group Ranks":"[1, x]")", R"("Process Group Ranks":"[-1]")", R"("Group size":999999999999,"Global rank start":0,"Global rank stride":1)", R"("Process Group Name":"unknown")", R"("Group size":4)"})
        EXPECT_TRUE(membersOf(nothing).empty()) << nothing;
}

// In traces without arguments on kernels the operator around the launch says who takes part.
TEST(GroupsOfCollectives, AreThoseOfTheOperatorAroundTheLaunch) {
    const std::string text = R"({"distributedInfo":{"rank":2},"traceEvents":[
        {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":10.0,"dur":50.0,"args":{"Collective name":"allreduce","In msg nelems":100,"dtype":"Float","Process Group Ranks":"[2, 4]"}},
        {"ph":"X","cat":"user_annotation","name":"nccl:all_reduce","pid":1,"tid":1,"ts":20.0,"dur":30.0,"args":{"Input Dims":[[100]],"Input type":["float"]}},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":30.0,"dur":5.0,"args":{"correlation":9}},
        {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":7,"ts":40.0,"dur":5.0,"args":{"device":0,"stream":7,"correlation":9}},
        {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":70.0,"dur":9.0,"args":{"Collective name":"send","In msg nelems":100,"dtype":"Float","Process Group Ranks":"[2, 4]","Dst Rank":4}},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":72.0,"dur":5.0,"args":{"correlation":10}},
        {"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":7,"ts":80.0,"dur":5.0,"args":{"device":0,"stream":7,"correlation":10}}]})";
    Problems problems;
    const auto trace = readDeviceTrace(text, "file", problems);
    ASSERT_TRUE(trace && problems.empty());
    const RankRecord record = recordOf(*trace, "file");
    ASSERT_EQ(record.messages.size(), 2U);
    EXPECT_EQ(record.messages[0].members, (std::vector<std::int64_t>{2, 4}));
    EXPECT_EQ(record.messages[0].bytes, 400);
    EXPECT_EQ(record.messages[1].kind, CollectiveKind::send_receive);
    EXPECT_EQ(record.messages[1].members, (std::vector<std::int64_t>{2, 4}));
}

} // namespace
} // namespace orrery
