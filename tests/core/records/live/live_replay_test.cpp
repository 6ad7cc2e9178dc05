// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/records/live/live_replay.hpp"
#include "core/records/live/live_report.hpp"
#include "core/scenario/reader/reader.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace orrery::test {
namespace {

constexpr std::int64_t millisecond = 1000000;

/// A rank that is written down call by call. Group 0 is the world.
struct Written {
    Written(int rank, int world, std::vector<LiveSlice::Axis> axes) {
        slice.rank = rank;
        slice.world = world;
        slice.axes = std::move(axes);
    }
    Written& work(std::int64_t time) {
        pending += time;
        return *this;
    }
    Written& call(CallKind kind, std::uint32_t axis, std::uint64_t bytes, std::int32_t peer = LiveCall::nobody) {
        begin(kind, axis, bytes, peer);
        return wait();
    }
    Written& begin(CallKind kind, std::uint32_t axis, std::uint64_t bytes, std::int32_t peer = LiveCall::nobody) {
        LiveSlice::Event event;
        event.compute = std::exchange(pending, 0);
        event.axis = axis;
        event.peer = peer;
        event.call.kind = kind;
        event.call.type = 6;
        event.call.operation = ++operations;
        event.call.elements = bytes / 4;
        event.call.bytes = bytes;
        slice.events.push_back(event);
        return *this;
    }
    Written& wait(std::uint64_t back = 0) {
        LiveSlice::Event event;
        event.kind = LiveEvent::Kind::wait;
        event.compute = std::exchange(pending, 0);
        event.call.operation = operations - back;
        slice.events.push_back(event);
        return *this;
    }
    Written& step() {
        LiveSlice::Event event;
        event.kind = LiveEvent::Kind::step;
        event.compute = std::exchange(pending, 0);
        slice.events.push_back(event);
        return *this;
    }
    LiveSlice slice;
    std::int64_t pending = 0;
    std::uint64_t operations = 0;
};

LiveGroups worldOf(int ranks) {
    LiveGroups groups(ranks);
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_FALSE(groups.add(0, 0, all));
    return groups;
}

Scenario h100(int hosts) {
    const Json document{{"format", "orrery-scenario/1"},
                        {"model", {{"preset", "llama-3.1-8b"}}},
                        {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", hosts}}},
                        {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 8 * hosts}, {"micro_batch_size", 1}, {"precision", "bf16"}}}};
    static const Catalog catalog = shippedCatalog();
    const ScenarioReading reading = readScenario(document, catalog, {});
    EXPECT_TRUE(reading.scenario);
    return *reading.scenario;
}

/// Stage `stage` of two of a 1F1B with m micro-batches: f forward, b backward.
LiveSlice stageOf(int stage, int world, int rank, int m, std::int64_t f, std::int64_t b, bool blocking) {
    Written rankOf(rank, world, {{world, rank}, {2, stage}});
    const std::uint64_t bytes = 4096;
    if (stage == 0) {
        rankOf.work(f).call(CallKind::send, 1, bytes, 1);
        for (int i = 1; i < m; ++i) {
            rankOf.work(f);
            if (blocking) rankOf.call(CallKind::send, 1, bytes, 1).call(CallKind::receive, 1, bytes, 1);
            else rankOf.begin(CallKind::send, 1, bytes, 1).begin(CallKind::receive, 1, bytes, 1).wait(1).wait(0);
            rankOf.work(b);
        }
        rankOf.call(CallKind::receive, 1, bytes, 1).work(b);
    } else {
        for (int i = 0; i < m; ++i) rankOf.call(CallKind::receive, 1, bytes, 0).work(f + b).call(CallKind::send, 1, bytes, 0);
    }
    return rankOf.step().slice;
}

} // namespace

TEST(LiveReplay, aCollectiveBeginsWhenTheLastMemberHasCalled) {
    const LiveGroups groups = worldOf(2);
    const auto rank = [](int r, std::int64_t work) { return Written(r, 2, {{2, r}}).work(work).call(CallKind::all_reduce, 0, 4096).work(millisecond).step().slice; };
    const LiveTimes times = replayLive({rank(0, 10 * millisecond), rank(1, 25 * millisecond)}, groups, nullptr, 1);
    ASSERT_EQ(times.ranks.size(), 2u);
    EXPECT_NEAR(times.ranks[0].total, 0.026, 1e-12);
    EXPECT_NEAR(times.ranks[0].waiting, 0.015, 1e-12);
    EXPECT_NEAR(times.ranks[1].waiting, 0, 1e-12);
}

TEST(LiveReplay, computeScaleStretchesOwnWorkAlone) {
    const LiveGroups groups = worldOf(1);
    const LiveTimes times = replayLive({Written(0, 1, {{1, 0}}).work(10 * millisecond).call(CallKind::all_reduce, 0, 4096).step().slice}, groups, nullptr, 0.5);
    EXPECT_NEAR(times.ranks[0].total, 0.005, 1e-12);
}

// A call alone on the drawn network takes what `orrery-cli collective` says of it.
TEST(LiveReplay, aLoneCollectiveTakesWhatTheNetworkNeeds) {
    const Scenario scenario = h100(2);
    const LiveGroups groups = worldOf(16);
    LiveNetwork network(scenario, groups);
    const std::uint64_t bytes = 100000000;
    const LiveTimes times = replayLive({Written(3, 16, {{16, 3}}).work(millisecond).call(CallKind::all_reduce, 0, bytes).step().slice}, groups, &network, 1);
    std::vector<int> all(16);
    std::iota(all.begin(), all.end(), 0);
    const double alone = runLoneCollective(scenario, all, CollectiveKind::all_reduce, static_cast<double>(bytes)).time;
    EXPECT_GT(alone, 0);
    EXPECT_NEAR(times.ranks[0].waiting, alone, 1e-9 * alone);
}

TEST(LiveReplay, anAsynchronousCallHidesBehindWork) {
    const Scenario scenario = h100(2);
    const LiveGroups groups = worldOf(16);
    LiveNetwork network(scenario, groups);
    const LiveTimes times = replayLive({Written(3, 16, {{16, 3}}).begin(CallKind::all_reduce, 0, 1000000).work(1000 * millisecond).wait().step().slice}, groups, &network, 1);
    EXPECT_NEAR(times.ranks[0].total, 1.0, 1e-9);
}

// Narayanan et al. 2021: 1F1B with equal stages and no communication takes (m + p - 1)(f + b).
TEST(LiveReplay, aRecordedStageStandsForTheVirtualOneOfAPipeline) {
    const LiveGroups groups = worldOf(8);
    for (const int m : {1, 2, 5, 8}) {
        LiveSlice other = stageOf(1, 8, 4, m, millisecond, 2 * millisecond, false);
        other.recorded = true;
        const LiveTimes times = replayLive({stageOf(0, 8, 0, m, millisecond, 2 * millisecond, false), other}, groups, nullptr, 1);
        ASSERT_FALSE(times.fault) << times.fault->message;
        EXPECT_EQ(times.freePartners, 0u);
        EXPECT_NEAR(times.ranks[0].total, (m + 1) * 0.003, 1e-12) << m;
    }
}

TEST(LiveReplay, blockingSendsBothWaysDeadlockInVirtualTimeToo) {
    const LiveGroups groups = worldOf(8);
    LiveSlice other = stageOf(1, 8, 4, 4, millisecond, millisecond, false);
    other.recorded = true;
    const LiveTimes times = replayLive({stageOf(0, 8, 0, 4, millisecond, millisecond, true), other}, groups, nullptr, 1);
    ASSERT_TRUE(times.fault);
    EXPECT_EQ(times.fault->code, "virtual-deadlock");
}

TEST(LiveReplay, aRankThatNobodyStandsForIsReadyAndCounted) {
    const LiveGroups groups = worldOf(8);
    const LiveTimes times = replayLive({stageOf(0, 8, 0, 4, millisecond, millisecond, false)}, groups, nullptr, 1);
    EXPECT_EQ(times.freePartners, 8u); // four sends and four receives
    EXPECT_NEAR(times.ranks[0].waiting, 0, 1e-12);
}

TEST(LiveReplay, aRealRankThatDoesNotDoWhatItsClassDoesIsNamed) {
    const LiveGroups groups = worldOf(4);
    LiveSlice other = Written(1, 4, {{4, 1}}).call(CallKind::all_gather, 0, 64).step().slice;
    other.recorded = true;
    const LiveTimes times = replayLive({Written(0, 4, {{4, 0}}).call(CallKind::all_reduce, 0, 64).step().slice, other}, groups, nullptr, 1);
    ASSERT_TRUE(times.fault);
    EXPECT_EQ(times.fault->code, "class-mismatch");
    EXPECT_NE(times.fault->message.find("all_gather"), std::string::npos);
}

TEST(LiveReplay, shortRecordsAreRepeatedByTheirLastStep) {
    const LiveGroups groups = worldOf(2);
    Written real(0, 2, {{2, 0}}), recorded(1, 2, {{2, 1}});
    for (int i = 0; i < 10; ++i) real.work(millisecond).call(CallKind::all_reduce, 0, 64).step();
    for (int i = 0; i < 3; ++i) recorded.work(3 * millisecond).call(CallKind::all_reduce, 0, 64).step();
    recorded.slice.recorded = true;
    const LiveTimes times = replayLive({real.slice, recorded.slice}, groups, nullptr, 1);
    ASSERT_FALSE(times.fault);
    EXPECT_NEAR(times.ranks[0].total, 0.030, 1e-12);
    EXPECT_NEAR(*times.ranks[0].iteration, 0.003, 1e-12);
}

TEST(LiveSlice, isReadBackAsItWasWritten) {
    LiveSlice slice = stageOf(0, 8, 0, 4, millisecond, millisecond, false);
    slice.places[1] = {"/home/a/train.py", "step", 31};
    slice.peakBytes = 12345;
    Problems problems;
    const auto again = readLiveSlice(toDocument(slice), "rank0.json", problems);
    ASSERT_TRUE(again);
    EXPECT_TRUE(problems.empty());
    EXPECT_EQ(toDocument(*again), toDocument(slice));
    EXPECT_TRUE(compareSlices(*again, slice).first.empty());
    EXPECT_FALSE(readLiveSlice(Json{{"format", "else"}}, "x.json", problems));
    EXPECT_EQ(problems.size(), 1u);
}

TEST(LiveReport, saysWhatChangesBetweenWorldsAndNothingElse) {
    LiveAnswer small, large;
    small.world = 8;
    large.world = 64;
    const auto rank = [](int world, std::uint64_t bytes) { return Written(0, world, {{world, 0}, {world / 4, 0}}).call(CallKind::all_gather, 1, bytes).step().slice; };
    small.slices.push_back(rank(8, 64));
    large.slices.push_back(rank(64, 8));
    const std::vector<std::string> changes = changesBetween(small, large);
    ASSERT_EQ(changes.size(), 3u);
    EXPECT_NE(changes[0].find("group 0 has 64 ranks instead of 8"), std::string::npos);
    EXPECT_NE(changes[1].find("group 1 has 16 ranks instead of 2"), std::string::npos);
    EXPECT_NE(changes[2].find("16 float32 → 2"), std::string::npos) << changes[2];
    EXPECT_TRUE(changesBetween(small, small).empty());
}

} // namespace orrery::test
