// SPDX-License-Identifier: GPL-3.0-or-later
// Handwritten PyTorch operator lists whose FLOPs, bytes and memory follow from their shapes by hand.
#include "core/base/json.hpp"
#include "tests/core/model/recorded/recorded_fixture.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/shared_data.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

namespace orrery {
namespace {

using namespace test;

const Operator& only(const RecordedWorkload& workload) {
    static const Operator none{};
    EXPECT_EQ(workload.steps.size(), 1u);
    EXPECT_TRUE(workload.unmapped.empty()) << workload.unmapped.front().name;
    return workload.graph.forward.empty() ? none : workload.graph.forward.front();
}

void expectShape(const Operator& op, double m, double n, double k, double batch) {
    EXPECT_EQ(op.shape.m, m) << op.name;
    EXPECT_EQ(op.shape.n, n) << op.name;
    EXPECT_EQ(op.shape.k, k) << op.name;
    EXPECT_EQ(op.shape.batch, batch) << op.name;
    EXPECT_EQ(op.flops, 2 * m * n * k * batch) << op.name;
}

TEST(OperatorList, ProductsHaveTheShapesOfTheirFactors) {
    // Every spelling of a name means the same.
    for (const char* name : {"aten.mm.default", "aten::mm", "torch.ops.aten.mm.default", "mm", "aten::mm(0)"}) {
        const RecordedWorkload w = workloadOf(single(name, {tensor({8, 16}), tensor({16, 32})}, {tensor({8, 32})}));
        expectShape(only(w), 8, 32, 16, 1);
        EXPECT_EQ(only(w).kind, OperatorKind::gemm);
        EXPECT_EQ(only(w).bytesRead, 2 * (8 * 16 + 16 * 32));
        EXPECT_EQ(only(w).bytesWritten, 2 * 8 * 32);
    }
    expectShape(
        only(workloadOf(single("aten.addmm.default", {tensor({32}), tensor({8, 16}), tensor({16, 32})}, {tensor({8, 32})}))), 8,
        32, 16, 1);
    expectShape(only(workloadOf(
                    single("aten.linear.default", {tensor({4, 8, 16}), tensor({32, 16}), tensor({32})}, {tensor({4, 8, 32})}))),
                32, 32, 16, 1);
    const RecordedWorkload batched =
        workloadOf(single("aten.bmm.default", {tensor({6, 8, 16}), tensor({6, 16, 32})}, {tensor({6, 8, 32})}));
    expectShape(only(batched), 8, 32, 16, 6);
    EXPECT_EQ(only(batched).kind, OperatorKind::batched_gemm);
    expectShape(
        only(workloadOf(single("aten.matmul.default", {tensor({2, 3, 8, 16}), tensor({16, 32})}, {tensor({2, 3, 8, 32})}))), 48,
        32, 16, 1);
    expectShape(
        only(workloadOf(single("aten.matmul.default", {tensor({2, 3, 8, 16}), tensor({2, 3, 16, 32})}, {tensor({2, 3, 8, 32})}))),
        8, 32, 16, 6);
}

TEST(OperatorList, FormatsOfProductsAreKept) {
    const RecordedWorkload single32 = workloadOf(
        single("aten.mm.default", {tensor({8, 16}, "float32"), tensor({16, 32}, "float32")}, {tensor({8, 32}, "float32")}));
    EXPECT_EQ(only(single32).operandBytes, 4);
    EXPECT_EQ(only(single32).bytesRead, 4 * (8 * 16 + 16 * 32));
    const RecordedWorkload eight = workloadOf(single(
        "aten._scaled_mm.default", {tensor({8, 16}, "float8_e4m3fn"), tensor({16, 32}, "float8_e4m3fn")}, {tensor({8, 32})}));
    EXPECT_EQ(only(eight).format, MatrixFormat::fp8);
}

TEST(OperatorList, ConvolutionsAreImplicitProducts) {
    // The first layer of a ResNet: 64 filters of 3 × 7 × 7, stride 2, on 224 × 224.
    const Json args{tensor({32, 3, 224, 224}), tensor({64, 3, 7, 7}), nullptr, {2, 2}, {3, 3}, {1, 1}, false, {0, 0}, 1};
    const RecordedWorkload w = workloadOf(single("aten.convolution.default", args, {tensor({32, 64, 112, 112})}));
    expectShape(only(w), 32.0 * 112 * 112, 64, 3 * 7 * 7, 1);
    // Depthwise: each of 16 channels has its own 3 × 3 window.
    const Json depthwise{tensor({1, 16, 10, 10}), tensor({16, 1, 3, 3}), nullptr, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 16};
    EXPECT_EQ(only(workloadOf(single("aten.convolution.default", depthwise, {tensor({1, 16, 10, 10})}))).flops, 2.0 * 16 * 100 * 9);
    // Transposed: every input element goes into a window of outputs.
    const Json transposed{tensor({2, 8, 5, 5}), tensor({8, 4, 2, 2}), nullptr, {2, 2}, {0, 0}, {1, 1}, true, {0, 0}, 1};
    EXPECT_EQ(only(workloadOf(single("aten.convolution.default", transposed, {tensor({2, 4, 10, 10})}))).flops, 2.0 * 2 * 25 * 8 * 4 * 4);
    // Backward: gradients of input and weights, unless the mask says that one isn't wanted.
    for (const bool inputToo : {true, false}) {
        const Json backward{tensor({32, 64, 112, 112}),
                            tensor({32, 3, 224, 224}),
                            tensor({64, 3, 7, 7}),
                            {0},
                            {2, 2},
                            {3, 3},
                            {1, 1},
                            false,
                            {0, 0},
                            1,
                            {inputToo, true, false}};
        const RecordedWorkload b =
            workloadOf(single("aten.convolution_backward.default", backward, {tensor({32, 3, 224, 224}), tensor({64, 3, 7, 7})}));
        EXPECT_EQ(only(b).flops, (inputToo ? 2 : 1) * only(w).flops);
        EXPECT_EQ(only(b).phase, Phase::backward);
    }
}

TEST(OperatorList, AttentionCountsFullScores) {
    const Json q = tensor({2, 8, 128, 64}), k = tensor({2, 2, 128, 64});
    const RecordedWorkload w = workloadOf(single("aten.scaled_dot_product_attention.default", {q, k, k, nullptr, 0.0, true}, {q}));
    EXPECT_EQ(only(w).kind, OperatorKind::attention);
    EXPECT_EQ(only(w).flops, 2.0 * 2 * 8 * 128 * 128 * (64 + 64));
    EXPECT_TRUE(w.steps.front().causal);
    EXPECT_FALSE(workloadOf(single("aten.scaled_dot_product_attention.default", {q, k, k}, {q})).steps.front().causal);
    const RecordedWorkload b = workloadOf(single("aten._scaled_dot_product_flash_attention_backward.default",
                                                 {q, q, k, k, q, 1, 1, 1, 1, 1, 0.0, true}, {q, k, k}));
    EXPECT_EQ(only(b).flops, 2 * only(w).flops);
}

TEST(OperatorList, OthersMoveTheirTensorsOnce) {
    const double row = 2.0 * 64 * 256;
    const RecordedWorkload add = workloadOf(single("aten.add.Tensor", {tensor({64, 256}), tensor({64, 256})}, {tensor({64, 256})}));
    EXPECT_EQ(only(add).bytesRead, 2 * row);
    EXPECT_EQ(only(add).bytesWritten, row);
    const RecordedWorkload inPlace = workloadOf(single("aten.mul_.Scalar", {tensor({64, 256}), 0.5}, Json::array()));
    EXPECT_EQ(only(inPlace).bytesRead, row);
    EXPECT_EQ(only(inPlace).bytesWritten, row);
    const RecordedWorkload copy = workloadOf(single("aten.copy_.default", {tensor({64, 256}), tensor({64, 256})}, {tensor({64, 256})}));
    EXPECT_EQ(only(copy).bytesRead, row) << "what is overwritten isn't read";
    EXPECT_EQ(only(copy).bytesWritten, row);
    // An embedding reads a row for each index, not its table.
    const RecordedWorkload look =
        workloadOf(single("aten.embedding.default", {tensor({50000, 256}), tensor({64}, "int64")}, {tensor({64, 256})}));
    EXPECT_EQ(only(look).kind, OperatorKind::embedding);
    EXPECT_EQ(only(look).bytesRead, row + 64 * 8);
    EXPECT_EQ(only(look).bytesWritten, row);
    EXPECT_EQ(
        only(workloadOf(single("aten.native_layer_norm.default",
                               {tensor({64, 256}), Json::array({256}), tensor({256}), tensor({256}), 1e-5}, {tensor({64, 256})})))
            .kind,
        OperatorKind::norm);
    EXPECT_EQ(only(workloadOf(single("aten._softmax.default", {tensor({64, 256}), -1, false}, {tensor({64, 256})}))).kind,
              OperatorKind::softmax);
    // Fused Adam reads weights, gradients and moments, writes all but gradients.
    const Json list = Json::array({tensor({100}, "float32"), tensor({300}, "float32")});
    const RecordedWorkload adam = workloadOf(single("aten._fused_adam_.default", {list, list, list, list}, Json::array()));
    EXPECT_EQ(only(adam).kind, OperatorKind::optimizer);
    EXPECT_EQ(only(adam).phase, Phase::optimizer);
    EXPECT_EQ(only(adam).bytesRead, 4 * 4 * 400);
    EXPECT_EQ(only(adam).bytesWritten, 3 * 4 * 400);
}

/// x W, then its loss and both gradients, and a step: 10 MiB each of x and y, 20 MiB of W.
Json training() {
    const Json x = tensor({1024, 5120}), w = tensor({5120, 2048}), y = tensor({1024, 2048});
    return Json::array({
        {{"name", "x"}, {"op", "placeholder"}, {"output", x}},
        {{"name", "w"}, {"op", "get_attr"}, {"output", w}},
        {{"name", "y"}, {"target", "aten.mm.default"}, {"inputs", {"x", "w"}}, {"outputs", {y}}},
        {{"name", "z"}, {"target", "aten.relu.default"}, {"inputs", {"y"}}, {"outputs", {y}}},
        {{"name", "dy"}, {"target", "aten.threshold_backward.default"}, {"inputs", {"z", "y", 0}}, {"outputs", {y}}},
        {{"name", "xt"}, {"target", "aten.t.default"}, {"inputs", {"x"}}, {"outputs", {tensor({5120, 1024})}}},
        {{"name", "dw"}, {"target", "aten.mm.default"}, {"inputs", {"xt", "dy"}}, {"outputs", {w}}},
        {{"name", "reduced"}, {"target", "_c10d_functional.all_reduce.default"}, {"inputs", {"dw", "sum", "0"}}, {"outputs", {w}}},
        {{"name", "waited"}, {"target", "_c10d_functional.wait_tensor.default"}, {"inputs", {"reduced"}}, {"outputs", {w}}},
        {{"name", "step"}, {"target", "aten.add_.Tensor"}, {"phase", "optimizer"}, {"inputs", {"w", "waited"}}, {"outputs", {w}}},
        {{"name", "out"}, {"op", "output"}, {"inputs", {"y"}}},
    });
}

TEST(OperatorList, PhasesAndDependenciesFollowFromOrderAndTensors) {
    const RecordedWorkload w = workloadOf(training());
    ASSERT_EQ(w.steps.size(), 6u);
    const std::vector<Phase> phases{Phase::forward, Phase::forward, Phase::backward, Phase::backward, Phase::backward, Phase::optimizer};
    for (std::size_t i = 0; i < phases.size(); ++i) EXPECT_EQ(w.graph.forward[i].phase, phases[i]) << w.graph.forward[i].name;
    using List = std::vector<std::uint32_t>;
    EXPECT_EQ(w.steps[1].after, List{0});
    EXPECT_EQ(w.steps[2].after, (List{0, 1}));
    EXPECT_EQ(w.steps[3].after, List{2}) << "the view of x is x";
    EXPECT_EQ(w.steps[4].after, List{3});
    EXPECT_EQ(w.steps[4].stream, RecordedStream::communication);
    EXPECT_EQ(w.steps[4].rankBytes, 2.0 * 5120 * 2048);
    EXPECT_EQ(w.steps[5].after, (List{0, 4})) << "after the wait, and after the forward that reads what it writes";
    EXPECT_EQ(w.parameters, 5120.0 * 2048);
    EXPECT_TRUE(w.unmapped.empty());
}

TEST(OperatorList, MemoryIsWhatLives) {
    const ResultPtr result = simulated(graphScenario(training()));
    ASSERT_TRUE(result);
    const StageMemory& memory = result->memory.stages.front();
    const double x = 2.0 * 1024 * 5120, w = 2.0 * 5120 * 2048, y = 2.0 * 1024 * 2048;
    // x is there before the iteration too; the same label holds both.
    EXPECT_EQ(memory.bytes[static_cast<std::size_t>(MemoryKind::weights)], x + w);
    // y, its activation and their gradient in backward; then that gradient and w's.
    EXPECT_EQ(memory.bytes[static_cast<std::size_t>(MemoryKind::activations)] +
                  memory.bytes[static_cast<std::size_t>(MemoryKind::temporary)],
              std::max(3 * y, y + w));
    double sum = 0;
    for (const double bytes : memory.bytes) sum += bytes;
    EXPECT_DOUBLE_EQ(sum, memory.peakBytes);
    EXPECT_EQ(result->memory.peakBytes, memory.peakBytes);
}

TEST(OperatorList, ResultIsComplete) {
    const ResultPtr result = simulated(graphScenario(training(), 8));
    ASSERT_TRUE(result && result->training());
    const TrainingMetrics& metrics = *result->training();
    const double sum = std::accumulate(metrics.breakdown.begin(), metrics.breakdown.end(), 0.0);
    EXPECT_NEAR(sum, metrics.iterationTime, 1e-9 * metrics.iterationTime);
    for (const TimePart part : {TimePart::forward, TimePart::backward, TimePart::optimizer, TimePart::data_exposed})
        EXPECT_GT(metrics.breakdown[static_cast<std::size_t>(part)], 0) << toString(part);
    EXPECT_EQ(metrics.bubbleFraction, 0);
    const double flops = 2 * 2.0 * 1024 * 5120 * 2048;
    EXPECT_NEAR(metrics.modelTflopsPerAccelerator, flops / metrics.iterationTime / 1e12, 1e-9 * metrics.modelTflopsPerAccelerator);
    EXPECT_NEAR(metrics.tokensPerSecond, 8 / metrics.iterationTime, 1e-9 * metrics.tokensPerSecond);
    ASSERT_EQ(result->operations.size(), 6u);
    double rows = 0;
    for (const OperationRow& row : result->operations) {
        EXPECT_GT(row.time, 0) << row.kind;
        if (row.phase != "communication") rows += row.time;
        else EXPECT_EQ(row.bound, Bound::network);
    }
    const auto part = [&](TimePart which) { return metrics.breakdown[static_cast<std::size_t>(which)]; };
    EXPECT_NEAR(rows, part(TimePart::forward) + part(TimePart::backward) + part(TimePart::optimizer), 1e-12);
    EXPECT_EQ(toJson(*result), toJson(*simulated(graphScenario(training(), 8)))) << "the same bytes every time";
    EXPECT_FALSE(result->timeline.stages.front().streams.front().spans.empty());
    EXPECT_FALSE(result->network.patterns.empty());
}

TEST(OperatorList, UnmappedNodesAreListed) {
    Json graph = training();
    graph.push_back({{"name", "odd"}, {"target", "mylib.strange_op.default"}, {"inputs", {"y"}}, {"outputs", {tensor({1024, 2048})}}});
    graph.push_back({{"name", "odd2"},
                     {"target", "mylib.strange_op.default"},
                     {"inputs", {"odd"}},
                     {"outputs", {tensor({1024, 2048})}},
                     {"duration_us", 7}});
    graph.push_back({{"name", "bad"}, {"target", "aten.mm.default"}, {"inputs", {"x", "x"}}, {"outputs", {tensor({1024, 1024})}}});
    const RecordedWorkload w = workloadOf(graph);
    ASSERT_EQ(w.unmapped.size(), 2u);
    EXPECT_EQ(w.unmapped[0].name, "mylib::strange_op");
    EXPECT_EQ(w.unmapped[0].count, 2u);
    EXPECT_EQ(w.unmapped[0].place, "/11");
    EXPECT_EQ(w.unmapped[1].name, "aten::mm") << "1024 × 5120 and 1024 × 5120 don't multiply";
    EXPECT_EQ(w.unmappedNodes, 3u);
    EXPECT_DOUBLE_EQ(w.unmappedTime, 7e-6);
    const ResultPtr result = simulated(graphScenario(graph));
    ASSERT_TRUE(result);
    const Problem* problem = find(result->warnings, "unmapped-node");
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->message.find("2 × \"mylib::strange_op\""), std::string::npos) << problem->message;
    EXPECT_NE(problem->message.find("14.3 % of all nodes"), std::string::npos) << problem->message;
    EXPECT_NE(problem->message.find("100.0 % of the recorded time"), std::string::npos) << problem->message;
    // The recorded 7 µs are the only time of the three.
    const ResultPtr without = simulated(graphScenario(training()));
    EXPECT_NEAR(result->training()->iterationTime - without->training()->iterationTime, 7e-6, 1e-12);
}

TEST(OperatorList, RecordedDurationsStand) {
    Json graph = single("aten.mm.default", {tensor({8, 16}), tensor({16, 32})}, {tensor({8, 32})});
    graph[0]["duration_us"] = 123.5;
    const ResultPtr result = simulated(graphScenario(graph));
    ASSERT_TRUE(result);
    EXPECT_DOUBLE_EQ(result->training()->iterationTime, 123.5e-6);
    EXPECT_EQ(result->operations.front().source, Source::measured);
}

TEST(OperatorList, ErrorsSayWhere) {
    const auto expectError = [](Json graph, const std::string& pointer, const std::string& message) {
        const ScenarioReading reading = read(graphScenario(std::move(graph)));
        const Problem* problem = find(reading.problems, "bad-graph");
        ASSERT_TRUE(problem) << listed(reading.problems);
        EXPECT_FALSE(reading.scenario);
        EXPECT_EQ(problem->pointer, pointer);
        EXPECT_NE(problem->message.find(message), std::string::npos) << problem->message;
        EXPECT_FALSE(problem->mend.empty());
    };
    expectError(3, "/model/graph", "no list of operators");
    expectError(Json::array(), "/model/graph", "no nodes");
    expectError({{"traceEvents", Json::array()}}, "/model/graph/traceEvents", "timeline");
    expectError(Json::array({1}), "/model/graph/0", "must be an object");
    expectError(Json::array({{{"name", "a"}}}), "/model/graph/0", "no target");
    expectError({{"nodes", single("aten.mm", {tensor({8, 16}, "float99")}, {})}}, "/model/graph/nodes/0/inputs/0/dtype", "float99");
    expectError(single("aten.mm", Json::array({{{"shape", {"s0", 3}}, {"dtype", "bf16"}}}), {}), "/model/graph/0/inputs/0/shape", "s0");
    const Json huge{{"shape", {4000000000000, 4000000000000, 4000000000000}}, {"dtype", "bf16"}};
    expectError(single("aten.mm", Json::array({huge}), {}), "/model/graph/0/inputs/0/shape", "No memory");
    Json order = training();
    std::swap(order[2], order[3]);
    expectError(order, "/model/graph/2/inputs/0", "\"y\" is used, but no node before makes it");
    Json output = training();
    output[3]["inputs"] = {"y:1"};
    expectError(output, "/model/graph/3/inputs/0", "\"y:1\" is used");
    Json twice = training();
    twice[3]["name"] = "y";
    expectError(twice, "/model/graph/3/name", "Two nodes");
    expectError({{"schema", "1.0.1"}, {"nodes", {{{"name", "a"}}}}}, "/model/graph/nodes/0", "no id");
    expectError({{"workload_graph", {{{"Id", 1}, {"data_deps", {2}}}}}}, "/model/graph/workload_graph/0", "node 2");
    expectError({{"workload_graph", {{{"Id", 1}, {"data_deps", {2}}}, {{"Id", 2}, {"data_deps", {1}}}}}},
                "/model/graph/workload_graph/0", "circle");
}

TEST(OperatorList, WhatTheGraphFixesIsRefusedWithAMend) {
    for (const char* key : {"tensor", "pipeline", "context", "expert"}) {
        Json scenario = graphScenario(training(), 8);
        scenario["parallelism"][key] = 2;
        scenario["workload"]["global_batch_size"] = 8;
        scenario["workload"]["sequence_length"] = 8;
        const ScenarioReading reading = read(scenario);
        const Problem* problem = find(reading.problems, "fixed-by-graph");
        ASSERT_TRUE(problem) << key << listed(reading.problems);
        EXPECT_EQ(problem->pointer, std::string("/parallelism/") + key);
        EXPECT_FALSE(hasErrors(read(mended(scenario, *problem)).problems)) << listed(read(mended(scenario, *problem)).problems);
    }
}

/// The example that the program ships, against the closed forms of a transformer block.
TEST(OperatorList, TheExampleIsATransformerBlock) {
    const Json example =
        Json::parse(readWholeFile(sourcePath("resources/examples/recorded-transformer-block.orrery.json")));
    const double b = 4, s = 2048, h = 4096, f = 4 * h, tokens = b * s;
    const ResultPtr result = simulated(example);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->warnings.empty()) << listed(result->warnings);
    const double weights = 4 * h * h + 2 * h * f + 2 * h;
    EXPECT_EQ(result->parameters, weights);
    // Backward twice the forward: 6 FLOPs a weight and token, and 12 b s² h for attention.
    const double flops = 6 * tokens * (4 * h * h + 2 * h * f) + 12 * b * s * s * h;
    EXPECT_NEAR(result->training()->modelTflopsPerAccelerator * result->training()->iterationTime * 1e12, flops, 1e-9 * flops);
    double reduced = 0;
    for (const OperationRow& row : result->operations)
        if (row.phase == "communication") reduced += row.bytes;
    EXPECT_EQ(reduced, 2 * weights) << "gradients in 16 bit";
    const StageMemory& memory = result->memory.stages.front();
    EXPECT_EQ(memory.bytes[static_cast<std::size_t>(MemoryKind::weights)], 2 * (weights + tokens * h)) << "and what goes into the block";
    EXPECT_EQ(memory.bytes[static_cast<std::size_t>(MemoryKind::optimizer_states)], 8 * weights);
}

TEST(OperatorList, AnExportedProgramIsRead) {
    // torch.export's serialised form, cut down to what names operators and tensors.
    const Json graph = Json::parse(R"({"graph_module": {"graph": {
        "inputs": [{"as_tensor": {"name": "x"}}, {"as_tensor": {"name": "w"}}],
        "outputs": [{"as_tensor": {"name": "relu"}}],
        "nodes": [
          {"target": "torch.ops.aten.linear.default", "inputs": [{"name": "input", "arg": {"as_tensor": {"name": "x"}}}, {"name": "weight", "arg": {"as_tensor": {"name": "w"}}}],
           "outputs": [{"as_tensor": {"name": "linear"}}], "metadata": {}},
          {"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "linear"}}}], "outputs": [{"as_tensor": {"name": "relu"}}], "metadata": {}}],
        "tensor_values": {
          "x": {"dtype": 13, "sizes": [{"as_int": 8}, {"as_int": 16}]}, "w": {"dtype": 13, "sizes": [{"as_int": 32}, {"as_int": 16}]},
          "linear": {"dtype": 13, "sizes": [{"as_int": 8}, {"as_int": 32}]}, "relu": {"dtype": 13, "sizes": [{"as_int": 8}, {"as_int": 32}]}}}}})");
    const RecordedWorkload w = workloadOf(graph);
    ASSERT_EQ(w.steps.size(), 2u);
    expectShape(w.graph.forward[0], 8, 32, 16, 1);
    EXPECT_EQ(w.steps[1].after, std::vector<std::uint32_t>{0});
    EXPECT_EQ(w.parameters, 32 * 16);
    EXPECT_EQ(w.format, "PyTorch exported program");
}

/// Every place in a document where a shape has a dimension.
std::vector<Json::json_pointer> dimensionsIn(const Json& value, const Json::json_pointer& at = Json::json_pointer()) {
    std::vector<Json::json_pointer> places;
    for (const auto& [key, child] : value.items()) {
        const Json::json_pointer below = value.is_array() ? at / static_cast<std::size_t>(std::stoul(key)) : at / key;
        if (key == "shape" && child.is_array())
            for (std::size_t i = 0; i < child.size(); ++i) places.push_back(below / i);
        else if (child.is_structured())
            for (Json::json_pointer& place : dimensionsIn(child, below)) places.push_back(std::move(place));
    }
    return places;
}

// Empty tensors are legal in PyTorch: they take no more time and no more memory than full ones, and every number stays one.
TEST(OperatorList, AnyDimensionMayBeZero) {
    const Json block = Json::parse(std::ifstream(sourcePath("resources/examples/recorded-transformer-block.orrery.json")));
    const double whole = simulated(block)->training()->iterationTime;
    const std::vector<Json::json_pointer> places = dimensionsIn(block.at("model").at("graph"));
    ASSERT_GT(places.size(), 100u);
    for (const Json::json_pointer& place : places) {
        Json empty = block;
        empty["model"]["graph"][place] = 0;
        ResultPtr result;
        ASSERT_NO_THROW(result = simulated(empty)) << place;
        ASSERT_TRUE(result) << place;
        EXPECT_GT(result->training()->iterationTime, 0) << place;
        EXPECT_LE(result->training()->iterationTime, whole * (1 + 1e-6)) << place;
        EXPECT_TRUE(std::isfinite(result->training()->mfu) && std::isfinite(result->memory.peakBytes)) << place;
    }
    std::map<std::int64_t, std::vector<Json::json_pointer>> bySize;
    for (const Json::json_pointer& place : places) bySize[block["model"]["graph"].at(place).get<std::int64_t>()].push_back(place);
    for (const auto& [size, same] : bySize) {
        Json empty = block;
        for (const Json::json_pointer& place : same) empty["model"]["graph"][place] = 0;
        ASSERT_NO_THROW(simulated(empty)) << size;
    }
}

} // namespace
} // namespace orrery
