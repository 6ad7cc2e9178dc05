// SPDX-License-Identifier: GPL-3.0-or-later
// Changes that somebody made: in jobs whose every rank was simulated and exported, and in pairs of real records of one program on two machines.
#include "core/records/comparison/record_difference.hpp"
#include "core/records/comparison/record_wall.hpp"
#include "core/records/ranks/simulated_job.hpp"
#include "core/records/traces/trace_figures.hpp"
#include "tests/core/records/comparison/made_records.hpp"
#include "tests/core/records/traces/nsight_fixture.hpp"
#include "tests/support/h100_job.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

namespace orrery {
namespace {

using test::differenceOf;
using test::h100Job;
using test::readWholeFile;
using test::sharedPath;

RecordedRank recorded(const std::string& text, const std::string& name) {
    Problems problems;
    auto trace = readDeviceTrace(text, name, problems);
    for (const Problem& problem : problems)
        if (problem.severity == Severity::error) ADD_FAILURE() << toText(problem);
    auto shared = std::make_shared<const KinetoTrace>(trace ? std::move(*trace) : KinetoTrace());
    const auto rank = shared->rank;
    return {name, rank, std::move(shared)};
}

/// What a profiler would have recorded of these ranks.
std::vector<std::string> exportsOf(const Scenario& scenario, const std::vector<int>& ranks) {
    Problems problems;
    PlannedRanks planned(scenario, problems);
    const auto job = simulateAllRanks(planned, {});
    std::vector<std::string> texts;
    for (const int rank : ranks) {
        std::ostringstream out;
        writeRankTrace(planned, job.value(), {}, rank, out);
        texts.push_back(out.str());
    }
    return texts;
}
RecordedJob jobOf(const std::vector<std::string>& texts) {
    std::vector<RecordedRank> ranks;
    for (const std::string& text : texts) ranks.push_back(recorded(text, "rank.json"));
    return recordedJob(std::move(ranks));
}
RecordedJob jobOf(const Scenario& scenario, const std::vector<int>& ranks) { return jobOf(exportsOf(scenario, ranks)); }

/// The record with every kernel of a name `factor` times as long, and all that comes later as much later.
std::string slowed(const std::string& text, const std::string& kernel, std::int64_t factor) {
    Json document = Json::parse(text);
    Json& events = document["traceEvents"];
    const auto ns = [](const Json& value) { return std::llround(value.get<double>() * 1000); };
    std::map<std::int64_t, std::int64_t> later; // by the end of a slowed kernel: how much longer it takes
    for (const Json& event : events)
        if (event.value("name", "") == kernel) later[ns(event["ts"]) + ns(event["dur"])] += (factor - 1) * ns(event["dur"]);
    const auto moved = [&](std::int64_t when) {
        std::int64_t by = 0;
        for (const auto& [end, more] : later)
            if (end <= when) by += more;
        return when + by;
    };
    for (Json& event : events) {
        if (!event.contains("ts")) continue;
        const std::int64_t start = ns(event["ts"]), end = start + (event.contains("dur") ? ns(event["dur"]) : 0);
        const std::int64_t newStart = moved(start);
        event["ts"] = static_cast<double>(newStart) / 1000;
        if (event.contains("dur")) event["dur"] = static_cast<double>(moved(end) - newStart) / 1000;
    }
    return document.dump();
}

TEST(KnownChanges, aSlowedOperatorIsTheFirstCause) {
    const auto text = exportsOf(h100Job("llama-3-8b", 2, 32, {{"tensor", 4}}), {0}).front();
    const RecordedJob before = jobOf({text});
    const KinetoTrace& trace = *before.ranks[0].trace;
    std::map<std::string, std::int64_t> times;
    for (const DeviceEvent& event : trace.device)
        if (event.work == DeviceWork::kernel && !event.communication) times[trace.names[event.name]] += event.when.end - event.when.start;
    ASSERT_GT(times.size(), 5U);
    for (const auto& [kernel, time] : times) {
        if (time < 1'000'000) continue; // ns
        const RecordDifference difference = differenceOf(before, jobOf({slowed(text, kernel, 2)}));
        ASSERT_FALSE(difference.causes.empty()) << kernel;
        EXPECT_EQ(difference.causes[0].name, kernel) << difference.summary;
        EXPECT_EQ(difference.causes[0].part, "kernels.slower");
        // Where nothing ran beside it, it explains all of the difference.
        EXPECT_GT(difference.causes[0].delta, 0.7 * difference.difference) << difference.summary;
    }
}

TEST(KnownChanges, anotherNetworkIsTheFirstCause) {
    Scenario fast = h100Job("llama-3-8b", 4, 32, {{"tensor", 8}}, {{"overlap", {{"data", false}}}});
    Json document = {{"format", "orrery-scenario/1"}, {"model", {{"preset", "llama-3-8b"}}}, {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 4}, {"scale_out", {{"bandwidth_gb_s", 5}}}}}, {"workload", {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 32}, {"micro_batch_size", 1}, {"precision", "bf16"}}}, {"parallelism", {{"tensor", 8}}}, {"execution", {{"overlap", {{"data", false}}}}}};
    const ScenarioReading slow = readScenario(document, test::catalog(), {});
    ASSERT_TRUE(slow.scenario);
    const RecordDifference difference = differenceOf(jobOf(fast, {0}), jobOf(*slow.scenario, {0}));
    ASSERT_FALSE(difference.causes.empty());
    EXPECT_TRUE(difference.causes[0].part.starts_with("communication.")) << difference.summary;
    EXPECT_GT(difference.difference, 0);
    for (const auto& part : difference.parts) {
        EXPECT_FALSE(part.name == "kernels.new" || part.name == "kernels.gone" || part.name == "kernels.replaced") << part.name;
    }
}

TEST(KnownChanges, attentionInOneKernelIsTheFirstCause) {
    const auto with = [](const char* attention) { return h100Job("llama-3-8b", 1, 8, {{"tensor", 8}}, {{"attention", attention}}); };
    const RecordDifference difference = differenceOf(jobOf(with("unfused"), {0}), jobOf(with("flash"), {0}));
    ASSERT_FALSE(difference.causes.empty());
    EXPECT_LT(difference.difference, 0);
    EXPECT_EQ(difference.causes[0].part, "kernels.replaced") << difference.summary;
    EXPECT_NE(difference.causes[0].name.find("softmax"), std::string::npos) << difference.summary;
}

TEST(KnownChanges, aSlowRankIsTheFirstCauseAndIsWaitedFor) {
    const auto with = [](bool slow) {
        Json execution = {{"overlap", {{"data", false}}}};
        if (slow) execution["stragglers"] = {{{"rank", 5}, {"slowdown", 1.3}}};
        return h100Job("llama-3-8b", 1, 32, {{"tensor", 2}}, std::move(execution));
    };
    const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
    const RecordDifference difference = differenceOf(jobOf(with(false), all), jobOf(with(true), all));
    // Its kernels are slower, as are those of rank 4, which runs in step with it; the other six wait.
    ASSERT_GE(difference.causes.size(), 2U);
    EXPECT_EQ(difference.causes[0].part, "kernels.slower") << difference.summary;
    EXPECT_NE(difference.causes[0].text.find("ranks 4 and 5 take 1.30 times"), std::string::npos) << difference.summary;
    EXPECT_EQ(difference.causes[1].part, "waits.peers") << difference.summary;
    EXPECT_TRUE(difference.causes[1].name == "rank 5" || difference.causes[1].name == "rank 4") << difference.summary;
    // The slow one alone: every kernel of it is slower. Another one alone: its collectives take longer.
    const RecordDifference itself = differenceOf(jobOf(with(false), {5}), jobOf(with(true), {5})), other = differenceOf(jobOf(with(false), {0}), jobOf(with(true), {0}));
    EXPECT_EQ(itself.causes[0].name, "all kernels") << itself.summary;
    EXPECT_TRUE(other.causes[0].part.starts_with("communication.")) << other.summary;
}

/// The record of a rank that comes `late` ns to its `collective`-th one; it leaves it when it did, but for what the others wait.
std::string comesLate(const std::string& text, std::size_t collective, std::int64_t late, bool itself) {
    Json document = Json::parse(text);
    std::vector<std::int64_t> starts;
    const auto ns = [](const Json& value) { return std::llround(value.get<double>() * 1000); };
    for (const Json& event : document["traceEvents"])
        if (event.value("cat", "") == "kernel" && event["name"].get<std::string>().starts_with("nccl")) starts.push_back(ns(event["ts"]));
    std::sort(starts.begin(), starts.end());
    const std::int64_t from = starts.at(collective);
    for (Json& event : document["traceEvents"]) {
        if (!event.contains("ts")) continue;
        const std::int64_t start = ns(event["ts"]);
        if (start < from) continue;
        if (start > from || itself) event["ts"] = static_cast<double>(start + late) / 1000;
        else event["dur"] = static_cast<double>(ns(event["dur"]) + late) / 1000; // waits
    }
    return document.dump();
}

TEST(KnownChanges, aRankThatComesLateIsWaitedForByTheOthers) {
    const auto before = exportsOf(h100Job("llama-3-8b", 1, 8, {{"tensor", 8}}), {0, 1, 2, 3, 4, 5, 6, 7});
    std::vector<std::string> after;
    for (std::size_t rank = 0; rank < before.size(); ++rank) after.push_back(comesLate(before[rank], 40, 5'000'000, rank == 3));
    const RecordDifference difference = differenceOf(jobOf(before), jobOf(after));
    EXPECT_NEAR(difference.difference, 5e-3, 1e-9);
    ASSERT_FALSE(difference.causes.empty());
    EXPECT_EQ(difference.causes[0].part, "waits.peers") << difference.summary;
    EXPECT_EQ(difference.causes[0].name, "rank 3") << difference.summary;
    EXPECT_NEAR(difference.causes[0].delta, 5e-3 * 7 / 8, 1e-6); // seven of eight ranks wait, the eighth idles
}

/// Records of devices; those of execution traces (_et) are none.
std::vector<std::string> realRecords() {
    std::vector<std::string> files;
    for (const char* folder : {"traces/pairs", "traces/tracelens", "traces/hta"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(sharedPath(folder)))
            if (entry.path().string().ends_with(".json.gz") && entry.path().string().find("_et.") == std::string::npos) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

TEST(RealRecords, areSharedOutAsTheirFiguresSay) {
    ORRERY_REQUIRE_SHARED("traces/pairs");
    std::size_t checked = 0;
    for (const std::string& file : realRecords()) {
        Problems problems;
        const auto trace = readDeviceTrace(readWholeFile(file), file, problems);
        if (!trace || trace->device.empty()) continue;
        const Json figures = kinetoFigures(*trace);
        const RecordWall wall = wallOf(*trace);
        double computing = 0, communication = 0, all = 0;
        for (std::size_t i = 0; i < trace->device.size(); ++i) {
            all += static_cast<double>(wall.charged[i]) / 1000;
            if (trace->device[i].work != DeviceWork::kernel) continue;
            (trace->device[i].communication ? communication : computing) += static_cast<double>(wall.charged[i]) / 1000;
        }
        for (const DeviceGap& gap : wall.gaps) all += static_cast<double>(gap.length) / 1000;
        EXPECT_NEAR(computing, figures["compute_union_us"].get<double>(), 1e-3) << file;
        EXPECT_NEAR(communication, figures["exposed_comm_us"].get<double>(), 1e-3) << file;
        EXPECT_NEAR(all, figures["device_span_us"].get<double>(), 1e-3) << file;
        ++checked;
    }
    EXPECT_GT(checked, 15U);
}

TEST(RealRecords, doNotDifferFromThemselves) {
    ORRERY_REQUIRE_SHARED("traces/pairs");
    for (const std::string& file : realRecords()) {
        const RecordedRank record = recorded(readWholeFile(file), file);
        if (record.trace->device.empty()) continue;
        const RecordDifference difference = differenceOf(recordedJob({record}), recordedJob({record}));
        EXPECT_TRUE(difference.parts.empty() && difference.causes.empty()) << file << ": " << difference.summary;
    }
}

RecordDifference realPair(const std::string& a, const std::string& b) {
    return differenceOf(recordedJob({recorded(readWholeFile(sharedPath("traces/" + a)), a)}), recordedJob({recorded(readWholeFile(sharedPath("traces/" + b)), b)}));
}

TEST(RealRecords, ofOneProgramOnTwoMachinesMatchByModules) {
    ORRERY_REQUIRE_SHARED("traces/pairs");
    // 60 kernels each, of the same operators of the same modules: no name is needed to pair them.
    const RecordDifference bert = realPair("pairs/h100/gaunernst_bert-small-uncased__1016001.json.gz", "pairs/mi300/gaunernst_bert-small-uncased__1016001.json.gz");
    EXPECT_EQ(bert.matched[0] + bert.matched[1], 60U);
    EXPECT_EQ(bert.added + bert.gone + bert.replacedA + bert.replacedB, 0U);
    // Both devices wait for their hosts nine tenths of the time, and the second host is faster.
    EXPECT_EQ(bert.causes[0].part, "gaps.launch") << bert.summary;
    EXPECT_LT(bert.causes[0].delta, 0);
    const RecordDifference vision = realPair("pairs/h100/Falconsai_nsfw_image_detection__1016002.json.gz", "pairs/mi300/Falconsai_nsfw_image_detection__1016002.json.gz");
    EXPECT_GE(vision.matched[0] + vision.matched[1] + vision.matched[2], 150U);
    const auto attention = std::find_if(vision.causes.begin(), vision.causes.end(), [](const RecordCause& cause) { return cause.nameB.find("attn_fwd") != std::string::npos; });
    ASSERT_NE(attention, vision.causes.end());
    EXPECT_NE(attention->name.find("flash_fwd_kernel"), std::string::npos);
    EXPECT_EQ(attention->countA, 12); // layers of ViT-Base
    const RecordDifference qwen = realPair("tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", "tracelens/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
    EXPECT_LT(static_cast<double>(qwen.added + qwen.gone), 0.05 * 1465);
}

TEST(RealRecords, sayTheSameAsNsightsTables) {
    ORRERY_REQUIRE_SHARED("traces/pairs");
    const auto read = [](const char* name) { return recorded(readWholeFile(sharedPath(name)), name); };
    const RecordedRank a = read("traces/pairs/h100/Falconsai_nsfw_image_detection__1016002.json.gz"), b = read("traces/pairs/mi300/Falconsai_nsfw_image_detection__1016002.json.gz");
    const auto converted = [](const RecordedRank& rank) { return recorded(test::nsightConverted(*rank.trace), "nsight.sqlite"); };
    const RecordDifference kineto = differenceOf(recordedJob({a}), recordedJob({b})), nsight = differenceOf(recordedJob({converted(a)}), recordedJob({converted(b)}));
    EXPECT_DOUBLE_EQ(nsight.difference, kineto.difference);
    // Nsight knows the operators by NVTX, but no modules and shapes: nineteen of twenty kernels are known again all the same.
    EXPECT_LE(static_cast<double>(nsight.added + nsight.replacedB), 0.05 * 155);
    const auto part = [](const RecordDifference& difference, const std::string& name) {
        double sum = 0;
        for (const auto& one : difference.parts)
            if (one.name.starts_with(name)) sum += one.delta;
        return sum;
    };
    for (const char* name : {"kernels.", "gaps.", "waits.", "memory_copies"}) EXPECT_NEAR(part(nsight, name), part(kineto, name), 1e-12) << name;
}

TEST(RealRecords, showTheCopiesThatTheTestOfAPairMakes) {
    ORRERY_REQUIRE_SHARED("traces/hta/trace_diff");
    // 228 copies of the control became 4,856: they cost more than anything else that one thing explains.
    const RecordDifference difference = realPair("hta/trace_diff/control/control.json.gz", "hta/trace_diff/test/test.json.gz");
    ASSERT_FALSE(difference.causes.empty());
    EXPECT_EQ(difference.causes[0].part, "memory_copies") << difference.summary;
    EXPECT_EQ(difference.causes[0].name, "Memcpy DtoD (Device -> Device)");
}

} // namespace
} // namespace orrery
