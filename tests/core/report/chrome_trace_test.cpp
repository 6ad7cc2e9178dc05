#include "core/report/timeline.hpp"

#include "core/base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

namespace orrery {
namespace {

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
    timeline.segments = {{"layer", Phase::forward, first + second, {{0, 0, first, StreamKind::compute}, {1, first, first + second, StreamKind::tensor}}},
                         {"send", Phase::communication, 1e-5, {{2, 0, 1e-5, StreamKind::pipeline}}}};
    for (int stage = 0; stage < 2; ++stage) {
        StageTimeline line;
        line.stage = stage;
        line.ranks = stage == 0 ? "0-7" : "8-15";
        line.staticBytes = 5e9;
        Stream compute{StreamKind::compute, {}};
        Stream pipeline{StreamKind::pipeline, {}};
        double time = stage * 1e-3;
        for (int i = 0; i < 40; ++i) {
            compute.spans.push_back({time, time + timeline.segments[0].duration, 0, i / 4, i % 4, static_cast<std::int16_t>(stage)});
            time += timeline.segments[0].duration;
            if (i % 4 == 3) pipeline.spans.push_back({time, time + 1e-5, 1, i / 4, -1, 0});
            line.memory.push_back({time, 1e8 * i, 5e7});
        }
        line.streams = {compute, {StreamKind::tensor, {}}, pipeline};
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
        if (event.at("ph") == "X") events[{event.at("pid").get<int>(), event.at("tid").get<int>()}].push_back(event);
    std::size_t total = 0;
    for (int stage = 0; stage < 2; ++stage) {
        for (const StreamKind stream : {StreamKind::compute, StreamKind::tensor, StreamKind::pipeline, StreamKind::data}) {
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
        if (event.at("ph") != "X") continue;
        const std::int64_t start = std::llround(event.at("ts").get<double>() * 1000);
        std::int64_t& end = reached[{event.at("pid").get<int>(), event.at("tid").get<int>()}];
        EXPECT_GE(start, end);
        end = start + std::llround(event.at("dur").get<double>() * 1000);
    }
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
    EXPECT_EQ((threads[{0, static_cast<int>(StreamKind::tensor)}]), "tensor");
}

TEST(ChromeTrace, WritesTheSameBytesTwice) {
    EXPECT_EQ(traceOf(twoStages()), traceOf(twoStages()));
    EXPECT_EQ(Json::parse(traceOf(Timeline{})).at("traceEvents").size(), 0u);
}

} // namespace
} // namespace orrery
