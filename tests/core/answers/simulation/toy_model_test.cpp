// SPDX-License-Identifier: GPL-3.0-or-later
// A toy leaves the order of the passes alone: its iterations are the closed forms of the schedules' papers, whatever the stated times.
#include "core/base/json.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>

namespace orrery {
namespace {

struct ToyTimes {
    double forward = 1000, input = 1000, weight = 1000; ///< us of a layer
};

constexpr double kept = 1 << 20;

Json toyScenario(int stages, int layers, int microBatches, const char* schedule, int chunks = 1, ToyTimes times = {}) {
    return {{"format", "orrery-scenario/1"},
            {"name", "toy"},
            {"model", {{"toy", {{"stages_layers", layers}, {"forward_us", times.forward}, {"backward_input_us", times.input}, {"backward_weight_us", times.weight}, {"kept_bytes", kept}}}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", stages}, {"nodes", 1}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 32}, {"global_batch_size", microBatches}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", {{"pipeline", stages}, {"schedule", schedule}, {"virtual_pipeline", chunks}}},
            {"execution", {{"framework", "generic-2026"}, {"recompute", "none"}}}};
}

double iterationOf(const Json& document) {
    const ResultPtr result = test::run(document);
    EXPECT_TRUE(result) << document.dump(1);
    return result ? result->training()->iterationTime : 0;
}

TEST(ToyModel, OneForwardOneBackwardAndGPipeAreTheirClosedFormForAnyTimes) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> time(100, 5000);
    for (int trial = 0; trial < 12; ++trial) {
        const int stages = 2 + trial % 4, layers = stages * (1 + trial % 3), batches = stages * (1 + trial % 5);
        const ToyTimes times{time(random), time(random), time(random)};
        // (m + p − 1)(F + B), Narayanan et al. 2021, section 2.2.1.
        const double expected = 1e-6 * (batches + stages - 1) * (layers / stages) * (times.forward + times.input + times.weight);
        for (const char* schedule : {"1f1b", "gpipe"}) EXPECT_NEAR(iterationOf(toyScenario(stages, layers, batches, schedule, 1, times)), expected, 1e-9 * expected) << schedule << " " << stages << " " << batches;
    }
}

/// Four stages, eight micro-batches, a stage's forward and both parts of its backward a unit each.
struct ClosedForm {
    const char* schedule;
    int chunks;
    double span, bubble; ///< units; idle part of the span
};

TEST(ToyModel, EachScheduleOfTheLessonsIsItsPapersClosedForm) {
    // gpipe, 1f1b, interleaved: Narayanan et al. 2021; zb-h1, zb-v: Qi et al. 2023; dualpipe: DeepSeek-V3, table 2. zb-v idles at its start alone: 1.5 of 25.5.
    const ClosedForm forms[] = {{"gpipe", 1, 33, 3.0 / 11}, {"1f1b", 1, 33, 3.0 / 11}, {"interleaved", 2, 28.5, 3.0 / 19}, {"zb-h1", 1, 27, 3.0 / 27}, {"zb-v", 2, 25.5, 1.5 / 25.5}, {"dualpipe", 2, 26, 2.0 / 26}};
    for (const ClosedForm& form : forms) {
        Json document = toyScenario(4, 8, 8, form.schedule, form.chunks, {500, 500, 500});
        if (form.schedule == std::string("zb-v") || form.schedule == std::string("dualpipe")) document["parallelism"].erase("virtual_pipeline");
        const ResultPtr result = test::run(document);
        ASSERT_TRUE(result) << form.schedule;
        EXPECT_NEAR(result->training()->iterationTime, 1e-3 * form.span, 1e-9 * form.span) << form.schedule;
        EXPECT_NEAR(result->training()->bubbleFraction, form.bubble, 1e-6) << form.schedule;
    }
}

TEST(ToyModel, StagesKeepAsManyMicroBatchesAsTheOrderHoldsOpen) {
    for (const auto& [schedule, keeps] : {std::pair<const char*, std::array<int, 4>>{"gpipe", {8, 8, 8, 8}}, {"1f1b", {4, 3, 2, 1}}}) {
        const ResultPtr result = test::run(toyScenario(4, 8, 8, schedule));
        ASSERT_TRUE(result);
        for (std::size_t stage = 0; stage < 4; ++stage) EXPECT_DOUBLE_EQ(result->stored.stagePeakBytes[stage], 2 * kept * keeps[stage]) << schedule << " stage " << stage;
    }
}

TEST(ToyModel, UnequalChunksLastAsTheirLayers) {
    Json document = toyScenario(2, 8, 1, "1f1b", 1, {1000, 1000, 500});
    document["model"]["toy"]["stages_layers"] = {3, 1};
    // One micro-batch meets each layer once forward and once backward.
    EXPECT_NEAR(iterationOf(document), 4 * 2.5e-3, 1e-12);
}

TEST(ToyModel, LinksAndReplicasTakeNoTime) {
    Json document = toyScenario(4, 8, 8, "1f1b");
    const double alone = iterationOf(document);
    document["cluster"]["nodes"] = 8;
    document["workload"]["global_batch_size"] = 64;
    EXPECT_NEAR(iterationOf(document), alone, 1e-9 * alone);
}

TEST(ToyModel, FiguresOfWhatItHasNotAreNull) {
    const ResultPtr result = test::run(toyScenario(4, 8, 8, "1f1b"));
    ASSERT_TRUE(result);
    const Json document = toJson(*result);
    for (const char* key : {"parameters", "active_parameters", "mfu"}) EXPECT_TRUE(document.at(key).is_null()) << key << " " << document.at(key);
    EXPECT_FALSE(document.contains("uncertainty"));
}

TEST(ToyModel, PartsOfALayerAndRequestsAreRefused) {
    const auto codeOf = [](const Json& document) {
        const ScenarioReading reading = test::read(document);
        EXPECT_FALSE(reading.scenario);
        return reading.problems.empty() ? std::string() : reading.problems.front().code + " " + reading.problems.front().pointer;
    };
    Json tensor = toyScenario(2, 8, 8, "1f1b");
    tensor["parallelism"]["pipeline"] = 1;
    tensor["parallelism"]["tensor"] = 2;
    EXPECT_EQ(codeOf(tensor), "toy-not-split /parallelism/tensor");
    Json chunks = toyScenario(4, 8, 8, "1f1b");
    chunks["model"]["toy"]["stages_layers"] = {4, 4};
    EXPECT_EQ(codeOf(chunks), "toy-stages /model/toy/stages_layers");
    Json none = toyScenario(4, 8, 8, "1f1b");
    none["model"]["toy"]["stages_layers"] = {0, 0, 0, 0};
    EXPECT_EQ(codeOf(none), "toy-without-layers /model/toy/stages_layers");
    Json served = toyScenario(4, 8, 8, "1f1b");
    served["workload"] = {{"kind", "inference"}, {"input_length", 100}, {"output_length", 10}, {"batch_size", 1}, {"precision", "bf16"}};
    served["parallelism"] = Json::object();
    served["execution"] = Json::object();
    EXPECT_EQ(codeOf(served), "toy-trains /model/toy");
}

} // namespace
} // namespace orrery
