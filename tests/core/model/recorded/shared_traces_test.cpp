// SPDX-License-Identifier: GPL-3.0-or-later
// Real traces: what is read against independent counts, what is mapped against a second count over the raw JSON and against
// published figures of the models that ran.
#include "app/common/scenario_files.hpp"
#include "core/base/gzip.hpp"
#include "core/base/json.hpp"
#include "tests/core/model/recorded/recorded_fixture.hpp"
#include "tests/support/random_source.hpp"
#include "tests/support/shared_data.hpp"

#include <numeric>
#include <set>

namespace orrery {
namespace {

using namespace test;

const std::string traces = "traces/";

std::string traceBytes(const std::string& name) {
    std::string bytes = readWholeFile(sharedPath(traces + name)), reason;
    if (!isGzip(bytes)) return bytes;
    auto content = inflateGzip(bytes, reason);
    EXPECT_TRUE(content) << name << ": " << reason;
    return content.value_or("");
}

Recording recordingOf(const std::string& name) {
    RecordingError error;
    auto recording = readRecording(std::string_view(traceBytes(name)), error);
    EXPECT_TRUE(recording) << name << ": " << error.place << ": " << error.message;
    return recording.value_or(Recording{});
}

std::size_t count(const Recording& recording, const std::function<bool(const RecordedNode&)>& which) {
    return static_cast<std::size_t>(std::count_if(recording.nodes.begin(), recording.nodes.end(), which));
}

TEST(SharedTraces, CountsAreThoseOfTheTable) {
    ORRERY_REQUIRE_SHARED(traces + "expected.json");
    const Json expected = Json::parse(readWholeFile(sharedPath(traces + "expected.json"))).at("traces");
    int checked = 0;
    for (const auto& [name, figures] : expected.items()) {
        const std::string kind = figures.at("kind");
        if (kind == "kineto" || !haveShared(traces + name)) continue;
        SCOPED_TRACE(name);
        const Recording recording = recordingOf(name);
        EXPECT_EQ(recording.nodes.size(), figures.at("nodes").get<std::size_t>());
        ++checked;
        if (kind == "pytorch-et") {
            EXPECT_EQ(count(recording, [](const RecordedNode& n) { return n.name == "record_param_comms"; }),
                      figures.at("record_param_comms").get<std::size_t>());
            EXPECT_EQ(count(recording, [](const RecordedNode& n) { return n.name.starts_with("nccl:"); }),
                      figures.at("nccl_nodes").get<std::size_t>());
            EXPECT_EQ(count(recording, [](const RecordedNode& n) { return n.parent >= 0; }),
                      figures.at("nodes_with_parent").get<std::size_t>());
            std::set<std::string> names;
            for (const RecordedNode& node : recording.nodes) names.insert(node.name);
            EXPECT_EQ(names.size(), figures.at("distinct_names").get<std::size_t>());
        } else if (kind == "chakra-et") {
            std::size_t dependencies = 0;
            double bytes = 0, time = 0;
            for (const RecordedNode& node : recording.nodes) {
                dependencies += node.after.size();
                bytes += node.rankBytes;
                time += node.duration.value_or(0);
            }
            EXPECT_EQ(dependencies, figures.at("data_deps").get<std::size_t>());
            EXPECT_EQ(bytes, figures.at("comm_size_sum_bytes").get<double>());
            EXPECT_NEAR(time, figures.at("duration_micros_sum").get<double>() * 1e-6, 1e-9);
        }
    }
    EXPECT_GE(checked, 15);
}

/// Multiplications of the leaf operators by their shapes, straight from the document.
double productFlops(const Json& document) {
    double flops = 0;
    for (const Json& node : document.at("nodes")) {
        const std::string name = node.at("name");
        const std::size_t first = name == "aten::addmm" ? 1 : 0;
        if (name != "aten::mm" && name != "aten::addmm" && name != "aten::bmm") continue;
        const Json &a = node.at("input_shapes")[first], &b = node.at("input_shapes")[first + 1];
        double product = 2 * b.back().get<double>();
        for (const Json& dimension : a) product *= dimension.get<double>();
        flops += product;
    }
    return flops;
}

TEST(SharedTraces, RecommendationModelIsMapped) {
    const std::string name = "dlrm/et/dlrm_eg_0.json.gz";
    ORRERY_REQUIRE_SHARED(traces + name);
    const RecordedWorkload w = makeRecordedWorkload(recordingOf(name));
    double flops = 0;
    std::map<CollectiveKind, int> collectives;
    std::map<Phase, double> byPhase;
    for (std::size_t i = 0; i < w.steps.size(); ++i) {
        const Operator& op = w.graph.forward[i];
        flops += op.flops;
        byPhase[op.phase] += op.flops;
        if (w.steps[i].stream == RecordedStream::communication) ++collectives[op.collective];
    }
    EXPECT_EQ(flops, productFlops(Json::parse(traceBytes(name))));
    // A layer's backward multiplies twice, but for the first ones, whose inputs need no gradient.
    EXPECT_GT(byPhase[Phase::backward], 1.5 * byPhase[Phase::forward]);
    EXPECT_LE(byPhase[Phase::backward], 2 * byPhase[Phase::forward]);
    EXPECT_EQ(collectives[CollectiveKind::all_to_all], 5);
    EXPECT_EQ(collectives[CollectiveKind::all_reduce], 3);
    EXPECT_EQ(collectives.size(), 2u);
    std::set<std::string> unmapped;
    for (const UnmappedNodes& kind : w.unmapped) unmapped.insert(kind.name);
    EXPECT_TRUE(unmapped.contains("fbgemm::split_embedding_codegen_lookup_adagrad_function"));
    for (const std::string& kind : unmapped) EXPECT_TRUE(kind.starts_with("fbgemm::")) << kind;
    EXPECT_LT(static_cast<double>(w.unmappedNodes), 0.02 * static_cast<double>(w.nodes));
}

TEST(SharedTraces, ImageModelCountsAsPublished) {
    const std::string name = "chakra/chakra.0.et";
    ORRERY_REQUIRE_SHARED(traces + name);
    const Recording recording = recordingOf(name);
    EXPECT_EQ(count(recording, [](const RecordedNode& n) { return n.kind == RecordedKind::kernel; }), 1209u);
    EXPECT_EQ(count(recording, [](const RecordedNode& n) { return n.kind == RecordedKind::collective; }), 7u);
    EXPECT_EQ(count(recording, [](const RecordedNode& n) { return n.kind == RecordedKind::host; }), 2448u);
    const RecordedWorkload w = makeRecordedWorkload(recording);
    double forward = 0, backward = 0;
    for (const Operator& op : w.graph.forward) (op.phase == Phase::forward ? forward : backward) += op.flops;
    // ResNet-50, batch 32 a rank: 4.09 G multiply-adds an image (He et al. 2015 count 3.8 with the older stride; torchvision 4.09).
    EXPECT_NEAR(forward / 2 / 32, 4.09e9, 0.005 * 4.09e9);
    EXPECT_NEAR(backward / forward, 2, 0.04) << "all but the first layer's input gradient";
    EXPECT_LT(w.unmappedTime, 0.01 * w.recordedTime);
    EXPECT_NEAR(w.parameters, 25.6e6, 0.1e6) << "ResNet-50 has 25.6 M";
}

TEST(SharedTraces, WhatAJsonTraceLacksIsListed) {
    // The same recording without tensors and sizes: kernels are known by their operators' names, collectives' sizes by nothing.
    const std::string name = "chakra/chakra.0.json.gz";
    ORRERY_REQUIRE_SHARED(traces + name);
    const RecordedWorkload w = makeRecordedWorkload(recordingOf(name)), full = makeRecordedWorkload(recordingOf("chakra/chakra.0.et"));
    EXPECT_EQ(w.nodes, full.nodes);
    EXPECT_NEAR(w.recordedTime, full.recordedTime, 1e-9);
    EXPECT_EQ(w.unmappedNodes, 7u);
    for (const UnmappedNodes& kind : w.unmapped) EXPECT_TRUE(kind.name.starts_with("ncclKernel")) << kind.name;
    EXPECT_EQ(full.unmappedNodes, 0u);
}

TEST(SharedTraces, EveryTraceRuns) {
    ORRERY_REQUIRE_SHARED(traces + "expected.json");
    for (const char* name :
         {"chakra/chakra.0.et", "chakra/chakra.0.json.gz", "chakra/small_chakra.0.json", "chakra/1.0.2-chakra.0.0.4.json.gz",
          "dlrm/et/dlrm_eg_3.json.gz", "hta/execution_trace/benchmark_simple_add_et.json.gz",
          "astra-sim/all_reduce/4npus_1MB/all_reduce.0.et", "astra-sim/all_gather/4npus_1MB/all_gather.0.et",
          "astra-sim/all_to_all/4npus_1MB/all_to_all.0.et", "astra-sim/reduce_scatter/4npus_1MB/reduce_scatter.0.et",
          "astra-sim/custom_ring_allreduce_8npus_1MB/custom_allreduce.0.et"}) {
        SCOPED_TRACE(name);
        Json scenario = graphScenario(nullptr, 8);
        scenario["model"] = {{"graph_file", traces + name}};
        // The programs read it packed or not.
        const ScenarioReading reading = read(scenario, fileReaderFor(sharedPath("")));
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        const ResultPtr result = simulate(*reading.scenario).result;
        ASSERT_TRUE(result);
        const TrainingMetrics& metrics = *result->training();
        EXPECT_GT(metrics.iterationTime, 0);
        EXPECT_NEAR(std::accumulate(metrics.breakdown.begin(), metrics.breakdown.end(), 0.0), metrics.iterationTime,
                    1e-9 * metrics.iterationTime);
        for (const OperationRow& row : result->operations) EXPECT_TRUE(std::isfinite(row.time) && row.time >= 0) << row.kind;
    }
}

TEST(SharedTraces, OtherGroupSizesAreTold) {
    const std::string name = "chakra/1.0.2-chakra.0.0.4.json.gz";
    ORRERY_REQUIRE_SHARED(traces + name);
    for (const int accelerators : {2, 8}) {
        Json scenario = graphScenario(nullptr, accelerators);
        scenario["model"] = {{"graph_file", traces + name}};
        const ScenarioReading reading = read(scenario, fileReaderFor(sharedPath("")));
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        EXPECT_EQ(find(reading.scenario->warnings, "other-group-size") != nullptr, accelerators != 2);
    }
}

TEST(SharedTraces, DamagedOnesAreAnswered) {
    const std::string name = "chakra/chakra.0.et";
    ORRERY_REQUIRE_SHARED(traces + name);
    RandomSource random(42);
    const std::string whole = traceBytes(name).substr(0, 60000),
                      small = traceBytes("astra-sim/custom_ring_allreduce_8npus_1MB/custom_allreduce.0.et");
    for (int run = 0; run < 300; ++run) {
        std::string bytes = run % 2 ? whole : small;
        if (random.chance(0.5)) bytes.resize(random.below(bytes.size()));
        else
            for (int flips = 0; flips < 5; ++flips) bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
        RecordingError error;
        const auto recording = readRecording(std::string_view(bytes), error);
        if (recording) makeRecordedWorkload(*recording);
        else EXPECT_FALSE(error.message.empty() || error.mend.empty());
    }
}

TEST(Gzip, DamageIsTold) {
    const std::string name = "chakra/1.0.2-chakra.0.0.4.json.gz";
    ORRERY_REQUIRE_SHARED(traces + name);
    const std::string whole = readWholeFile(sharedPath(traces + name));
    std::string reason;
    EXPECT_TRUE(inflateGzip(whole, reason));
    EXPECT_FALSE(inflateGzip(whole.substr(0, whole.size() / 2), reason));
    EXPECT_TRUE(reason.starts_with("its gzip data breaks off after ")) << reason;
    std::string flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(~flipped[whole.size() / 2]);
    EXPECT_FALSE(inflateGzip(flipped, reason));
    EXPECT_FALSE(inflateGzip(whole, reason, 100));
    // Two members one after the other are one content.
    EXPECT_EQ(inflateGzip(whole + whole, reason)->size(), 2 * inflateGzip(whole, reason)->size());
}

} // namespace
} // namespace orrery
