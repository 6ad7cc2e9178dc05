// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs with dependencies of their own, against a longest-path solver written here, and broken files.
#include "core/base/json.hpp"
#include "core/training/job_traffic/lone_collective.hpp"
#include "tests/core/model/recorded/chakra_fixture.hpp"
#include "tests/core/model/recorded/recorded_fixture.hpp"
#include "tests/support/random_source.hpp"

#include <array>
#include <numeric>

namespace orrery {
namespace {

using namespace test;

std::optional<Recording> readBytes(const std::string& bytes) {
    RecordingError error;
    return readRecording(std::string_view(bytes), error);
}

Json fileScenario(int accelerators) {
    Json scenario = graphScenario(nullptr, accelerators);
    scenario["model"] = {{"graph_file", "trace.et"}};
    // What training jobs keep of the library's rates is no part of a lone collective's time.
    scenario["execution"]["calibration"] = {{"scale_up_share_of_library", 1}, {"scale_out_share_of_library", 1}};
    return scenario;
}

ScenarioReading readWith(const Json& scenario, const std::string& bytes) {
    return read(scenario, [&](const std::string&, std::string&) { return std::optional<std::string>(bytes); });
}

ResultPtr simulatedWith(const Json& scenario, const std::string& bytes) {
    const ScenarioReading reading = readWith(scenario, bytes);
    EXPECT_TRUE(reading.scenario) << listed(reading.problems);
    return reading.scenario ? simulate(*reading.scenario).result : nullptr;
}

TEST(RecordedDependencies, MessagesAreReadAsWritten) {
    const std::string bytes =
        chakraMessages({{7, "aten::mm", 4, true, {}, {}, 11, {{"tid", 3}}},
                        {8, "maxwell_sgemm_64x64_nt", 4, false, {7}, {}, 300, {}},
                        {300, "ncclKernel_AllReduce", 7, false, {8, 7}, {}, 20, {{"comm_type", 0}, {"comm_size", 1048576}}},
                        {301, "load", 2, false, {300}, {}, 0, {{"tensor_size", 4096}}},
                        {302, "to the next", 5, false, {}, {301}, 0, {{"comm_size", 64}}},
                        {303, "from the last", 6, false, {302}, {}, 0, {{"comm_size", 64}}}});
    const auto recording = readBytes(bytes);
    ASSERT_TRUE(recording);
    ASSERT_EQ(recording->nodes.size(), 6u);
    EXPECT_EQ(recording->format, "Chakra execution trace, schema 0.0.4");
    const std::vector<RecordedKind> kinds{RecordedKind::host, RecordedKind::kernel, RecordedKind::collective,
                                          RecordedKind::load_store, RecordedKind::send, RecordedKind::receive};
    for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_EQ(recording->nodes[i].kind, kinds[i]) << i;
    EXPECT_EQ(recording->nodes[2].after, (std::vector<std::uint32_t>{1, 0}));
    EXPECT_EQ(recording->nodes[4].after, std::vector<std::uint32_t>{3})
        << "control dependencies that name nodes and lead in no circle hold";
    EXPECT_FALSE(recording->controlIgnored);
    EXPECT_EQ(recording->nodes[2].rankBytes, 1048576);
    EXPECT_DOUBLE_EQ(*recording->nodes[1].duration, 300e-6);
    EXPECT_FALSE(recording->nodes[3].duration);
    EXPECT_EQ(recording->nodes[3].bytes, 4096);
    EXPECT_EQ(recording->nodes[0].thread, 3);
}

TEST(RecordedDependencies, CallersAmongControlDependenciesOrderNothing) {
    // Node 1 names a caller that isn't in the file, as converters leave it.
    const auto recording = readBytes(chakraMessages({{1, "a", 4, false, {}, {99}, 5, {}}, {2, "b", 4, false, {}, {1}, 5, {}}}));
    ASSERT_TRUE(recording);
    EXPECT_TRUE(recording->controlIgnored);
    EXPECT_TRUE(recording->nodes[1].after.empty());
}

struct Drawn {
    std::vector<ChakraNode> nodes;
    std::vector<double> end; ///< s, by the solver
    std::array<double, 3> busy{};
};

/// Random graphs: each node waits for some earlier ones and for the one before it on its resource (host, accelerator, network).
Drawn drawGraph(RandomSource& random, double collectiveTime, double collectiveBytes) {
    Drawn drawn;
    const std::size_t count = random.between(std::size_t{3}, std::size_t{60});
    std::array<double, 3> free{};
    for (std::size_t i = 0; i < count; ++i) {
        ChakraNode node;
        node.id = 1000 - 3 * i; // ids say nothing of the order
        const std::size_t resource = random.below(3);
        node.host = resource == 0;
        node.type = resource == 2 ? 7 : 4;
        node.name = resource == 0 ? "aten::mm" : resource == 1 ? "some_gemm"
                                                               : "ncclAllReduce";
        node.micros = random.between(std::size_t{1}, std::size_t{500});
        double start = free[resource];
        for (std::size_t tries = random.below(4); tries > 0 && i > 0; --tries) {
            const std::size_t before = random.below(i);
            node.data.push_back(drawn.nodes[before].id);
            start = std::max(start, drawn.end[before]);
        }
        if (resource == 2) node.attributes = {{"comm_type", 0}, {"comm_size", static_cast<std::uint64_t>(collectiveBytes)}};
        const double time = resource == 2 ? collectiveTime : static_cast<double>(node.micros) * 1e-6;
        drawn.busy[resource] += time;
        drawn.end.push_back(start + time);
        free[resource] = drawn.end.back();
        drawn.nodes.push_back(std::move(node));
    }
    return drawn;
}

TEST(RecordedDependencies, TimeIsTheLongestPath) {
    RandomSource random(20240611);
    for (const int accelerators : {1, 8}) {
        const Json scenario = fileScenario(accelerators);
        const double bytes = 4 << 20;
        const ScenarioReading reading = readWith(scenario, chakraMessages({{1, "some_gemm", 4, false, {}, {}, 1, {}}}));
        ASSERT_TRUE(reading.scenario) << listed(reading.problems);
        std::vector<int> ranks(static_cast<std::size_t>(accelerators));
        std::iota(ranks.begin(), ranks.end(), 0);
        // The recorded duration of a collective is another cluster's: this one's counts.
        const double alone = accelerators == 1 ? 0 : runLoneCollective(*reading.scenario, ranks, CollectiveKind::all_reduce, bytes).time;
        for (int run = 0; run < 100; ++run) {
            const Drawn drawn = drawGraph(random, alone, bytes);
            const double longest = *std::max_element(drawn.end.begin(), drawn.end.end());
            if (longest <= 0) continue;
            const ResultPtr result = simulatedWith(scenario, chakraMessages(drawn.nodes));
            ASSERT_TRUE(result && result->training());
            EXPECT_NEAR(result->training()->iterationTime, longest, 1e-9 * longest);
            const TimeBreakdown& parts = result->training()->breakdown;
            const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
            EXPECT_NEAR(sum, result->training()->iterationTime, 1e-9 * longest);
            for (const double part : parts) EXPECT_GE(part, 0);
            const auto part = [&](TimePart which) { return parts[static_cast<std::size_t>(which)]; };
            EXPECT_NEAR(part(TimePart::forward), drawn.busy[1], 1e-9 * longest) << "what the accelerator computes";
            EXPECT_LE(part(TimePart::data_exposed), drawn.busy[2] * (1 + 1e-9));
            EXPECT_LE(part(TimePart::overhead), drawn.busy[0] * (1 + 1e-9));
        }
    }
}

TEST(RecordedDependencies, ARingWrittenOutTakesItsSteps) {
    // 14 sends of 128 KiB, each after the one before: a ring all-reduce of 1 MiB over 8 ranks.
    std::vector<ChakraNode> nodes;
    for (std::uint64_t i = 0; i < 14; ++i) {
        nodes.push_back({2 * i, "send", 5, false, {}, {}, 0, {{"comm_size", 131072}}});
        if (i > 0) nodes.back().data = {2 * i - 1};
        nodes.push_back({2 * i + 1, "receive", 6, false, {2 * i}, {}, 0, {{"comm_size", 131072}}});
    }
    const Json scenario = fileScenario(8);
    const ResultPtr result = simulatedWith(scenario, chakraMessages(nodes));
    ASSERT_TRUE(result);
    const double one = runLoneCollective(result->scenario, {0, 1, 2, 3, 4, 5, 6, 7}, CollectiveKind::send_receive, 131072).time;
    EXPECT_NEAR(result->training()->iterationTime, 14 * one, 1e-9);
    EXPECT_NEAR(result->training()->breakdown[static_cast<std::size_t>(TimePart::data_exposed)], 14 * one, 1e-9);
}

TEST(RecordedDependencies, StatedOperationsAndBytesGiveARoofline) {
    // A node that is bound by its operations, and one by its bytes: twice the work takes twice the time beyond the launch.
    const auto time = [](std::uint64_t operations, std::uint64_t bytes) {
        const ResultPtr result =
            simulatedWith(fileScenario(1),
                          chakraMessages({{1, "layer", 4, false, {}, {}, 0, {{"num_ops", operations}, {"tensor_size", bytes}}}}));
        return result ? result->training()->iterationTime : 0;
    };
    const double launch = 2 * time(1000000000000, 8) - time(2000000000000, 8);
    EXPECT_NEAR(2 * time(8, 1000000000) - time(8, 2000000000), launch, 1e-12);
    EXPECT_GT(launch, 0);
    // An A100 reaches at most 312 TFLOP/s and 2,039 GB/s.
    EXPECT_GT(time(1000000000000, 8), 1e12 / 312e12);
    EXPECT_LT(time(1000000000000, 8), 2 * 1e12 / 312e12);
    EXPECT_GT(time(8, 1000000000), 1e9 / 2039e9);
    EXPECT_LT(time(8, 1000000000), 2 * 1e9 / 2039e9);
}

TEST(RecordedDependencies, CollectivesOfUnknownSizeAreUnmapped) {
    const std::string bytes =
        chakraMessages({{1, "some_gemm", 4, false, {}, {}, 100, {}}, {2, "ncclAllReduce", 7, false, {1}, {}, 50, {}}});
    const ResultPtr result = simulatedWith(fileScenario(8), bytes);
    ASSERT_TRUE(result);
    EXPECT_TRUE(find(result->warnings, "unmapped-node"));
    EXPECT_NEAR(result->training()->iterationTime, 150e-6, 1e-12) << "all that is known is how long it took there";
    EXPECT_NEAR(simulatedWith(fileScenario(1), bytes)->training()->iterationTime, 100e-6, 1e-12) << "one rank has nobody to send to";
}

TEST(RecordedDependencies, NumberedNodesOfNoKnownKindAreOne) {
    const auto recording = readBytes(chakraMessages({{1, "LAYER_1", 4, false, {}, {}, 5, {}}, {2, "LAYER_22", 4, false, {1}, {}, 6, {}}}));
    ASSERT_TRUE(recording);
    const RecordedWorkload w = makeRecordedWorkload(*recording);
    ASSERT_EQ(w.unmapped.size(), 1u);
    EXPECT_EQ(w.unmapped.front().name, "LAYER_*");
    EXPECT_EQ(w.unmapped.front().count, 2u);
    EXPECT_DOUBLE_EQ(w.unmappedTime, 11e-6);
}

std::string soundTrace() {
    return chakraMessages({{7, "aten::mm", 4, true, {}, {}, 11, {{"tid", 3}}},
                           {8, "maxwell_sgemm_64x64_nt", 4, false, {7}, {7}, 300, {}},
                           {300, "ncclKernel_AllReduce", 7, false, {8, 7}, {8}, 20, {{"comm_type", 0}, {"comm_size", 1048576}}}});
}

std::string soundJson() {
    return R"json({"schema": "1.0.1", "nodes": [
      {"name": "process", "id": 1, "parent": 1, "inputs": [], "input_shapes": [], "input_types": [], "outputs": [], "output_shapes": [], "output_types": []},
      {"name": "aten::linear", "id": 2, "parent": 1, "inputs": [[5,6,0,128,4,"cuda:0"],[7,8,0,512,4,"cuda:0"]], "input_shapes": [[8,16],[32,16]],
       "input_types": ["Tensor(float)","Tensor(float)"], "outputs": [[9,10,0,256,4,"cuda:0"]], "output_shapes": [[8,32]], "output_types": ["Tensor(float)"]},
      {"name": "aten::mm", "id": 3, "parent": 2, "inputs": [[5,6,0,128,4,"cuda:0"],[7,8,0,512,4,"cuda:0"]], "input_shapes": [[8,16],[16,32]],
       "input_types": ["Tensor(float)","Tensor(float)"], "outputs": [[9,10,0,256,4,"cuda:0"]], "output_shapes": [[8,32]], "output_types": ["Tensor(float)"]},
      {"name": "c10d::allreduce_", "id": 4, "parent": 1, "inputs": [[[9,10,0,256,4,"cuda:0"]]], "input_shapes": [[[8,32]]], "input_types": ["GenericList[Tensor(float)]"],
       "outputs": [[[9,10,0,256,4,"cuda:0"]]], "output_shapes": [[[8,32]]], "output_types": ["GenericList[Tensor(float)]"]}]})json";
}

TEST(RecordedDependencies, AnOperatorStandsForWhatItCalls) {
    RecordingError error;
    const auto recording = readRecording(std::string_view(soundJson()), error);
    ASSERT_TRUE(recording) << error.message;
    const RecordedWorkload w = makeRecordedWorkload(*recording);
    ASSERT_EQ(w.steps.size(), 2u);
    EXPECT_EQ(w.graph.forward[0].name, "aten::linear");
    EXPECT_EQ(w.graph.forward[0].flops, 2.0 * 8 * 16 * 32);
    EXPECT_EQ(w.steps[1].rankBytes, 1024);
    EXPECT_EQ(w.steps[1].after, std::vector<std::uint32_t>{0});
}

/// Whatever the bytes, there is a result or a problem with a mend.
void expectAnswer(const std::string& bytes) {
    const ScenarioReading reading = readWith(fileScenario(2), bytes);
    if (!reading.scenario) {
        const Problem* problem = find(reading.problems, "bad-graph");
        ASSERT_TRUE(problem) << listed(reading.problems);
        EXPECT_EQ(problem->pointer, "/model/graph_file");
        EXPECT_FALSE(problem->message.empty());
        EXPECT_FALSE(problem->mend.empty());
        return;
    }
    const Outcome outcome = simulate(*reading.scenario);
    ASSERT_TRUE(outcome.result || !outcome.problems.empty());
    if (!outcome.result) return;
    const TrainingMetrics& metrics = *outcome.result->training();
    EXPECT_TRUE(std::isfinite(metrics.iterationTime) && metrics.iterationTime > 0);
    EXPECT_NEAR(std::accumulate(metrics.breakdown.begin(), metrics.breakdown.end(), 0.0), metrics.iterationTime,
                1e-9 * metrics.iterationTime);
}

TEST(RecordedDependencies, EveryTruncationIsAnswered) {
    for (const std::string& whole : {soundTrace(), soundJson()})
        for (std::size_t length = 0; length < whole.size(); ++length) expectAnswer(whole.substr(0, length));
}

TEST(RecordedDependencies, FlippedBytesAreAnswered) {
    RandomSource random(77);
    for (const std::string& whole : {soundTrace(), soundJson()})
        for (int run = 0; run < 3000; ++run) {
            std::string bytes = whole;
            for (std::size_t flips = random.between(std::size_t{1}, std::size_t{4}); flips > 0; --flips)
                bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
            expectAnswer(bytes);
        }
}

TEST(RecordedDependencies, JunkIsAnswered) {
    RandomSource random(5);
    for (int run = 0; run < 2000; ++run) {
        std::string bytes(random.below(200), '\0');
        for (char& byte : bytes) byte = static_cast<char>(random.below(256));
        expectAnswer(bytes);
    }
    expectAnswer("\x1f\x8b\x08");
}

TEST(RecordedDependencies, MissingFilesAreNamed) {
    const ScenarioReading reading = read(fileScenario(1), [](const std::string&, std::string& error) {
        error = "No such file or directory";
        return std::optional<std::string>();
    });
    const Problem* problem = find(reading.problems, "file-unreadable");
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->pointer, "/model/graph_file");
    EXPECT_EQ(problem->message, "Cannot read trace.et: No such file or directory.");
}

} // namespace
} // namespace orrery
