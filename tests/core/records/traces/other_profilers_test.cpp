// SPDX-License-Identifier: GPL-3.0-or-later
// Exports of Nsight Systems, on data converted from real Kineto traces, and memory snapshots, on made values that Python pickled.
#include "core/base/json.hpp"
#include "core/records/traces/kineto_writer.hpp"
#include "core/records/traces/memory_snapshot.hpp"
#include "core/records/traces/nsight_reader.hpp"
#include "core/records/traces/pickle.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/core/records/traces/nsight_fixture.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <tuple>
#include <vector>

namespace orrery {
namespace {

KinetoTrace kinetoAt(const std::string& path) {
    Problems problems;
    const auto trace = readDeviceTrace(test::readWholeFile(path), path, problems);
    EXPECT_TRUE(trace) << path;
    return trace.value_or(KinetoTrace());
}

KinetoTrace smallKineto() {
    Problems problems;
    auto trace = readDeviceTrace(R"({"traceEvents": [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": {"correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 2, "dur": 10, "args": {"device": 0, "stream": 7, "correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": "ncclKernel", "pid": 0, "tid": 9, "ts": 8, "dur": 10.5, "args": {"device": 0, "stream": 9}}]})",
                                 "made", problems);
    return trace.value_or(KinetoTrace());
}

Problem onlyProblemOf(const std::string& bytes) {
    Problems problems;
    EXPECT_FALSE(readDeviceTrace(bytes, "file", problems).has_value());
    EXPECT_EQ(problems.size(), 1U);
    return problems.empty() ? Problem() : problems.front();
}

TEST(NsightExport, ConvertedFromARealTraceHasTheTracesFigures) {
    ORRERY_REQUIRE_SHARED("traces/dlrm/kineto");
    const KinetoTrace trace = kinetoAt(test::sharedPath("traces/dlrm/kineto/worker3_step_12.1694128201557.pt.trace.json.gz"));
    const std::string file = test::nsightConverted(trace);
    Problems problems;
    const auto figures = traceFigures(file, "converted.sqlite", problems);
    ASSERT_TRUE(figures) << toText(problems.front());
    EXPECT_TRUE(problems.empty());
    EXPECT_EQ((*figures)["kind"], "nsight-sqlite");
    const Json wanted = kinetoFigures(trace);
    for (const char* name : {"cpu_ops", "kernels", "comm_kernels", "memcpys", "memsets", "kernel_streams", "device_streams", "kernels_per_stream", "gpu_span_us", "device_span_us", "busy_us", "compute_union_us", "comm_union_us", "overlapped_us", "exposed_comm_us", "kernel_time_sum_us"})
        EXPECT_EQ((*figures)[name], wanted[name]) << name;
    EXPECT_TRUE((*figures)["rank"].is_null()); // it stands nowhere in such a file
}

TEST(NsightExport, AnyTableMayBeMissing) {
    const KinetoTrace trace = smallKineto();
    for (const char* table : {"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"}) {
        Problems problems;
        const auto read = readNsight(test::nsightConverted(trace, {table}), "file", problems);
        ASSERT_TRUE(read) << table;
        EXPECT_TRUE(problems.empty()) << table;
        EXPECT_EQ(read->device.size(), std::string(table) == "CUPTI_ACTIVITY_KIND_KERNEL" ? 0U : 2U) << table;
    }
    Problems problems;
    const auto bare = readNsight(test::sqliteOf("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 5);"), "file", problems);
    ASSERT_TRUE(bare && bare->device.size() == 1);
    EXPECT_EQ(bare->device[0].when.end, 5);
}

TEST(NsightExport, OfAnotherProgramIsRefusedByItsTables) {
    const Problem other = onlyProblemOf(test::sqliteOf("CREATE TABLE moz_bookmarks (id INTEGER);"));
    EXPECT_EQ(other.code, "no-nsight");
    EXPECT_NE(other.message.find("moz_bookmarks"), std::string::npos);
    // A view that computes for ever is no table.
    EXPECT_EQ(onlyProblemOf(test::sqliteOf("CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start, x AS end FROM n;")).code, "no-nsight");
    std::string cut = test::nsightConverted(smallKineto());
    cut.resize(cut.size() - 4096);
    EXPECT_EQ(onlyProblemOf(cut).code, "broken-sqlite");
}

TEST(NsightExport, RowsThatMakeNoSenseAreNamed) {
    Problems problems;
    const auto read = readNsight(test::sqliteOf("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER);"
                                                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 5), (NULL, 7), ('soon', 9), (20, 10);"),
                                 "file", problems);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->device.size(), 2U);
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].code, "unreadable-times");
    EXPECT_NE(problems[0].message.find("the first is row of CUPTI_ACTIVITY_KIND_KERNEL 1; 2 events of the device"), std::string::npos) << problems[0].message;
    EXPECT_EQ(problems[1].code, "negative-durations");
    EXPECT_FALSE(hasErrors(problems));
}

TEST(MemorySnapshot, AddsUpAndGoesBackThroughItsHistory) {
    constexpr std::int64_t mib = 1 << 20;
    for (const int protocol : {2, 4}) {
        Problems problems;
        const auto figures = traceFigures(test::madeSnapshot(protocol), "snapshot.pickle", problems);
        ASSERT_TRUE(figures) << (problems.empty() ? "" : toText(problems.front()));
        ASSERT_EQ((*figures)["devices"].size(), 1U);
        const Json& device = (*figures)["devices"][0];
        EXPECT_EQ(device["reserved_bytes"], 20 * mib);
        EXPECT_EQ(device["allocated_bytes"], 3 * mib);
        EXPECT_EQ(device["requested_bytes"], 3 * mib - 100);
        EXPECT_EQ(device["requested_peak_bytes"], 8 * mib - 100);
        EXPECT_EQ(device["reserved_peak_bytes"], 20 * mib);
        EXPECT_EQ(device["actions"]["alloc"], 2);
        const auto trace = readDeviceTrace(test::madeSnapshot(protocol), "snapshot.pickle", problems);
        ASSERT_TRUE(trace && trace->memory.size() == 4);
        EXPECT_EQ(trace->memory[0].reserved, 20 * mib);
        EXPECT_EQ(trace->memory[2].allocated, 8 * mib - 100);
        EXPECT_EQ(trace->memory[3].allocated, 3 * mib - 100);
        EXPECT_TRUE(problems.empty());
    }
}

TEST(Pickles, ThatCallAnythingAreRefusedByOperationAndByte) {
    // os.system("true") as pickle.dumps writes it, in protocols 2 and 4.
    const std::vector<std::tuple<std::string, std::string, std::string>> calls{
        {"800263706f7369780a73797374656d0a710058040000007472756571018571025271032e", "(GLOBAL)", "byte 2:"},
        {"8004951f000000000000008c05706f736978948c0673797374656d9493948c047472756594859452942e", "(STACK_GLOBAL)", "byte 28:"}};
    for (const auto& [digits, name, offset] : calls) {
        const Problem problem = onlyProblemOf(test::fromHex(digits));
        EXPECT_EQ(problem.code, "broken-pickle");
        EXPECT_NE(problem.message.find(name), std::string::npos) << problem.message;
        EXPECT_NE(problem.message.find(offset), std::string::npos) << problem.message;
    }
    for (const char operation : std::string("ciobRPQ\x81\x82\x83\x84\x92\x93\x97\x98")) {
        PickleFault fault;
        EXPECT_FALSE(readPickle(test::fromHex("80044e") + operation + std::string(64, '\n'), fault));
        EXPECT_EQ(fault.offset, 3U);
        EXPECT_NE(fault.message.find("It asks to "), std::string::npos) << fault.message;
    }
}

TEST(Pickles, HoldPlainValuesOfAllProtocols) {
    const auto read = [](const std::string& bytes) {
        PickleFault fault;
        auto pickle = readPickle(bytes, fault);
        EXPECT_TRUE(pickle) << fault.message;
        return pickle.value_or(Pickle());
    };
    // [None, 5, True, False, 0.5, 2 ** 40, "a", -1] in protocol 2
    const std::string bytes = test::fromHex("80025d284e4b058889473fe00000000000008a060000000000015801000000614affffffff652e");
    const Pickle list = read(bytes);
    ASSERT_EQ(list.items(list.root).size(), 8U);
    const auto at = [&](std::size_t i) { return list.at(list.items(list.root)[i]); };
    EXPECT_EQ(at(0).kind, Pickle::Kind::none);
    EXPECT_EQ(at(1).whole, 5);
    EXPECT_EQ(at(2).whole, 1);
    EXPECT_EQ(at(3).whole, 0);
    EXPECT_EQ(at(4).real, 0.5);
    EXPECT_EQ(at(5).whole, std::int64_t{1} << 40);
    EXPECT_EQ(at(6).text, "a");
    EXPECT_EQ(at(7).whole, -1);
    const std::string text = "(dp0\nS'k'\np1\nI7\nsS'l'\nL-3L\ns."; // protocol 0
    const Pickle old = read(text);
    EXPECT_EQ(old.wholeMember(old.root, "k"), 7);
    EXPECT_EQ(old.wholeMember(old.root, "l"), -3);
}

TEST(Pickles, ThatHoldThemselvesOrBreakOffEndTheReading) {
    PickleFault fault;
    const auto circle = readPickle(test::fromHex("80045d946800612e"),
                                   fault); // a = []; a.append(a)
    ASSERT_TRUE(circle) << fault.message;
    EXPECT_EQ(circle->items(circle->root).front(), circle->root);
    const std::string whole = test::madeSnapshot(4);
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(readPickle(std::string_view(whole).substr(0, size), fault));
}

TEST(ExportedTraces, HaveTheSameFiguresWhenTheyAreReadAgain) {
    ORRERY_REQUIRE_SHARED("traces/expected.json");
    const Json expected = Json::parse(test::readWholeFile(test::sharedPath("traces/expected.json")));
    int files = 0;
    for (const auto& [file, wanted] : expected["traces"].items()) {
        if (wanted["kind"] != "kineto") continue;
        ++files;
        std::string text;
        Json figures;
        for (int round = 0; round < 2; ++round) { // exported, and what was read from that exported again
            Problems problems;
            const auto trace = round == 0 ? kinetoAt(test::sharedPath("traces/" + file)) : readDeviceTrace(text, file, problems).value_or(KinetoTrace());
            const Json before = kinetoFigures(trace);
            std::ostringstream out;
            writeKineto(trace, out);
            text = out.str();
            const auto again = readDeviceTrace(text, file, problems);
            ASSERT_TRUE(again) << file;
            figures = kinetoFigures(*again);
            EXPECT_EQ(again->collectiveCalls.size(), trace.collectiveCalls.size()) << file;
            for (const auto& [name, value] : before.items()) EXPECT_EQ(figures[name], value) << file << ' ' << name;
            EXPECT_EQ(again->operators.size(), trace.operators.size());
            EXPECT_EQ(again->shapes, trace.shapes) << file;
            EXPECT_EQ(again->deviceMemory, trace.deviceMemory);
            EXPECT_EQ(again->groups.size(), trace.groups.size());
        }
    }
    EXPECT_GE(files, 8);
}

TEST(DamagedTraces, SayWhereAndWhatIsKept) {
    EXPECT_EQ(onlyProblemOf(std::string("\xFF\xFE{\0}\0", 6)).code, "wrong-encoding");
    EXPECT_EQ(onlyProblemOf(std::string("{\0}\0", 4)).code, "wrong-encoding");
    const Problem cut = onlyProblemOf(R"({"traceEvents": [{"ph)");
    EXPECT_EQ(cut.code, "broken-json");
    EXPECT_NE(cut.message.find("none of the 0 events before is kept"), std::string::npos) << cut.message;
    EXPECT_EQ(onlyProblemOf("{\"traceEvents\": [" + std::string(5000, '[')).code, "too-deep");
    Problems problems;
    const auto read = readDeviceTrace(R"({"traceEvents": [
        {"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 2}, {"ph": "X", "cat": "kernel", "name": "b", "ts": 5, "dur": -3},
        {"ph": "X", "cat": "kernel", "name": "c", "ts": "never"}, {"ph": "X", "cat": "kernel", "name": "d", "ts": 7200000000, "dur": 1}]})",
                                      "file", problems);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->device.size(), 3U);
    ASSERT_EQ(problems.size(), 3U);
    EXPECT_NE(problems[0].message.find("the first is event 2; 3 events of the device"), std::string::npos) << problems[0].message;
    EXPECT_NE(problems[1].message.find("the first is event 1;"), std::string::npos) << problems[1].message;
    EXPECT_EQ(problems[2].code, "clock-jumps");
}

TEST(DamagedTraces, SayWhatStandsTwice) {
    Problems problems;
    const auto read = readDeviceTrace(R"({"traceEvents": [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": {"correlation": 5}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cuLaunchKernel", "pid": 1, "tid": 1, "ts": 7, "dur": 1, "args": {"correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 2, "args": {"stream": 7, "correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 2, "args": {"stream": 7, "correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 12, "dur": 2, "args": {"stream": 7, "correlation": 5}}]})",
                                      "file", problems);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->device.size(), 3U);
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].code, "duplicate-ids");
    EXPECT_NE(problems[0].message.find("\"cuLaunchKernel\" at 7 µs with 5"), std::string::npos) << problems[0].message;
    EXPECT_EQ(problems[1].code, "duplicate-events");
    EXPECT_NE(problems[1].message.find("\"gemm\" at 10 µs"), std::string::npos) << problems[1].message;
    EXPECT_FALSE(hasErrors(problems));
    problems.clear();
    EXPECT_TRUE(traceFigures(R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 1, "name": "c"}]})", "file", problems));
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].code, "duplicate-ids");
    EXPECT_NE(problems[0].message.find("nodes[2]"), std::string::npos) << problems[0].message;
}

} // namespace
} // namespace orrery
