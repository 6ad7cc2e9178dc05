// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/timeline.hpp"

#include "core/base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

namespace orrery {
namespace {

/// A row that the made-up program has besides those that every program has.
constexpr StreamKind betweenStages{2};

/// Two stages by hand: a layer with an exposed collective, a send, odd names, times that are no whole nanoseconds.
Timeline twoStages() {
    Timeline timeline;
    const auto op = [&](const char* name, Phase phase, double time, CollectiveKind collective = CollectiveKind::none) {
        TimedOperator timed;
        timed.op.name = name;
        timed.op.phase = phase;
        timed.op.flops = 1e12 / 3;
        timed.op.bytesRead = 1000;
        timed.op.bytesWritten = 24;
        timed.op.collective = collective;
        timed.op.messageBytes = collective == CollectiveKind::none ? 0 : 4096;
        timed.time = time;
        timed.bound = collective == CollectiveKind::none ? Bound::compute : Bound::network;
        timed.source = Source::predicted;
        timeline.operators.push_back(timed);
    };
    op("mlp.\"gate\"\\up\n", Phase::forward, 1e-3 / 3);
    op("all-gather", Phase::communication, 2e-4 / 7, CollectiveKind::all_gather);
    op("send µ", Phase::communication, 1e-5, CollectiveKind::send_receive);
    const double first = timeline.operators[0].time;
    const double second = timeline.operators[1].time;
    timeline.streamNames = {"compute", "tensor", "between stages"};
    timeline.segments = {{"layer", Phase::forward, first + second, {{0, 0, first, StreamKind::compute}, {1, first, first + second, StreamKind::within}}},
                         {"send", Phase::communication, 1e-5, {{2, 0, 1e-5, betweenStages}}}};
    for (int stage = 0; stage < 2; ++stage) {
        StageTimeline line;
        line.stage = stage;
        line.ranks = stage == 0 ? "0-7" : "8-15";
        line.staticBytes = 5e9;
        Stream compute{StreamKind::compute, {}};
        Stream pipeline{betweenStages, {}};
        double time = stage * 1e-3;
        for (int i = 0; i < 40; ++i) {
            compute.spans.push_back({time, time + timeline.segments[0].duration, 0, i / 4, i % 4, static_cast<std::int16_t>(stage)});
            time += timeline.segments[0].duration;
            if (i % 4 == 3) pipeline.spans.push_back({time, time + 1e-5, 1, i / 4, -1, 0});
            line.memory.push_back({time, 1e8 * i, 5e7});
        }
        line.streams = {compute, {StreamKind::within, {}}, pipeline};
        timeline.duration = time;
        timeline.stages.push_back(line);
    }
    return timeline;
}

std::string traceOf(const Timeline& timeline) {
    std::ostringstream out;
    writeChromeTrace(timeline, out);
    return out.str();
}

TEST(ChromeTrace, HoldsEveryOperatorOnceWithItsTime) {
    const Timeline timeline = twoStages();
    const Json trace = Json::parse(traceOf(timeline));
    std::map<std::pair<int, int>, std::vector<Json>> events; // by process and thread
    for (const Json& event : trace.at("traceEvents"))
        if (event.at("ph") == "X" && event.at("cat") != "micro-batch") events[{event.at("pid").get<int>(), event.at("tid").get<int>()}].push_back(event);
    std::size_t total = 0;
    for (int stage = 0; stage < 2; ++stage) {
        for (const StreamKind stream : streamKinds(timeline)) {
            const std::vector<Json>& found = events[{stage, static_cast<int>(stream)}];
            std::size_t at = 0;
            forEachOperator(timeline, stage, stream, -1, 1e9, [&](const OperatorInstance& one) {
                ASSERT_LT(at, found.size());
                const Json& event = found[at++];
                const TimedOperator& timed = timeline.operators[one.op];
                EXPECT_EQ(event.at("name"), timed.op.name);
                EXPECT_EQ(event.at("cat"), toString(timed.op.phase));
                EXPECT_NEAR(event.at("ts").get<double>() * 1e-6, one.start, 0.51e-9);
                EXPECT_NEAR(event.at("dur").get<double>() * 1e-6, one.end - one.start, 1.01e-9);
                const Json& arguments = event.at("args");
                EXPECT_EQ(arguments.at("micro_batch"), one.span->microBatch);
                EXPECT_EQ(arguments.at("layer"), one.span->layer);
                EXPECT_EQ(arguments.at("chunk"), one.span->chunk);
                EXPECT_EQ(arguments.at("flops"), timed.op.flops);
                EXPECT_EQ(arguments.at("bytes"), 1024);
                EXPECT_EQ(arguments.at("bound"), toString(timed.bound));
                EXPECT_EQ(arguments.at("source"), "predicted");
            });
            EXPECT_EQ(at, found.size());
            EXPECT_EQ(at, operatorCount(timeline, stage, stream));
            total += at;
        }
    }
    EXPECT_EQ(total, 2u * (40 + 40 + 10));
}

TEST(ChromeTrace, NeighboursTouchWithoutOverlap) {
    // Perfetto nests slices of a thread that overlap by so much as a nanosecond.
    const Json trace = Json::parse(traceOf(twoStages()));
    std::map<std::pair<int, int>, std::int64_t> reached;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X" || event.at("cat") == "micro-batch") continue;
        const std::int64_t start = std::llround(event.at("ts").get<double>() * 1000);
        std::int64_t& end = reached[{event.at("pid").get<int>(), event.at("tid").get<int>()}];
        EXPECT_GE(start, end);
        end = start + std::llround(event.at("dur").get<double>() * 1000);
    }
}

/// Slices above the operators, and what a reader of the format makes of them.
struct Slice {
    int process = 0, microBatch = 0;
    std::int64_t start = 0, end = 0; ///< ns
    std::string name;
};

std::int64_t nanosecondsOf(const Json& event, const char* key) { return std::llround(event.at(key).get<double>() * 1000); }

std::vector<Slice> slicesOf(const Json& trace) {
    std::vector<Slice> slices;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X" || event.at("cat") != "micro-batch") continue;
        EXPECT_EQ(event.at("tid"), static_cast<int>(StreamKind::compute));
        const std::int64_t start = nanosecondsOf(event, "ts");
        slices.push_back({event.at("pid"), event.at("args").at("micro_batch"), start, start + nanosecondsOf(event, "dur"), event.at("name")});
    }
    return slices;
}

TEST(ChromeTrace, EveryMicroBatchHasASliceAboveItsOperators) {
    const Json trace = Json::parse(traceOf(twoStages()));
    const std::vector<Slice> slices = slicesOf(trace);
    EXPECT_EQ(slices.size(), 2u * 10); // ten micro-batches of four layers on two stages
    EXPECT_EQ(slices.front().name, "forward, micro-batch 0");
    EXPECT_EQ(slices.back().name, "forward, micro-batch 9, chunk 1");
    for (std::size_t i = 1; i < slices.size(); ++i) {
        if (slices[i].process == slices[i - 1].process) {
            EXPECT_GE(slices[i].start, slices[i - 1].end);
        }
    }
    // Each operator of the thread lies within one, and follows it in the file: readers nest by that.
    const Slice* open = nullptr;
    std::size_t at = 0, inside = 0;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "X" || event.at("tid") != static_cast<int>(StreamKind::compute)) continue;
        if (event.at("cat") == "micro-batch") {
            open = &slices[at++];
            continue;
        }
        ASSERT_NE(open, nullptr);
        EXPECT_GE(nanosecondsOf(event, "ts"), open->start);
        EXPECT_LE(nanosecondsOf(event, "ts") + nanosecondsOf(event, "dur"), open->end);
        EXPECT_EQ(event.at("args").at("micro_batch"), open->microBatch);
        ++inside;
    }
    EXPECT_EQ(inside, 2u * 40);
}

TEST(ChromeTrace, ArrowsFollowEachMicroBatchThroughThePipeline) {
    Timeline timeline = twoStages();
    // Stage 1 takes each micro-batch up when stage 0 is through with it, and sends it back: backward in the other order.
    timeline.segments.push_back({"layer", Phase::backward, 1e-4, {{0, 0, 1e-4, StreamKind::compute}}});
    for (StageTimeline& stage : timeline.stages) {
        std::vector<Span>& spans = stage.streams[0].spans;
        for (Span& span : spans) {
            const double shift = stage.stage * 5e-3;
            span.start += shift;
            span.end += shift;
            span.chunk = 0;
        }
        double time = 0.1 + (stage.stage == 1 ? 0 : 1e-3);
        for (int microBatch = 0; microBatch < 10; ++microBatch, time += 2e-3) spans.push_back({time, time + 1e-4, 2, microBatch, 0, 0});
    }
    const Json trace = Json::parse(traceOf(timeline));
    const std::vector<Slice> slices = slicesOf(trace);
    ASSERT_EQ(slices.size(), 2u * 20);
    std::map<int, std::pair<const Json*, const Json*>> arrows;
    for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") == "s") arrows[event.at("id").get<int>()].first = &event;
        if (event.at("ph") == "f") arrows[event.at("id").get<int>()].second = &event;
    }
    ASSERT_EQ(arrows.size(), 10u * 3); // F0 → F1 → B1 → B0 of each
    const auto within = [&](const Json& event) -> const Slice* {
        for (const Slice& slice : slices) {
            const std::int64_t time = nanosecondsOf(event, "ts");
            if (slice.process == event.at("pid").get<int>() && time >= slice.start && time < slice.end) return &slice;
        }
        return nullptr;
    };
    std::map<int, std::vector<int>> ways;
    for (const auto& [id, ends] : arrows) {
        ASSERT_NE(ends.first, nullptr);
        ASSERT_NE(ends.second, nullptr);
        EXPECT_EQ(ends.second->at("bp"), "e");
        EXPECT_LE(nanosecondsOf(*ends.first, "ts"), nanosecondsOf(*ends.second, "ts"));
        const Slice *from = within(*ends.first), *to = within(*ends.second);
        ASSERT_NE(from, nullptr);
        ASSERT_NE(to, nullptr);
        EXPECT_EQ(from->microBatch, to->microBatch);
        EXPECT_EQ(nanosecondsOf(*ends.second, "ts"), to->start); // arrives with the slice
        if (ways[from->microBatch].empty()) ways[from->microBatch].push_back(from->process);
        ways[from->microBatch].push_back(to->process);
    }
    for (const auto& [microBatch, way] : ways) EXPECT_EQ(way, (std::vector<int>{0, 1, 1, 0})) << microBatch;
}

TEST(ChromeTrace, NamesProcessesAndThreadsAndCountsMemory) {
    const Timeline timeline = twoStages();
    const Json trace = Json::parse(traceOf(timeline));
    std::map<int, std::string> processes;
    std::map<std::pair<int, int>, std::string> threads;
    std::size_t samples = 0;
    for (const Json& event : trace.at("traceEvents")) {
        const int process = event.at("pid").get<int>();
        if (event.at("name") == "process_name") processes[process] = event.at("args").at("name");
        if (event.at("name") == "thread_name") threads[{process, event.at("tid").get<int>()}] = event.at("args").at("name");
        if (event.at("ph") != "C") continue;
        const MemorySample& sample = timeline.stages[static_cast<std::size_t>(process)].memory[samples++ % 40];
        EXPECT_NEAR(event.at("ts").get<double>() * 1e-6, sample.time, 0.51e-9);
        EXPECT_EQ(event.at("args").at("activations"), sample.activations);
        EXPECT_EQ(event.at("args").at("temporary"), sample.temporary);
        EXPECT_EQ(event.at("args").at("static"), 5e9);
    }
    EXPECT_EQ(samples, 80u);
    ASSERT_EQ(processes.size(), 2u);
    EXPECT_NE(processes[1].find("Stage 1"), std::string::npos);
    EXPECT_NE(processes[1].find("8-15"), std::string::npos);
    EXPECT_EQ(threads.size(), 6u); // compute, tensor and pipeline; no thread for a stream without events
    EXPECT_EQ((threads[{0, static_cast<int>(StreamKind::within)}]), "tensor");
    EXPECT_EQ((threads[{1, static_cast<int>(betweenStages)}]), "between stages"); // the program's own word
}

TEST(ChromeTrace, WritesTheSameBytesTwice) {
    EXPECT_EQ(traceOf(twoStages()), traceOf(twoStages()));
    EXPECT_EQ(Json::parse(traceOf(Timeline{})).at("traceEvents").size(), 0u);
}

} // namespace
} // namespace orrery
