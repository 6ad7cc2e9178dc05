// SPDX-License-Identifier: GPL-3.0-or-later
// Real traces against the figures that another program computed from them, and the definitions against made ones.
#include "core/base/json.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/decimal_time.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace orrery {
namespace {

Json figuresOf(const std::string& path) {
    Problems problems;
    const auto figures = traceFigures(test::readWholeFile(path), path, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return figures.value_or(Json());
}

TEST(TraceFigures, EqualTheExpectedOnes) {
    ORRERY_REQUIRE_SHARED("traces/expected.json");
    const Json expected = Json::parse(test::readWholeFile(test::sharedPath("traces/expected.json")));
    ASSERT_GE(expected["traces"].size(), 29U);
    for (const auto& [file, wanted] : expected["traces"].items()) {
        const Json figures = figuresOf(test::sharedPath("traces/" + file));
        for (const auto& [name, value] : wanted.items()) {
            ASSERT_TRUE(figures.contains(name)) << file << ' ' << name;
            EXPECT_EQ(figures[name], value) << file << ' ' << name;
        }
    }
}

TEST(TraceFigures, CollectivesOfTheRanksOfAJobEqualTheExpectedOnes) {
    ORRERY_REQUIRE_SHARED("traces/expected.json");
    const Json expected = Json::parse(test::readWholeFile(test::sharedPath("traces/expected.json")));
    for (const auto& [folder, wanted] : expected["collectives"].items()) {
        std::vector<KinetoTrace> ranks;
        for (const auto& entry : std::filesystem::directory_iterator(test::sharedPath("traces/" + folder))) {
            Problems problems;
            const auto text = unpackedTrace(test::readWholeFile(entry.path().string()), entry.path().string(), problems);
            ASSERT_TRUE(text);
            auto read = readTraceText(*text, entry.path().string(), problems);
            ASSERT_TRUE(read && read->kineto);
            ranks.push_back(std::move(*read->kineto));
        }
        const auto figures = collectiveFigures(ranks);
        ASSERT_TRUE(figures) << folder;
        for (const auto& [name, value] : wanted.items()) EXPECT_EQ((*figures)[name], value) << folder << ' ' << name;
    }
}

TEST(TraceFigures, EveryRealFileIsRead) {
    ORRERY_REQUIRE_SHARED("traces/expected.json");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::sharedPath("traces"))) {
        const std::string path = entry.path().string();
        if (!entry.is_regular_file() || path.ends_with(".md") || path.ends_with("expected.json")) continue;
        EXPECT_TRUE(figuresOf(path).contains("kind")) << path;
        ++files;
    }
    EXPECT_GT(files, 70U);
}

TEST(TraceFigures, RecordedPipelinesIdleAsTheirReadmeSays) {
    ORRERY_REQUIRE_SHARED("traces/primus-pp/README.md");
    const struct {
        const char* folder;
        double total;
        std::vector<double> idle;
        double firstMemory, lastMemory;
    } pipelines[] = {{"pp8", 3250.818, {36.60, 35.51, 33.32, 30.96, 29.42, 26.89, 27.79, 17.34}, 104.33, 52.20},
                     {"pp8_vpp2", 2879.636, {24.08, 27.57, 26.03, 27.75, 26.47, 25.04, 24.81, 9.75}, 130.60, 78.38}};
    for (const auto& pipeline : pipelines)
        for (std::size_t stage = 0; stage < pipeline.idle.size(); ++stage) {
            const Json figures = figuresOf(test::sharedPath("traces/primus-pp/" + std::string(pipeline.folder) + "/pp_rank_" + std::to_string(stage) + ".json"));
            ASSERT_EQ(figures["iterations"].size(), 20U);
            const Json& eighth = figures["iterations"][7];
            EXPECT_EQ(eighth["iteration"], "8");
            EXPECT_NEAR(eighth["idle_percent"].get<double>(), pipeline.idle[stage], 0.005) << pipeline.folder << stage;
            if (stage == 0) {
                EXPECT_NEAR(eighth["total_ms"].get<double>(), pipeline.total, 0.0005);
            }
            if (stage == 0 || stage == 7) {
                EXPECT_NEAR(eighth["memory_gib"].get<double>(), stage == 0 ? pipeline.firstMemory : pipeline.lastMemory, 0.005);
            }
        }
}

TEST(TraceFigures, MicrosecondsAreWholeNanosecondsWhateverTheyAreWrittenAs) {
    EXPECT_EQ(nanosecondsOf("1694128201549123.456"), 1694128201549123456);
    EXPECT_EQ(nanosecondsOf("10.0"), 10000);
    EXPECT_EQ(nanosecondsOf("7"), 7000);
    EXPECT_EQ(nanosecondsOf("-0.25"), -250);
    EXPECT_EQ(nanosecondsOf("0.0015"), 2);
    EXPECT_EQ(nanosecondsOf("1.5e3"), 1500000);
    for (const char* text : {"", "x", "-", "1.5x", "1e30", "99999999999999999999"}) EXPECT_FALSE(nanosecondsOf(text)) << text;
}

TEST(TraceFigures, UnionsCountWhatAnyIntervalCovers) {
    test::RandomSource random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<Interval> intervals;
        std::vector<bool> covered(200, false);
        for (std::size_t i = random.below(12); i > 0; --i) {
            const auto start = static_cast<std::int64_t>(random.below(150)), length = static_cast<std::int64_t>(random.below(50));
            intervals.push_back({start, start + length});
            for (std::int64_t at = start; at < start + length; ++at) covered[static_cast<std::size_t>(at)] = true;
        }
        EXPECT_EQ(coveredBy(intervals), std::count(covered.begin(), covered.end(), true));
    }
}

TEST(TraceFigures, NamesOfCommunicationKernels) {
    for (const char* name : {"ncclDevKernel_AllReduce_Sum_f32", "ncclKernel_SendRecv", "void allReduce(x)", "ReduceScatter", "deepep::dispatch", "deep_ep::combine", "vllm::cross_device_reduce_1stage", "MSCCLPP", "dpsk::ep::x"}) EXPECT_TRUE(isCommunication(name)) << name;
    for (const char* name : {"void at::native::elementwise", "ampere_sgemm_128x64", "reduce_kernel", "crossdevicereduce", "gather_all"}) EXPECT_FALSE(isCommunication(name)) << name;
}

TEST(TraceFigures, WhatIsNoTraceSaysSo) {
    const std::string good = R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2.5, "pid": 0, "tid": 7}]})";
    Problems none;
    EXPECT_EQ((*traceFigures(good, "good", none))["busy_us"], 2.5);
    const std::pair<std::string, const char*> bad[] = {{good.substr(0, 60), "broken-json"}, {"\x1f\x8b\x08 broken", "broken-gzip"}, {"", "no-trace"}, {"hello", "no-trace"}, {"{\"a\": 1}", "no-trace"}, {"[1, 2", "broken-json"}};
    for (const auto& [bytes, code] : bad) {
        Problems problems;
        EXPECT_FALSE(traceFigures(bytes, "bad", problems)) << bytes;
        ASSERT_EQ(problems.size(), 1U) << bytes;
        EXPECT_EQ(problems.front().code, code) << bytes;
        EXPECT_EQ(problems.front().file, "bad");
    }
}

TEST(TraceFigures, MutatedTextsNeitherCrashNorHang) {
    test::RandomSource random(11);
    const std::string good = R"({"distributedInfo": {"rank": 1, "world_size": 2, "pg_config": [{"a": 1}]}, "deviceProperties": [{"name": "H100"}],
        "traceEvents": [{"ph": "X", "cat": "kernel", "name": "nccl", "ts": 1.25, "dur": -2, "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7}}, {"ph": "s"}, 3, [4]]})";
    for (int round = 0; round < 5000; ++round) {
        std::string text = good;
        for (std::size_t edits = 1 + random.below(4); edits > 0; --edits) text[random.below(text.size())] = static_cast<char>(random.below(256));
        if (random.chance(0.3)) text.resize(random.below(text.size()));
        Problems problems;
        const auto figures = traceFigures(text, "mutated", problems);
        EXPECT_EQ(figures.has_value(), !hasErrors(problems));
    }
}

} // namespace
} // namespace orrery
