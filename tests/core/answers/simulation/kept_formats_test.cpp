// SPDX-License-Identifier: GPL-3.0-or-later
// Formats in which weights, gradients and optimizer states are kept, and frozen weights in 8 and 4 bit.
#include "core/training/memory/static_memory.hpp"
#include "core/training/replica_policy/replica_policy.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

namespace orrery {
namespace {

Json formatsDocument(const char* framework, const char* preset = "llama-3.1-8b") {
    return {{"format", "orrery-scenario/1"},
            {"model", {{"preset", preset}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 1}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", 8}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", Json::object()},
            {"execution", {{"framework", framework}, {"recompute", "full"}}}};
}

double bytesAParameter(const Json& document) {
    const Scenario scenario = test::sound(document);
    const ReplicaPolicy policy(scenario);
    const StateBytes bytes = stateBytes(scenario, policy, policy.sharders());
    return bytes.weights + bytes.gradients + bytes.optimizerStates;
}

TEST(KeptFormats, SixteenBitWeightsHaveNoCopyInFp32) {
    for (const char* framework : {"torchtitan-2025", "megatron-core-2025", "llm-foundry-2024"}) {
        Json document = formatsDocument(framework);
        document["parallelism"]["zero_stage"] = 0;
        document["workload"]["weight_precision"] = "bf16";
        EXPECT_DOUBLE_EQ(bytesAParameter(document), 2 + 2 + 2 * 2) << framework << ": all in 16 bit";
        document["workload"]["optimizer_precision"] = "fp32";
        EXPECT_DOUBLE_EQ(bytesAParameter(document), 2 + 2 + 2 * 4) << framework;
        document["workload"]["gradient_precision"] = "fp32";
        EXPECT_DOUBLE_EQ(bytesAParameter(document), 2 + 4 + 2 * 4) << framework;
        document["workload"]["optimizer"] = "sgd";
        EXPECT_DOUBLE_EQ(bytesAParameter(document), 2 + 4 + 4) << framework;
    }
}

TEST(KeptFormats, SayingWhatTheProfileDoesChangesNothing) {
    for (const auto& [framework, weights] : {std::pair{"torchtitan-2025", "fp32"}, std::pair{"megatron-core-2025", "fp32"}, std::pair{"kempnerforge-2026", "bf16"}}) {
        Json document = formatsDocument(framework);
        const ResultPtr before = test::run(document);
        document["workload"]["weight_precision"] = weights;
        EXPECT_EQ(test::run(document)->memory.peakBytes, before->memory.peakBytes) << framework;
        EXPECT_EQ(test::run(document)->training()->iterationTime, before->training()->iterationTime) << framework;
    }
}

TEST(KeptFormats, GradientsMayGoOverTheWireNarrower) {
    Json document = formatsDocument("torchtitan-2025");
    document["execution"]["overlap"] = {{"data", false}};
    const ResultPtr wide = test::run(document);
    document["workload"]["gradient_reduce_precision"] = "bf16";
    const ResultPtr narrow = test::run(document);
    EXPECT_LT(narrow->training()->iterationTime, wide->training()->iterationTime);
    for (const MemoryKind kind : {MemoryKind::weights, MemoryKind::gradients, MemoryKind::optimizer_states})
        EXPECT_EQ(narrow->memory.stages[0].bytes[static_cast<std::size_t>(kind)], wide->memory.stages[0].bytes[static_cast<std::size_t>(kind)]) << "kept as before";
}

/// Weights of the layers' products of Mistral-7B, and everything else of it.
constexpr double mistralProducts = 32 * (2.0 * 4096 * 4096 + 2.0 * 4096 * 1024 + 3.0 * 4096 * 14336), mistralRest = 2.0 * 32000 * 4096 + (2 * 32 + 1) * 4096.0;

Json adapters(const char* precision) {
    Json document = formatsDocument("hf-trainer-2026", "mistral-7b-v0.1");
    document["cluster"] = {{"accelerator", "a100-sxm4-80gb"}, {"accelerators_per_node", 1}, {"nodes", 1}};
    document["workload"]["precision"] = precision;
    document["workload"]["weight_precision"] = "bf16";
    document["workload"]["task"] = "lora";
    document["workload"]["lora_rank"] = 16;
    return document;
}

double weightsOf(const Json& document) { return test::run(document)->memory.stages[0].bytes[static_cast<std::size_t>(MemoryKind::weights)]; }

TEST(FrozenWeights, TakeTheirFormatsBytes) {
    const double trained = 2 * 16 * (32 * ((4096 + 4096) + (4096 + 1024.0))); // beside queries and values, in 16 bit
    const double whole = 2 * (mistralProducts + mistralRest);
    EXPECT_NEAR(weightsOf(adapters("bf16")), whole + trained, 1e-6 * whole);
    EXPECT_NEAR(weightsOf(adapters("int8")), mistralProducts + 2 * mistralRest + trained, 1e-3 * whole);
    // 4.127 bits a weight (Dettmers et al. 2023, section 3).
    EXPECT_NEAR(weightsOf(adapters("int4")), 4.127 / 8 * mistralProducts + 2 * mistralRest + trained, 1e-3 * whole);
}

TEST(FrozenWeights, AreMultipliedInSixteenBit) {
    const ResultPtr narrow = test::run(adapters("int4")), whole = test::run(adapters("bf16"));
    EXPECT_GT(whole->training()->modelFlops, 0);
    EXPECT_EQ(narrow->training()->modelFlops, whole->training()->modelFlops);
    EXPECT_GT(narrow->training()->iterationTime, whole->training()->iterationTime) << "widening is work";
    double widening = 0;
    for (const OperationRow& row : narrow->operations)
        if (row.kind.ends_with(".widen")) widening += row.bytes;
    // Read and written once each in forward, recomputation (whose last product is not made again) and backward of eight micro-batches.
    const double down = 32 * 4096.0 * 14336;
    EXPECT_NEAR(widening, 8 * (4.127 / 8 + 2) * (3 * mistralProducts - down), 0.01 * widening);
    EXPECT_LT(narrow->memory.peakBytes, whole->memory.peakBytes);
}

TEST(FrozenWeights, CanNotBeTrained) {
    Json document = adapters("int4");
    document["workload"]["task"] = "sft";
    document["workload"].erase("lora_rank");
    const ScenarioReading reading = test::read(document);
    ASSERT_FALSE(reading.scenario);
    EXPECT_NE(test::find(reading.problems, "frozen-weights-trained"), nullptr);
}

TEST(AdapterTargets, SayWhichProductsHaveAdapters) {
    Json document = adapters("bf16");
    const auto trained = [&] { return test::run(document)->memory.stages[0].bytes[static_cast<std::size_t>(MemoryKind::optimizer_states)] / (2 * 2); };
    document["workload"]["lora_targets"] = {"o_proj"};
    EXPECT_NEAR(trained(), 16 * 32 * (4096 + 4096.0), 1);
    document["workload"]["lora_targets"] = {"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};
    EXPECT_NEAR(trained(), 16 * 32 * (2 * (4096 + 4096.0) + 2 * (4096 + 1024.0) + 3 * (4096 + 14336.0)), 1);
}

} // namespace
} // namespace orrery
