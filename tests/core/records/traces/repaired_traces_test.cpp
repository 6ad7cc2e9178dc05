// SPDX-License-Identifier: GPL-3.0-or-later
// Traces as profilers really leave them: no sound JSON, cut off anywhere, of devices that no category names, memory over time.
#include "core/base/json.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/core/records/ranks/trace_seeds.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orrery {
namespace {

/// Two kernels of 100 and 50 µs, ten apart, launched by operators; the first operator is called `name`, as it stands between the quotes.
std::string traceNaming(const std::string& name) {
    return R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": ")" + name + R"(", "pid": 100, "tid": 100, "ts": 10, "dur": 20, "args": {"External id": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": 12, "dur": 2, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm_a", "pid": 0, "tid": 7, "ts": 40, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "add_b", "pid": 0, "tid": 7, "ts": 150, "dur": 50, "args": {"device": 0, "stream": 7, "correlation": 2}}]})";
}

Json figuresOf(const std::string& text, Problems& problems) { return traceFigures(text, "trace.json", problems).value_or(Json()); }

bool warns(const Problems& problems, const std::string& code) {
    return std::any_of(problems.begin(), problems.end(), [&](const Problem& problem) { return problem.code == code && problem.severity == Severity::warning; });
}

TEST(RepairedTraces, NamesWithRawQuotesBackslashesAndControlCharacters) {
    for (const std::string name : {R"(lib = torch.library.Library("_inductor_test", "IMPL"))", R"(torch\cuda\__init__.py(219): _lazy_init)", R"(C:\Users\x\)", "line\n\tand \x1b[31m red", R"(f({"a": "b", "c": 3}, "x"))", "caf\xe9", R"(\u12)", R"(say ""now"", "then")"}) {
        Problems problems;
        const Json figures = figuresOf(traceNaming(name), problems);
        ASSERT_TRUE(figures.is_object()) << name;
        EXPECT_EQ(figures["events"], 4) << name;
        EXPECT_EQ(figures["cpu_ops"], 1) << name;
        EXPECT_EQ(figures["kernel_time_sum_us"], 150) << name;
        EXPECT_TRUE(warns(problems, "repaired-json")) << name;
    }
    Problems none;
    EXPECT_EQ(figuresOf(traceNaming(R"(a \"quoted\" \\ name)"), none)["events"], 4);
    EXPECT_TRUE(none.empty()) << "sound JSON needs no repair";
}

TEST(RepairedTraces, ValuesThatAreNoNumbersAndCommasTooMany) {
    std::string text = traceNaming("aten::mm");
    text.replace(text.find("\"dur\": 20"), 9, "\"dur\": NaN");
    text.insert(text.size() - 2, ",");
    Problems problems;
    const Json figures = figuresOf(text, problems);
    EXPECT_EQ(figures["kernels"], 2);
    EXPECT_EQ(figures["cpu_ops"], 1);
    EXPECT_TRUE(warns(problems, "repaired-json"));
}

TEST(RepairedTraces, AnEventThatNoRepairCanReadIsLeftOutAlone) {
    std::string text = traceNaming("aten::mm");
    const std::string broken = R"("name": "cudaLaunchKernel", "pid": 100, "tid": 100, "ts": 12)";
    text.replace(text.find(broken), broken.size(), R"("name": {]]}, "pid" 100)");
    Problems problems;
    const Json figures = figuresOf(text, problems);
    EXPECT_EQ(figures["kernels"], 2);
    EXPECT_EQ(figures["cpu_ops"], 1);
    EXPECT_TRUE(warns(problems, "repaired-json"));
}

// Wherever a file ends, the events that are whole before that are kept; nobody counts half an event.
TEST(RepairedTraces, CutAtAnyByteTheEventsBeforeAreKept) {
    const std::string whole = traceNaming("aten::mm");
    for (std::size_t length = 1; length < whole.size(); ++length) {
        const std::string cut = whole.substr(0, length);
        std::int64_t expected = 0;
        for (std::size_t at = cut.find("}}"); at != std::string::npos; at = cut.find("}}", at + 2)) ++expected;
        Problems problems;
        const Json figures = figuresOf(cut, problems);
        if (expected == 0) {
            EXPECT_TRUE(hasErrors(problems)) << length;
            continue;
        }
        ASSERT_TRUE(figures.is_object()) << length;
        EXPECT_EQ(figures["events"], expected) << length;
        EXPECT_TRUE(warns(problems, "cut-off")) << length;
    }
    const std::string packed = test::gzipped(whole + std::string(200'000, ' '));
    Problems problems;
    EXPECT_EQ(figuresOf(packed.substr(0, packed.size() - 9), problems)["events"], 4) << "a package without its last bytes";
    EXPECT_TRUE(warns(problems, "broken-gzip"));
}

TEST(RecognisedDevices, ByTheNamesOfProcessesAndThreads) {
    const std::string xla = R"trace({"traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "/device:TPU:0"}}, {"ph": "M", "name": "thread_name", "pid": 3, "tid": 2, "args": {"name": "XLA Modules"}},
        {"ph": "M", "name": "thread_name", "pid": 3, "tid": 3, "args": {"name": "XLA Ops"}}, {"ph": "M", "name": "process_name", "pid": 701, "args": {"name": "/host:CPU"}},
        {"ph": "X", "pid": 3, "tid": 2, "ts": 0, "dur": 200, "name": "jit_f"}, {"ph": "X", "pid": 3, "tid": 3, "ts": 10, "dur": 100, "name": "fusion.3"},
        {"ph": "X", "pid": 3, "tid": 3, "ts": 110, "dur": 50, "name": "all-reduce.1"}, {"ph": "X", "pid": 701, "tid": 1, "ts": 1, "dur": 300, "name": "PjitFunction(f)"}]
})trace";
    Problems problems;
    Json figures = figuresOf(xla, problems);
    EXPECT_EQ(figures["kernels"], 2) << "rows that are derived from others do not count twice";
    EXPECT_EQ(figures["comm_kernels"], 1);
    EXPECT_EQ(figures["busy_us"], 150);
    // Ascend's collectives stand on a stream of the device and, the same again, among "Communication".
    const std::string ascend = R"trace([{"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "Ascend Hardware"}}, {"ph": "M", "name": "thread_name", "pid": 2, "tid": 5, "args": {"name": "Stream 5"}},
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "Communication"}}, {"ph": "M", "name": "process_name", "pid": 4, "args": {"name": "Overlap Analysis"}},
        {"ph": "X", "name": "aclnnMatmul", "ts": "1699529623106760.000", "dur": 100, "pid": 2, "tid": 5}, {"ph": "X", "name": "EVENT_WAIT", "ts": "1699529623106860.000", "dur": 10, "pid": 2, "tid": 5},
        {"ph": "X", "name": "hcom_broadcast__1", "ts": "1699529623106870.500", "dur": 20, "pid": 2, "tid": 5}, {"ph": "X", "name": "hcom_broadcast__1", "ts": "1699529623106870.500", "dur": 20, "pid": 3, "tid": 1},
        {"ph": "X", "name": "Computing", "ts": "1699529623106760.000", "dur": 400, "pid": 4, "tid": 1}])trace";
    figures = figuresOf(ascend, problems);
    EXPECT_EQ(figures["kernels"], 2);
    EXPECT_EQ(figures["comm_kernels"], 1);
    EXPECT_EQ(figures["busy_us"], 120);
    const std::string autograd = R"trace([{"name": "aten::mm", "ph": "X", "ts": 10.0, "dur": 20.0, "tid": 1, "pid": "CPU functions", "args": {}}, {"name": "sgemm", "ph": "X", "ts": 40.0, "dur": 100.0, "tid": 0, "pid": "CUDA functions", "args": {}}])trace";
    figures = figuresOf(autograd, problems);
    EXPECT_EQ(figures["kernels"], 1);
    EXPECT_EQ(figures["cpu_ops"], 1);
    EXPECT_TRUE(problems.empty());
}

TEST(RecognisedDevices, ByCategoryByArgumentsAndInPairs) {
    const auto kernels = [](const std::string& events) {
        Problems problems;
        return figuresOf(R"({"traceEvents": [)" + events + "]}", problems)["kernels"];
    };
    EXPECT_EQ(kernels(R"({"ph": "X", "cat": "mtia_ccp_events", "name": "k", "pid": 0, "tid": 2, "ts": 4, "dur": 1}, {"ph": "X", "cat": "mtia_insight", "name": "k", "pid": 0, "tid": 2, "ts": 4, "dur": 1})"), 1);
    EXPECT_EQ(kernels(R"({"ph": "X", "cat": "privateuse1_kernel", "name": "k", "pid": 0, "tid": 2, "ts": 4, "dur": 1}, {"ph": "X", "cat": "privateuse1_runtime", "name": "launch", "pid": 9, "tid": 2, "ts": 4, "dur": 1})"), 1);
    EXPECT_EQ(kernels(R"({"ph": "X", "cat": "npu_op", "name": "k", "pid": 0, "tid": 2, "ts": 4, "dur": 1, "args": {"device": 0, "stream": 2}}, {"ph": "X", "cat": "gpu_user_annotation", "name": "s", "pid": 0, "tid": 2, "ts": 1, "dur": 9, "args": {"device": 0, "stream": 2}})"), 1);
    EXPECT_EQ(kernels(R"({"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40}, {"ph": "B", "cat": "kernel", "name": "l", "pid": 0, "tid": 8, "ts": 41}, {"ph": "E", "pid": 0, "tid": 7, "ts": 140.5}, {"ph": "E", "pid": 0, "tid": 8, "ts": 90})"), 2);
    Problems problems;
    const Json figures = figuresOf(R"({"traceEvents": [{"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 40}, {"ph": "E", "pid": 0, "tid": 7, "ts": 140.5}]})", problems);
    EXPECT_EQ(figures["busy_us"], 100.5);
}

TEST(RecognisedDevices, NothingRecognisedIsSaid) {
    Problems problems;
    EXPECT_EQ(figuresOf(R"({"traceEvents": [{"ph": "X", "name": "renderer", "pid": 1, "tid": 1, "ts": 1, "dur": 100}]})", problems)["kernels"], 0);
    EXPECT_TRUE(warns(problems, "nothing-recognised"));
}

TEST(UnsetTimes, OfEventsAmongOthersOfTodayAreLeftOut) {
    const std::string k = R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": )";
    Problems problems;
    const Json figures = figuresOf(R"({"traceEvents": [)" + k + R"(0, "dur": 5}, )" + k + R"(1699529623106750.0, "dur": 50}, )" + k + R"(1699529623106850.0, "dur": 50}]})", problems);
    EXPECT_EQ(figures["kernels"], 2);
    EXPECT_EQ(figures["gpu_span_us"], 150);
    EXPECT_TRUE(warns(problems, "unset-times"));
    Problems none;
    EXPECT_EQ(figuresOf(R"({"traceEvents": [)" + k + R"(0, "dur": 5}, )" + k + R"(10, "dur": 50}]})", none)["kernels"], 2) << "a trace may begin at 0";
    EXPECT_TRUE(none.empty());
}

TEST(MemoryTimelines, CoalescedAndRaw) {
    Problems problems;
    const Json coalesced = figuresOf("[[100, 200, 300], [[0,0,0,0,0,0,0,0,0], [0,1000,0,500,0,0,0,0,7], [0,1000,0,0,0,0,0,0,0]]]", problems);
    EXPECT_EQ(coalesced["kind"], "pytorch-memory-timeline");
    EXPECT_EQ(coalesced["peak_bytes"], 1507);
    EXPECT_EQ(coalesced["at_peak_bytes"]["parameters"], 1000);
    EXPECT_EQ(coalesced["span_us"], 200);
    // A gradient that replaces an activation: never both at once.
    const std::string raw = "[[-1, 0, 1000, 0], [100000, 1, 500, 4], [200000, 2, -500, 4], [200000, 2, 500, 5], [300000, 3, -500, 5]]";
    const Json events = figuresOf(test::gzipped(raw), problems);
    EXPECT_EQ(events["peak_bytes"], 1500);
    EXPECT_EQ(events["at_end_bytes"]["parameters"], 1000);
    EXPECT_EQ(events["span_us"], 200);
    const auto trace = readDeviceTrace(raw, "raw", problems);
    ASSERT_TRUE(trace);
    EXPECT_EQ(trace->memory.back().allocated, 1000);
    EXPECT_TRUE(problems.empty());
}

TEST(RepairedTraces, ReportedOnesHaveTheFiguresOfWhatTheyHold) {
    ORRERY_REQUIRE_SHARED("reported/traces/a_unescaped_quotes.json");
    const struct {
        const char* file;
        int kernels;
        double busy;
    } files[] = {{"a_unescaped_quotes", 2, 150}, {"a2_backslash", 2, 150}, {"a3_control", 2, 150}, {"e_ascend", 3, 240}, {"e2_ascend_obj", 3, 240}, {"f_jax", 2, 150}, {"i_truncated", 1, 100}, {"i2_trailing_comma", 2, 150}};
    for (const auto& file : files) {
        Problems problems;
        const Json figures = figuresOf(test::readWholeFile(test::sharedPath(std::string("reported/traces/") + file.file + ".json")), problems);
        EXPECT_EQ(figures["kernels"], file.kernels) << file.file;
        EXPECT_EQ(figures["busy_us"], file.busy) << file.file;
    }
}

} // namespace
} // namespace orrery
