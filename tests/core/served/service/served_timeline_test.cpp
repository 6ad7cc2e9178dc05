// SPDX-License-Identifier: GPL-3.0-or-later
// Served requests in time: what a row of the timeline says of an instance's steps, however many there were.
#include "core/served/service/engine_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace orrery {
namespace {

/// Steps of all kinds, some after a pause.
std::vector<StepRecord> randomSteps(unsigned seed, int count) {
    std::mt19937 random(seed);
    std::vector<StepRecord> steps;
    double now = 0.25;
    for (int i = 0; i < count; ++i) {
        if (random() % 7 == 0) now += 0.001 * (1 + random() % 50);
        StepRecord step;
        step.start = now;
        step.seconds = 0.001 * (1 + random() % 30);
        const unsigned kind = random() % 3;
        if (kind != 1) step.prefills = 1 + static_cast<int>(random() % 4);
        if (kind != 0) step.decodes = 1 + static_cast<int>(random() % 60);
        step.running = step.prefills + step.decodes;
        step.freeBlocks = static_cast<int>(random() % 1000);
        steps.push_back(step);
        now = step.start + step.seconds;
    }
    return steps;
}

double busyOf(const std::vector<StepRecord>& steps) {
    double sum = 0;
    for (const StepRecord& step : steps) sum += step.seconds;
    return sum;
}

ServedInstance instanceOf(const std::vector<StepRecord>& steps) {
    ServedInstance instance;
    instance.firstRank = 4;
    instance.ranks = 2;
    instance.fixedBytes = 1e9;
    instance.blockBytes = 1e6;
    instance.blocks = 1000;
    instance.steps = &steps;
    return instance;
}

void expectRowOf(const Timeline& timeline, std::size_t row, const std::vector<StepRecord>& steps) {
    const std::vector<Span>& spans = timeline.stages[row].streams.front().spans;
    double sum = 0, visited = 0, before = 0;
    for (const Span& span : spans) {
        EXPECT_GE(span.start, before);
        EXPECT_GE(span.end, span.start);
        before = span.end;
        sum += span.end - span.start;
    }
    EXPECT_NEAR(sum, busyOf(steps), 1e-9 * busyOf(steps));
    // What views ask: a step is one operator that lasts as long as the step, not as long as another of its kind.
    forEachOperator(timeline, static_cast<int>(row), StreamKind::compute, -1, 1e9, [&](const OperatorInstance& one) {
        EXPECT_EQ(one.start, one.span->start);
        EXPECT_EQ(one.end, one.span->end);
        visited += one.end - one.start;
    });
    EXPECT_NEAR(visited, sum, 1e-9 * sum);
    EXPECT_LE(before, timeline.duration * (1 + 1e-12));
}

TEST(ServedTimeline, ARowIsWhatItsInstanceDid) {
    const std::vector<StepRecord> one = randomSteps(1, 500), other = randomSteps(2, 300);
    const Timeline timeline = servedTimeline({instanceOf(one), instanceOf(other)});
    ASSERT_EQ(timeline.stages.size(), 2u);
    EXPECT_EQ(timeline.kind, TimelineKind::requests);
    EXPECT_EQ(timeline.stages[1].stage, 1);
    EXPECT_EQ(timeline.stages[0].ranks, "4-5");
    ASSERT_EQ(timeline.stages[0].streams.front().spans.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        const std::string& name = timeline.segments[timeline.stages[0].streams.front().spans[i].segment].name;
        EXPECT_EQ(name, one[i].prefills == 0 ? "decode" : one[i].decodes == 0 ? "prefill"
                                                                              : "mixed");
    }
    expectRowOf(timeline, 0, one);
    expectRowOf(timeline, 1, other);
}

TEST(ServedTimeline, ItsMemoryIsWhatTheBlocksInUseHold) {
    const std::vector<StepRecord> steps = randomSteps(3, 200);
    const Timeline timeline = servedTimeline({instanceOf(steps)});
    const std::vector<MemorySample>& samples = timeline.stages[0].memory;
    for (const StepRecord& step : steps) {
        const auto after = std::upper_bound(samples.begin(), samples.end(), step.start, [](double time, const MemorySample& sample) { return time < sample.time; });
        ASSERT_NE(after, samples.begin());
        EXPECT_DOUBLE_EQ(std::prev(after)->activations, (1000 - step.freeBlocks) * 1e6);
    }
}

TEST(ServedTimeline, LongRunsStaySmallAndKeepTheirBusyTimeAndPeak) {
    const std::vector<StepRecord> steps = randomSteps(4, 20000);
    const Timeline timeline = servedTimeline({instanceOf(steps)}, 400);
    const StageTimeline& row = timeline.stages[0];
    // Pauses part spans: what stands between two of them can't be joined, and about each seventh step comes after one.
    EXPECT_LT(row.streams.front().spans.size(), steps.size() / 4);
    EXPECT_LE(row.memory.size(), 402u);
    expectRowOf(timeline, 0, steps);
    const auto fullest = std::min_element(steps.begin(), steps.end(), [](const StepRecord& a, const StepRecord& b) { return a.freeBlocks < b.freeBlocks; });
    double most = 0;
    for (const MemorySample& sample : row.memory) most = std::max(most, sample.activations);
    EXPECT_DOUBLE_EQ(most, (1000 - fullest->freeBlocks) * 1e6);
}

TEST(ServedTimeline, AnInstanceWithoutStepsIsAnEmptyRow) {
    const std::vector<StepRecord> none;
    const Timeline timeline = servedTimeline({instanceOf(none)});
    ASSERT_EQ(timeline.stages.size(), 1u);
    EXPECT_TRUE(timeline.stages[0].streams.front().spans.empty());
    EXPECT_TRUE(timeline.stages[0].memory.empty());
    EXPECT_EQ(timeline.duration, 0);
}

} // namespace
} // namespace orrery
