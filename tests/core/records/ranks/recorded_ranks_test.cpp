// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded ranks replayed together: what the recording's own study found, closed forms, and what a graph must keep.
#include "core/base/json.hpp"
#include "core/records/ranks/device_graph.hpp"
#include "core/records/ranks/hybrid_run.hpp"
#include "core/records/ranks/replay_report.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <numeric>

namespace orrery {
namespace {

KinetoTrace traceIn(const std::string& text, const std::string& name) {
    Problems problems;
    auto read = readTraceText(text, name, problems);
    EXPECT_TRUE(read && read->kineto) << name;
    return read && read->kineto ? std::move(*read->kineto) : KinetoTrace();
}

KinetoTrace traceAt(const std::string& path) {
    Problems problems;
    const auto text = unpackedTrace(test::readWholeFile(path), path, problems);
    return traceIn(text.value_or(""), path);
}

/// The eight ranks of one recorded step, by rank.
const std::vector<KinetoTrace>& dlrm() {
    static const std::vector<KinetoTrace> traces = [] {
        std::vector<KinetoTrace> list(8);
        for (const auto& entry : std::filesystem::directory_iterator(test::sharedPath("traces/dlrm/kineto"))) {
            KinetoTrace trace = traceAt(entry.path().string());
            list[static_cast<std::size_t>(trace.rank.value())] = std::move(trace);
        }
        return list;
    }();
    return traces;
}

/// The span in µs of a scenario whose `hybrid` has all eight ranks and `more`.
std::optional<HybridRun> hybridOfDlrm(Json more, int recorded = 8, int world = 0) {
    more["ranks"] = Json::object();
    for (int rank = 0; rank < recorded; ++rank) more["ranks"][std::to_string(rank)] = std::to_string(rank);
    Problems problems;
    Json document{{"hybrid", std::move(more)}};
    if (world > 0) document["cluster"] = {{"accelerators_per_node", 8}, {"nodes", world / 8}};
    const auto question = readHybrid(document, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    if (!question) return std::nullopt;
    auto run = runHybrid(
        *question, {}, [](const std::string& name, Problems&) { return std::optional(dlrm()[std::stoul(name)]); }, problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return run;
}

double spanOfDlrm(Json more) { return static_cast<double>(hybridOfDlrm(std::move(more)).value().replay.span()) / 1e3; }

TEST(RecordedRanks, ReplayedUnchangedTheySpanWhatWasRecorded) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    std::vector<ReplayedTrace> traces;
    for (std::size_t rank = 0; rank < 8; ++rank) traces.push_back(replayedTrace(dlrm()[rank], std::to_string(rank), std::nullopt));
    Problems problems;
    const auto report = replayReport(traces, problems);
    ASSERT_TRUE(report && problems.empty());
    for (const Json& rank : report->at("ranks")) EXPECT_LT(std::abs(rank.at("error_percent").get<double>()), 0.1) << rank;
    EXPECT_EQ(report->at("recorded_us"), 16032);
    EXPECT_EQ(report->at("span_us"), 16033);
    EXPECT_EQ(spanOfDlrm(Json::object()), 16033);
}

TEST(RecordedRanks, ADelayMovesTheEndByWhatTheRankDidNotWait) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    const double expected[] = {0, 0, 1492, 0, 0, 0, 1495, 2000}; // µs; the recording's own study
    const double unchanged = spanOfDlrm(Json::object());
    for (int rank = 0; rank < 8; ++rank) {
        const double moved = spanOfDlrm({{"delays", {{{"rank", rank}, {"before_collective", 0}, {"us", 2000}}}}}) - unchanged;
        EXPECT_NEAR(moved, expected[rank], 2) << rank;
    }
}

TEST(RecordedRanks, FoldingThemSaysWhatItCosts) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    std::vector<RankRecord> records;
    for (const KinetoTrace& trace : dlrm()) records.push_back(recordOf(trace, ""));
    const FoldingErrors errors = foldingErrors(records);
    const double expected[] = {-21.5, -21.8, -17.3, -21.5, -9.3, -8.5, -17.7, -9.6}; // %
    for (std::size_t rank = 0; rank < 8; ++rank) {
        EXPECT_NEAR(100 * errors.ontoRank[rank], expected[rank], 0.06) << rank;
        std::cout << "rank " << rank << " left out: " << 100 * errors.leftOut[rank] << " %\n";
        EXPECT_LE(std::abs(errors.leftOut[rank]), std::abs(errors.ontoMean)) << rank;
    }
    std::cout << "all the mean: " << 100 * errors.ontoMean << " %\n";
}

TEST(RecordedRanks, FasterKernelsNeverLengthenTheJob) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    double before = spanOfDlrm({{"scale_kernels", {{{"match", ""}, {"factor", 4}}}}});
    for (const double factor : {2.0, 1.0, 0.5, 0.1}) {
        const double span = spanOfDlrm({{"scale_kernels", {{{"match", ""}, {"factor", factor}}}}});
        EXPECT_LE(span, before) << factor;
        before = span;
    }
}

TEST(RecordedRanks, AStoppedRankHangsItsNextCollective) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    const auto run = hybridOfDlrm({{"stops", {{{"rank", 3}, {"before_collective", 4}}}}});
    ASSERT_TRUE(run && run->replay.hang);
    EXPECT_EQ(run->replay.hang->collective, 4U);
    EXPECT_EQ(run->replay.hang->missing, (std::vector<std::int64_t>{3}));
    EXPECT_EQ(run->replay.hang->waiting, (std::vector<std::int64_t>{0, 1, 2, 4, 5, 6, 7}));
    EXPECT_TRUE(hybridDocument(*run, "")["iteration_time_s"].is_null());
}

TEST(RecordedRanks, OneRecordStandsForItsClassAndSaysSo) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    const auto run = hybridOfDlrm({{"classes", {{"all", 0}}}}, 1);
    ASSERT_TRUE(run);
    ASSERT_EQ(run->ranks.size(), 8U); // the trace says how many there are
    EXPECT_TRUE(run->ranks[0].recorded);
    EXPECT_FALSE(run->ranks[7].recorded);
    // Ranks that are alike never wait for each other: the record's own span between its collectives.
    const RankRecord own = recordOf(dlrm()[0], "");
    EXPECT_EQ(run->replay.span(), own.collectives.back().end - own.collectives.front().start);
    for (const HybridRank& rank : run->ranks) EXPECT_EQ(rank.waiting, 0);
}

TEST(RecordedRanks, OfAnotherNumberFollowTheClosedFormsInBytes) {
    ORRERY_REQUIRE_SHARED("traces/dlrm");
    // What the host's calls say of the eight collectives, of one rank: bytes of the buffer.
    const std::vector<CollectiveMessage> said = recordOf(dlrm()[0], "").messages;
    const std::vector<std::pair<CollectiveKind, std::int64_t>> wanted{{CollectiveKind::all_to_all, 6144 * 4}, {CollectiveKind::all_to_all, 24 * 8}, {CollectiveKind::all_to_all, 384 * 4}, {CollectiveKind::all_to_all, 3392 * 4}, {CollectiveKind::all_reduce, 394241 * 4}, {CollectiveKind::all_to_all, 6144 * 4}, {CollectiveKind::all_reduce, 112 * 4}, {CollectiveKind::all_reduce, 226960 * 4}};
    ASSERT_EQ(said.size(), wanted.size());
    for (std::size_t k = 0; k < said.size(); ++k) {
        EXPECT_EQ(said[k].kind, wanted[k].first) << k;
        EXPECT_EQ(said[k].bytes, wanted[k].second) << k;
    }
    std::vector<std::int64_t> transits;
    std::int64_t span = 0;
    for (const int world : {8, 64, 8192}) {
        const auto run = hybridOfDlrm(Json::object(), 8, world);
        ASSERT_TRUE(run);
        const Json document = hybridDocument(*run, "");
        EXPECT_EQ(document["world_size"], world);
        EXPECT_EQ(document["ranks"].size(), static_cast<std::size_t>(world));
        EXPECT_EQ(document["extrapolated"], world != 8);
        const double n = world;
        double moved = 0;
        for (const auto& [kind, bytes] : wanted) moved += (kind == CollectiveKind::all_reduce ? 2 : 1) * (n - 1) / n * static_cast<double>(bytes) * n;
        EXPECT_NEAR(document["moved_bytes"].get<double>() / moved, 1, 1e-12);
        if (world == 8) {
            EXPECT_EQ(run->replay.span(), 16'033'000); // the same size is the identity
            span = run->replay.span();
            for (const JointCollective& collective : run->replay.collectives) transits.push_back(collective.transit);
        }
        std::int64_t longer = 0;
        for (std::size_t k = 0; k < transits.size(); ++k) {
            EXPECT_NEAR(static_cast<double>(run->replay.collectives[k].transit), static_cast<double>(transits[k]) * ((n - 1) / n) / (7.0 / 8), 1) << k;
            longer += run->replay.collectives[k].transit - transits[k];
        }
        EXPECT_EQ(run->replay.span(), span + longer);
        std::cout << world << " ranks: " << static_cast<double>(run->replay.span()) / 1000 << " us, moved " << moved << " bytes\n";
    }
}

TEST(RecordedRanks, WhatAGraphReplaysUnchangedIsTheRecord) {
    ORRERY_REQUIRE_SHARED("traces/tracelens");
    int files = 0;
    for (const char* folder : {"traces/dlrm/kineto", "traces/tracelens", "traces/hta"}) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(test::sharedPath(folder))) {
            const std::string path = entry.path().string();
            if (!entry.is_regular_file() || !path.ends_with(".gz") || ++files % 4 != 0) continue; // a quarter of them is a second
            Problems problems;
            const auto text = unpackedTrace(test::readWholeFile(path), path, problems);
            const auto read = text ? readTraceText(*text, path, problems) : std::nullopt;
            if (!read || !read->kineto) continue;
            const KinetoTrace& trace = *read->kineto;
            const DeviceGraph graph = deviceGraph(trace);
            const auto runs = replayed(graph, [&](std::uint32_t i, std::int64_t) { return trace.device[i].when.end - trace.device[i].when.start; });
            for (std::size_t i = 0; i < runs.size(); ++i) {
                ASSERT_EQ(runs[i].start, graph.nodes[i].recorded.start) << path << ' ' << i;
                ASSERT_EQ(runs[i].end, graph.nodes[i].recorded.end) << path << ' ' << i;
            }
        }
    }
    EXPECT_GE(files, 8);
}

/// Kernels back to back on one stream, launched at once: `count` of `us` each, then a collective.
std::string denseTrace(int count, double us) {
    Json events = Json::array();
    for (int i = 0; i < count; ++i) {
        events.push_back({{"ph", "X"}, {"cat", "cuda_runtime"}, {"name", "cudaLaunchKernel"}, {"pid", 1}, {"tid", 1}, {"ts", i}, {"dur", 1}, {"args", {{"correlation", i}}}});
        events.push_back({{"ph", "X"}, {"cat", "kernel"}, {"name", "gemm"}, {"pid", 0}, {"tid", 7}, {"ts", 100 + i * us}, {"dur", us}, {"args", {{"correlation", i}, {"stream", 7}}}});
    }
    events.push_back({{"ph", "X"}, {"cat", "kernel"}, {"name", "ncclKernel"}, {"pid", 0}, {"tid", 9}, {"ts", 100 + count * us}, {"dur", 50}, {"args", {{"stream", 9}}}});
    return Json{{"traceEvents", std::move(events)}}.dump();
}

TEST(RecordedRanks, FasterKernelsShortenWhatTheyPace) {
    const KinetoTrace trace = traceIn(denseTrace(10, 40), "dense");
    const auto arrival = [&](double factor) { return scaledRecord(trace, "", {{"GEMM", factor}}).collectives.front().start; };
    EXPECT_EQ(arrival(1), (100 + 400) * 1000);
    EXPECT_EQ(arrival(0.5), (100 + 200) * 1000); // back to back: all of it is won
    EXPECT_EQ(arrival(2), (100 + 800) * 1000);
    EXPECT_EQ(scaledRecord(trace, "", {{"softmax", 0.5}}).collectives.front().start, (100 + 400) * 1000);
}

TEST(RecordedRanks, DamagedRecordsAreReadOrRefusedAndNeverBreakTheReplay) {
    test::RandomSource random(3);
    const std::string whole = denseTrace(6, 40);
    for (int round = 0; round < 1000; ++round) {
        std::string text = whole;
        for (std::size_t changes = 1 + random.below(6); changes > 0; --changes) {
            const std::size_t at = random.below(text.size());
            if (random.chance(0.5)) text[at] = static_cast<char>('0' + random.below(10)); // clocks jump, durations turn
            else if (random.chance(0.5)) text.erase(at, 1 + random.below(30));
            else text.insert(at, text.substr(random.below(text.size()), random.below(40)));
        }
        Problems problems;
        const auto read = readTraceText(text, "damaged", problems);
        EXPECT_EQ(read.has_value(), !hasErrors(problems));
        if (!read || !read->kineto) continue;
        (void)replayReport({replayedTrace(*read->kineto, "damaged", 1)}, problems);
        (void)scaledRecord(*read->kineto, "damaged", {{"e", 0.5}});
    }
}

TEST(RecordedRanks, OverRandomGapsTheEndIsTheLongestWay) {
    test::RandomSource random(18);
    for (int round = 0; round < 200; ++round) {
        const std::size_t ranks = 1 + random.below(6), collectives = 1 + random.below(6);
        std::vector<ReplayedRank> list(ranks);
        std::vector<std::int64_t> transits;
        for (std::size_t k = 0; k < collectives; ++k) transits.push_back(static_cast<std::int64_t>(1 + random.below(50)));
        for (std::size_t r = 0; r < ranks; ++r) {
            list[r].rank = static_cast<std::int64_t>(r);
            for (std::size_t k = 0; k < collectives; ++k) list[r].gaps.push_back(static_cast<std::int64_t>(random.below(1000)));
        }
        const JointReplay replay = replayTogether(list, transits);
        // All meet at each collective: the end is the sum of the largest gaps and of the transits.
        std::int64_t end = 0;
        for (std::size_t k = 0; k < collectives; ++k) {
            std::int64_t largest = 0;
            for (const ReplayedRank& rank : list) largest = std::max(largest, rank.gaps[k]);
            end += largest + transits[k];
            EXPECT_EQ(replay.collectives[k].end, end);
            EXPECT_EQ(replay.collectives[k].waitingOf(replay.collectives[k].last), 0);
            for (std::size_t r = 0; r < ranks; ++r) EXPECT_GE(replay.collectives[k].waitingOf(r), 0);
        }
    }
}

TEST(RecordedRanks, ClocksThatDifferAreSetBack) {
    std::vector<RankRecord> records(3);
    for (std::size_t r = 0; r < 3; ++r) {
        const std::int64_t ahead = r == 1 ? 7'000'000 : 0;
        for (int k = 0; k < 5; ++k) records[r].collectives.push_back({k * 1'000'000 + ahead, k * 1'000'000 + 500'000 + ahead});
    }
    EXPECT_EQ(clockOffsets(records), (std::vector<std::int64_t>{0, 7'000'000, 0}));
    EXPECT_EQ(shifted(records[1], 7'000'000).collectives[3].start, records[0].collectives[3].start);
}

TEST(RecordedMemory, IsWhatTheAllocatorReported) {
    const std::string path = "traces/tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz";
    ORRERY_REQUIRE_SHARED(path);
    const KinetoTrace trace = traceAt(test::sharedPath(path));
    const auto peak = recordedPeak(trace);
    ASSERT_TRUE(peak);
    EXPECT_EQ(peak->allocated, 2'088'508'416);
    EXPECT_EQ(peak->reserved, 2'629'828'608);
    EXPECT_FALSE(firstBeyond(trace, 2'629'828'608));
    const auto beyond = firstBeyond(trace, 2'629'828'607);
    ASSERT_TRUE(beyond);
    EXPECT_EQ(beyond->reserved, 2'629'828'608);
    EXPECT_FALSE(beyond->inOperator.empty());
    const auto modelled = modelledReservedPeak(trace);
    ASSERT_TRUE(modelled);
    const double error = 100 * (static_cast<double>(*modelled) / static_cast<double>(peak->reserved) - 1);
    std::cout << "reserved peak of our allocator under the recorded sequence: " << error << " %\n";
    EXPECT_NEAR(error, -3.9, 0.1); // segments from before the record are unknown
}

TEST(HybridQuestion, WhatIsWrongIsNamed) {
    const auto codeOf = [](const Json& hybrid) {
        Problems problems;
        const auto question = readHybrid(Json{{"hybrid", hybrid}}, problems);
        if (!question) return problems.empty() ? std::string() : problems.front().code + " " + problems.front().pointer;
        const KinetoTrace trace = traceIn(denseTrace(2, 10), "made");
        runHybrid(
            *question, {}, [&](const std::string&, Problems&) { return std::optional(trace); }, problems);
        return problems.empty() ? std::string("fine") : problems.front().code + " " + problems.front().pointer;
    };
    EXPECT_EQ(codeOf({{"ranks", {{"0", "a"}}}}), "fine");
    EXPECT_EQ(codeOf(Json::object()), "missing-key /hybrid/ranks");
    EXPECT_EQ(codeOf({{"ranks", {{"first", "a"}}}}), "wrong-type /hybrid/ranks/first");
    EXPECT_EQ(codeOf({{"ranks", {{"0", "a"}}}, {"classes", {{"all", 5}}}}), "unknown-rank /hybrid/classes/all");
    EXPECT_EQ(codeOf({{"ranks", {{"0", "a"}}}, {"delays", {{{"rank", 4}, {"us", 1}}}}}), "unknown-rank /hybrid/delays/0/rank");
    EXPECT_EQ(codeOf({{"ranks", {{"0", "a"}}}, {"delay", 1}}), "unknown-key /hybrid/delay");
}

} // namespace
} // namespace orrery
