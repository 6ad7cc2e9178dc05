// SPDX-License-Identifier: GPL-3.0-or-later
// Loads of links over stretches of time, against what can be worked out by hand.

#include "core/results/report/network_report.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <numeric>

using namespace orrery;

namespace {

constexpr StreamKind betweenStages{2};

TimedOperator named(const char* name) {
    TimedOperator timed;
    timed.op.name = name;
    return timed;
}

Segment segmentOf(double duration, std::vector<SegmentEntry> entries) {
    Segment segment;
    segment.duration = duration;
    segment.entries = std::move(entries);
    return segment;
}

ReportLink linkOf(double capacity, int copies = 1) {
    ReportLink link;
    link.capacity = capacity;
    link.copies = copies;
    return link;
}

Span span(double start, double end, std::uint32_t segment) {
    Span one;
    one.start = start;
    one.end = end;
    one.segment = segment;
    return one;
}

/// Two stages. Stage 0 runs a layer (4 s: 2 s of compute, then 1 s of a tensor collective, then 1 s of compute) three times, at 0, 4 and 10 s, and
/// sends for 2 s at 4 and at 8 s. Stage 1 runs the layer once, at 4.5 s.
/// Operators: 0 product, 1 tensor collective, 2 transfer.
struct Fixture {
    Timeline timeline;
    NetworkReport network;

    Fixture() {
        timeline.duration = 14;
        timeline.operators = {named("product"), named("tensor"), named("transfer")};
        timeline.segments = {segmentOf(4, {{0, 0, 2, StreamKind::compute}, {1, 2, 3, StreamKind::within}, {0, 3, 4, StreamKind::compute}}),
                             segmentOf(2, {{2, 0, 2, betweenStages}})};
        StageTimeline first, second;
        first.stage = 0;
        first.streams = {{StreamKind::compute, {span(0, 4, 0), span(4, 8, 0), span(10, 14, 0)}},
                         {StreamKind::within, {}},
                         {betweenStages, {span(4, 6, 1), span(8, 10, 1)}}};
        second.stage = 1;
        second.streams = {{StreamKind::compute, {span(4.5, 8.5, 0)}}};
        timeline.stages = {first, second};

        // Link 0: one cable of 100 B/s. Link 1: four of 10 B/s each. Link 2: nothing uses it.
        network.links = {linkOf(100), linkOf(40, 4), linkOf(1)};
        TrafficPattern tensorOfFirst, tensorOfSecond, transfer;
        tensorOfFirst.uses = {{0, 30, 30, 1}, {1, 20, 8, 1}};
        tensorOfSecond.uses = {{0, 50, 50, 1}};
        transfer.uses = {{1, 12, 12, 1}};
        network.patterns = {tensorOfFirst, tensorOfSecond, transfer};
        network.patternOf = {{-1, 0, 2}, {-1, 1, -1}};
    }
};

} // namespace

TEST(LinkLoads, WholeIterationIsCountTimesBytes) {
    const Fixture f;
    const std::vector<LinkLoad> loads = linkLoads(f.timeline, f.network, 0, 14);
    ASSERT_EQ(loads.size(), 3u);
    EXPECT_DOUBLE_EQ(loads[0].bytes, 3 * 30 + 50);
    EXPECT_DOUBLE_EQ(loads[1].bytes, 3 * 20 + 2 * 12);
    EXPECT_DOUBLE_EQ(loads[2].bytes, 0);
    EXPECT_DOUBLE_EQ(loads[0].mean, 140.0 / 14 / 100);
    EXPECT_DOUBLE_EQ(loads[1].mean, 84.0 / 14 / 40);
    EXPECT_DOUBLE_EQ(loads[1].peak, (3 * 8 + 2 * 12) / 14.0 / 10); // against one copy's 10 B/s
    EXPECT_TRUE(loads[2].users.empty());
}

TEST(LinkLoads, UsersAreOperatorsMostFirst) {
    const Fixture f;
    const std::vector<LinkLoad> loads = linkLoads(f.timeline, f.network, 0, 14);
    ASSERT_EQ(loads[0].users.size(), 1u); // of both stages
    EXPECT_EQ(loads[0].users[0].first, 1u);
    EXPECT_DOUBLE_EQ(loads[0].users[0].second, 140);
    ASSERT_EQ(loads[1].users.size(), 2u);
    EXPECT_EQ(loads[1].users[0].first, 1u);
    EXPECT_DOUBLE_EQ(loads[1].users[0].second, 60);
    EXPECT_EQ(loads[1].users[1].first, 2u);
    EXPECT_DOUBLE_EQ(loads[1].users[1].second, 24);
}

TEST(LinkLoads, AtOneMomentIsARate) {
    const Fixture f;
    // 6.5 s: stage 0's second layer is in its collective (6 to 7 s), and stage 1's too (6.5 to 7.5 s).
    const std::vector<LinkLoad> loads = linkLoads(f.timeline, f.network, 6.5, 6.5);
    EXPECT_DOUBLE_EQ(loads[0].bytes, 30 + 50);
    EXPECT_DOUBLE_EQ(loads[0].mean, 0.8);
    EXPECT_DOUBLE_EQ(loads[1].bytes, 20);
    EXPECT_DOUBLE_EQ(loads[1].mean, 0.5);
    EXPECT_DOUBLE_EQ(loads[1].peak, 0.8);
    // A bar holds the moment it begins at, not the one it ends at.
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 2, 2)[0].bytes, 30);
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 3, 3)[0].bytes, 0);
    // 5 s: only the transfer, 12 bytes in 2 s.
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 5, 5)[1].bytes, 6);
}

TEST(LinkLoads, EndsOfARangeCutInstances) {
    const Fixture f;
    // 2.25 to 2.75 s: half of one collective.
    const std::vector<LinkLoad> inside = linkLoads(f.timeline, f.network, 2.25, 2.75);
    EXPECT_DOUBLE_EQ(inside[0].bytes, 15);
    EXPECT_DOUBLE_EQ(inside[0].mean, 0.3);
    // 6.75 to 9 s: a quarter of stage 0's, three quarters of stage 1's, half a transfer.
    const std::vector<LinkLoad> across = linkLoads(f.timeline, f.network, 6.75, 9);
    EXPECT_DOUBLE_EQ(across[0].bytes, 0.25 * 30 + 0.75 * 50);
    EXPECT_DOUBLE_EQ(across[1].bytes, 0.25 * 20 + 0.5 * 12);
}

TEST(LinkLoads, AStretchedInstanceSendsTheSameBytesInMoreTime) {
    Fixture f;
    f.timeline.stages[1].streams[0].spans = {span(4, 12, 0)}; // twice as long: its collective runs from 8 to 10 s
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 9, 9)[0].bytes, 25);
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 9, 9.5)[0].bytes, 12.5);
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 0, 14)[0].bytes, 3 * 30 + 50);
}

TEST(LinkLoads, PeakIsAtMostOne) {
    Fixture f;
    f.network.patterns[1].uses[0].busiest = 1e6;
    EXPECT_DOUBLE_EQ(linkLoads(f.timeline, f.network, 7, 7)[0].peak, 1);
}

TEST(LinkLoads, PartsOfTheTimeSumToTheWhole) {
    const Fixture f;
    const std::vector<LinkLoad> whole = linkLoads(f.timeline, f.network, 0, 14);
    std::vector<double> sum(whole.size());
    constexpr int parts = 97; // cuts everything somewhere
    for (int i = 0; i < parts; ++i) {
        const std::vector<LinkLoad> part = linkLoads(f.timeline, f.network, 14.0 * i / parts, 14.0 * (i + 1) / parts);
        for (std::size_t link = 0; link < sum.size(); ++link) sum[link] += part[link].bytes;
    }
    for (std::size_t link = 0; link < sum.size(); ++link) EXPECT_NEAR(sum[link], whole[link].bytes, 1e-9 * (1 + whole[link].bytes));
}

TEST(LinkLoads, NothingToReport) {
    const Fixture f;
    EXPECT_TRUE(linkLoads(f.timeline, {}, 0, 14).empty());
    EXPECT_TRUE(linkLoads({}, {}, 0, 0).empty());
    NetworkReport unpatterned = f.network;
    unpatterned.patternOf.clear(); // as many rows as a report has: none
    for (const LinkLoad& load : linkLoads(f.timeline, unpatterned, 0, 14)) EXPECT_EQ(load.bytes, 0);
}

TEST(LinkLoads, ACursorMoveDoesNotWalkTheIteration) {
    // 16 stages, 500 micro-batches, 6 layers each: 96,000 spans with 14 operators.
    Timeline timeline;
    NetworkReport network;
    constexpr std::size_t stages = 16, microBatches = 500, layers = 6, entries = 14, links = 1024;
    for (std::size_t op = 0; op < entries; ++op) timeline.operators.push_back(named("op"));
    Segment layer = segmentOf(entries, {});
    for (std::uint32_t op = 0; op < entries; ++op)
        layer.entries.push_back({op, static_cast<double>(op), op + 1.0, op % 2 ? StreamKind::within : StreamKind::compute});
    timeline.segments = {layer};
    network.links.assign(links, linkOf(1000));
    for (std::size_t stage = 0; stage < stages; ++stage) {
        StageTimeline line;
        line.streams = {{StreamKind::compute, {}}};
        for (std::size_t i = 0; i < 2 * microBatches * layers; ++i)
            line.streams[0].spans.push_back(span(static_cast<double>(entries * i), static_cast<double>(entries * (i + 1)), 0));
        timeline.stages.push_back(std::move(line));
        std::vector<std::int32_t> row(entries, -1);
        for (std::size_t op = 1; op < entries; op += 2) {
            row[op] = static_cast<std::int32_t>(network.patterns.size());
            TrafficPattern pattern;
            for (std::uint32_t link = 0; link < links; link += 4) pattern.uses.push_back({link, 10, 10, 1});
            network.patterns.push_back(pattern);
        }
        network.patternOf.push_back(row);
    }
    const double duration = entries * 2.0 * microBatches * layers;
    timespec begin{}, end{};
    constexpr int moves = 200;
    double bytes = 0;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (int i = 0; i < moves; ++i) {
        const double moment = duration * i / moves + 1.5; // in the second operator of a layer
        const std::vector<LinkLoad> loads = linkLoads(timeline, network, moment, moment);
        bytes += std::accumulate(loads.begin(), loads.end(), 0.0, [](double sum, const LinkLoad& load) { return sum + load.bytes; });
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    const double each = (static_cast<double>(end.tv_sec - begin.tv_sec) * 1e3 + static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e6) / moves;
    RecordProperty("ms_a_move", std::to_string(each));
    EXPECT_GT(bytes, 0);
    EXPECT_LT(each, 5.0);

    const std::vector<LinkLoad> whole = linkLoads(timeline, network, 0, duration);
    const double sum = std::accumulate(whole.begin(), whole.end(), 0.0, [](double all, const LinkLoad& load) { return all + load.bytes; });
    EXPECT_DOUBLE_EQ(sum, stages * 2.0 * microBatches * layers * (entries / 2) * (links / 4) * 10.0);
}
