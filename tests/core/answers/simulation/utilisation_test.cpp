// SPDX-License-Identifier: GPL-3.0-or-later
// FLOP rules, the schedule's own bubble, and memory that is never less than nothing.
#include "core/model/transformer_graph.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"

namespace orrery::test {
namespace {

Json llama(int nodes, const char* framework) {
    return {{"format", "orrery-scenario/1"},
            {"name", "llama"},
            {"model", {{"preset", "llama-3-8b"}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", nodes}}},
            {"workload", {{"kind", "training"}, {"sequence_length", 8192}, {"global_batch_size", 64}, {"micro_batch_size", 1}, {"precision", "bf16"}}},
            {"parallelism", {{"tensor", 1}, {"pipeline", 1}, {"zero_stage", 3}}},
            {"execution", {{"framework", framework}, {"recompute", "none"}, {"attention", "flash"}}}};
}

/// Matrix products of one forward over the batch, by hand: Llama-3-8B, h 4096, f 14336, 8 of 32 heads for keys, 32 layers.
struct ForwardFlops {
    double weights, attention, adapters;
};
ForwardFlops llamaForward(double tokens, double length, double rank) {
    constexpr double h = 4096, f = 14336, kv = 1024, layers = 32, vocabulary = 128256;
    const double layer = h * h + 2 * h * kv + h * h + 3 * h * f;
    const double sums = (h + h + 2 * kv) + (h + h) + (h + 2 * f) + (f + h); // of both sides of each adapted product: qkv, out, gate and up, down
    return {2 * tokens * (layers * layer + h * vocabulary), layers * 4 * tokens * length * h, 2 * tokens * layers * rank * sums};
}

TEST(FlopRule, LoraCountsNoGradientOfFrozenWeights) {
    Json document = llama(1, "torchtitan-2025");
    document["workload"]["task"] = "lora";
    document["workload"]["lora_rank"] = 16;
    const ResultPtr lora = run(document);
    const ForwardFlops forward = llamaForward(64 * 8192.0, 8192, 16);
    const double counted = lora->training()->modelTflopsPerAccelerator * 1e12 * 8 * lora->training()->iterationTime;
    const double frozen = 2 * forward.weights + 3 * forward.attention;
    EXPECT_GT(counted, frozen);
    EXPECT_NEAR(counted, frozen + 3 * forward.adapters, 0.002 * frozen); // fused products share an adapter
    EXPECT_NE(lora->training()->flopRule.find("frozen"), std::string::npos);

    document["workload"]["task"] = "sft";
    document["workload"].erase("lora_rank");
    const ResultPtr all = run(document);
    EXPECT_NEAR(all->training()->modelTflopsPerAccelerator * 1e12 * 8 * all->training()->iterationTime, 3 * (forward.weights + forward.attention), 1e-6 * counted);
}

/// A deep model on few chips, where little but products takes time: what matrix units do all day is never more than they can, the square of
/// attention that the rule counts and a causal kernel leaves out among it.
TEST(FlopRule, NoAcceleratorDoesMoreThanItsPeak) {
    int tried = 0;
    for (const Accelerator& accelerator : catalog().accelerators())
        for (const char* recompute : {"none", "selective"}) {
            Json document = llama(1, "megatron-2022");
            document["model"]["preset"] = "codellama-34b";
            document["cluster"]["accelerator"] = accelerator.id;
            document["parallelism"]["zero_stage"] = 1;
            document["execution"]["recompute"] = recompute;
            document["execution"]["cuda_graphs"] = true;
            document["workload"]["precision"] = accelerator.peakDense.count("bf16") != 0 ? "bf16" : "fp16";
            const Outcome outcome = simulate(sound(document));
            if (!outcome.result) continue;
            ++tried;
            EXPECT_LT(outcome.result->training()->mfu, 1) << accelerator.id << ' ' << recompute;
            EXPECT_LT(outcome.result->training()->hfu, 1) << accelerator.id << ' ' << recompute;
        }
    EXPECT_GT(tried, 60);
}

TEST(FlopRule, LoraOfAWideModelStaysBelowThePeak) {
    Json document = llama(8, "megatron-bridge-2025");
    document["model"]["preset"] = "falcon-180b";
    document["workload"]["sequence_length"] = 2048;
    document["workload"]["global_batch_size"] = 256;
    document["workload"]["task"] = "lora";
    document["parallelism"] = {{"tensor", 8}, {"sequence", true}, {"pipeline", 2}};
    const ResultPtr result = run(document);
    EXPECT_GT(result->training()->mfu, 0.2);
    EXPECT_LT(result->training()->hfu, 1);
}

TEST(BubbleOverIdeal, IsTheSchedulesOwn) {
    const auto ideal = [](const char* schedule, int microBatches, const char* recompute) {
        Json document = smallScenario(1, 4, 2, microBatches);
        document["parallelism"]["schedule"] = schedule;
        if (std::string(schedule) == "interleaved") document["parallelism"]["virtual_pipeline"] = 2;
        document["execution"]["recompute"] = recompute;
        return run(document)->training()->bubbleOverIdeal;
    };
    EXPECT_DOUBLE_EQ(ideal("1f1b", 8, "none").value(), 3.0 / 8);
    EXPECT_DOUBLE_EQ(ideal("gpipe", 8, "full").value(), 3.0 / 8);
    EXPECT_DOUBLE_EQ(ideal("interleaved", 8, "none").value(), 3.0 / 16);
    EXPECT_DOUBLE_EQ(ideal("zb-h1", 8, "none").value(), 3.0 / 24);          // (p−1)(F+B−2w), F = B−w = w
    EXPECT_DOUBLE_EQ(ideal("zb-h1", 8, "full").value(), 3.0 * 2 / (8 * 4)); // B−w = 2F: the forward once more
    EXPECT_EQ(ideal("zb-v", 8, "selective").value(), 0);
    EXPECT_DOUBLE_EQ(ideal("dualpipe", 8, "none").value(), 1.0 * 2 / (8 * 3));
    for (const char* schedule : {"v-half", "v-min"}) EXPECT_FALSE(ideal(schedule, 8, "none")) << schedule;
    EXPECT_FALSE(ideal("zb-v", 8, "full")) << "parts that are not equal";
    EXPECT_FALSE(ideal("zb-v", 6, "none")) << "fewer than two micro-batches a stage";
}

TEST(Memory, ASplitBackwardOfTheEmbeddingGivesBackWhatItWasHanded) {
    Json document = llama(2, "deepspeed-2021");
    document["parallelism"] = {{"tensor", 1}, {"pipeline", 4}, {"schedule", "zb-v"}, {"zero_stage", 3}};
    document["workload"]["global_batch_size"] = 4;
    document["workload"]["sequence_length"] = 1024;
    const ResultPtr result = run(document);
    for (const StageMemory& stage : result->memory.stages)
        for (std::size_t kind = 0; kind < stage.bytes.size(); ++kind)
            EXPECT_GE(stage.bytes[kind], 0) << stage.stage << " " << toString(static_cast<MemoryKind>(kind));
    for (const StageTimeline& stage : result->timeline.stages) {
        for (const MemorySample& sample : stage.memory) EXPECT_GE(sample.activations, 0) << stage.stage;
        ASSERT_FALSE(stage.memory.empty());
        EXPECT_EQ(stage.memory.back().activations, 0) << "what a forward keeps, its backward gives back";
    }
}

} // namespace
} // namespace orrery::test
