// SPDX-License-Identifier: GPL-3.0-or-later
// What the stages of an engine hold, what a drafting model adds, and what narrow weights save where no arithmetic is as narrow.
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <cmath>
#include <string>
#include <vector>

namespace orrery::test {
namespace {

constexpr double gigabyte = 1e9;

Json servedBy(const char* model, const char* accelerator, const char* precision, const Json& parallelism, const Json& engine = Json::object()) {
    const int ranks = parallelism.value("tensor", 1) * parallelism.value("pipeline", 1);
    return {{"format", "orrery-scenario/1"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", accelerator}, {"accelerators_per_node", ranks}, {"nodes", 1}}},
            {"workload", {{"kind", "serving"}, {"precision", precision}, {"requests", {{"count", 4}, {"arrival", {{"process", "closed_loop"}, {"concurrency", 1}}}, {"input_tokens", 100}, {"output_tokens", 60}}}, {"engine", engine}}},
            {"parallelism", parallelism},
            {"execution", {{"framework", "vllm-2025"}}}};
}

Json resultOf(const Json& document) { return toJson(*run(document)); }

double sumOf(const Json& result, const char* kind) {
    double sum = 0;
    for (const Json& stage : result.at("memory").at("stages")) sum += stage.at(kind).get<double>();
    return sum;
}

Json drafting(const char* method, int tokens, double acceptance, const char* model = nullptr) {
    Json drafts{{"method", method}, {"tokens", tokens}, {"acceptance", acceptance}};
    if (model) drafts["draft_model"] = model;
    return {{"max_model_len", 4096}, {"speculative", drafts}};
}

TEST(ServedMemory, StagesHoldTheirOwnLayers) {
    // Llama-3.1-8B: 8.03e9 parameters, of which 128,256 × 4,096 each of embedding and head, 218,112,000 a layer, 4,096 the last norm.
    constexpr double embedding = 128256.0 * 4096, layer = 218112000, norm = 4096;
    for (const std::vector<int>& layout : {std::vector<int>{4, 28}, {16, 16}, {28, 4}, {2, 10, 10, 10}}) {
        const Json result = resultOf(servedBy("llama-3.1-8b", "h100-sxm5-80gb", "bf16", {{"pipeline", layout.size()}, {"pipeline_layout", layout}}, {{"max_model_len", 4096}}));
        const Json& stages = result.at("memory").at("stages");
        ASSERT_EQ(stages.size(), layout.size());
        EXPECT_NEAR(sumOf(result, "weights"), 2 * 8.0303e9, 0.01 * gigabyte);
        for (std::size_t stage = 0; stage < layout.size(); ++stage) {
            const bool last = stage + 1 == layout.size();
            const double expected = 2 * (layer * layout[stage] + (stage == 0 ? embedding : 0) + (last ? embedding + norm : 0));
            EXPECT_NEAR(stages[stage].at("weights").get<double>(), expected, 1e-3 * expected) << stage << " of " << Json(layout).dump();
            EXPECT_LE(stages[stage].at("peak_bytes").get<double>(), result.at("memory").at("peak_bytes").get<double>());
            // Each stage caches the same tokens, as many bytes of each as it has layers.
            EXPECT_NEAR(stages[stage].at("kv_cache").get<double>() / layout[stage], stages[0].at("kv_cache").get<double>() / layout[0], 1.0);
        }
        // The cache has as many blocks as the fullest stage has room for, and not one more.
        const double block = 16 * 4096.0 * *std::max_element(layout.begin(), layout.end()); // 2 × 8 heads × 128 × 2 bytes a layer
        double fullest = 0;
        for (const Json& stage : stages) fullest = std::max(fullest, stage.at("peak_bytes").get<double>());
        const double allowed = 0.9 * result.at("memory").at("capacity_bytes").get<double>();
        EXPECT_LE(fullest, allowed);
        EXPECT_GT(fullest + block, allowed);
    }
}

TEST(ServedMemory, AStaticBatchToo) {
    Json document = servedBy("llama-3.1-8b", "h100-sxm5-80gb", "bf16", {{"pipeline", 2}, {"pipeline_layout", {8, 24}}});
    document["workload"] = Json{{"kind", "inference"}, {"precision", "bf16"}, {"batch_size", 4}, {"input_length", 100}, {"output_length", 28}};
    const Json stages = resultOf(document).at("memory").at("stages");
    EXPECT_NEAR(stages[0].at("kv_cache").get<double>(), 4 * 128 * 4096.0 * 8, 1);
    EXPECT_NEAR(stages[1].at("kv_cache").get<double>(), 4 * 128 * 4096.0 * 24, 1);
    EXPECT_LT(stages[0].at("weights").get<double>(), stages[1].at("weights").get<double>());
}

TEST(ServedMemory, ADraftModelLiesBesideItsTarget) {
    const Json plan{{"tensor", 4}};
    const Json alone = resultOf(servedBy("llama-3.1-70b", "h100-sxm5-80gb", "bf16", plan, {{"max_model_len", 4096}}));
    const Json drafted = resultOf(servedBy("llama-3.1-70b", "h100-sxm5-80gb", "bf16", plan, drafting("draft_model", 4, 0.7, "llama-3.1-8b")));
    EXPECT_NEAR(sumOf(drafted, "weights") - sumOf(alone, "weights"), 2 * 8.03e9 / 4, 0.3 * gigabyte) << "8B parameters over 4 ranks";
    // A token takes 80 and 32 layers' keys and values of 8 heads each: 10/14 of the room holds what all held before.
    const double room = sumOf(alone, "kv_cache") - (sumOf(drafted, "weights") - sumOf(alone, "weights"));
    EXPECT_NEAR(drafted.at("kv_cache").at("blocks").get<double>() / (room / sumOf(alone, "kv_cache") * alone.at("kv_cache").at("blocks").get<double>()), 80.0 / 112, 0.01);
    const ResultPtr tooLarge = run(servedBy("llama-3.1-70b", "h100-sxm5-80gb", "bf16", plan, drafting("draft_model", 4, 0.6, "llama-3.1-405b")));
    EXPECT_FALSE(tooLarge->fits);
    ASSERT_TRUE(tooLarge->outOfMemory);
    EXPECT_GT(tooLarge->outOfMemory->neededBytes, 2 * (70.55e9 + 405.8e9) / 4);
}

TEST(ServedMemory, DraftsCostTheirPasses) {
    const auto tpot = [](const char* model, const char* accelerator, int tensor, const Json& engine) {
        return resultOf(servedBy(model, accelerator, "bf16", {{"tensor", tensor}}, engine)).at("tpot_s").at("mean").get<double>();
    };
    const double none = tpot("llama-3.1-70b", "h100-sxm5-80gb", 4, {{"max_model_len", 4096}});
    // No draft accepted: the whole of their cost, whichever they come from; looked-up ones cost no pass of their own.
    const double model = tpot("llama-3.1-70b", "h100-sxm5-80gb", 4, drafting("draft_model", 4, 0, "llama-3.1-8b"));
    const double eagle = tpot("llama-3.1-70b", "h100-sxm5-80gb", 4, drafting("eagle", 4, 0));
    const double looked = tpot("llama-3.1-70b", "h100-sxm5-80gb", 4, drafting("ngram", 4, 0));
    EXPECT_GT(looked, none);
    EXPECT_GT(eagle, looked);
    EXPECT_GT(model, eagle);
    // Four passes read 16.06 GB of the draft over 4 ranks each, at 3.35 TB/s at most.
    EXPECT_GT(model - looked, 4 * (2 * 7.5e9 / 4 / 3.35e12));
    EXPECT_GT(tpot("llama-3.1-70b", "h100-sxm5-80gb", 4, drafting("draft_model", 8, 0, "llama-3.1-8b")), model);
    EXPECT_LT(tpot("llama-3.1-70b", "h100-sxm5-80gb", 4, drafting("draft_model", 4, 0.9, "llama-3.1-8b")), none) << "a small draft that is right pays";
    // A draft larger than its target never pays, be it right every time.
    const double target = tpot("llama-3.1-70b", "b300-sxm", 8, {{"max_model_len", 4096}});
    EXPECT_GT(tpot("llama-3.1-70b", "b300-sxm", 8, drafting("draft_model", 5, 1, "llama-3.1-405b")), target);
}

TEST(ServedMemory, NarrowWeightsAloneSaveMemoryAndReading) {
    const auto served = [](const char* accelerator, const char* precision) { return resultOf(servedBy("llama-3.1-8b", accelerator, precision, {{"tensor", 1}}, {{"max_model_len", 4096}})); };
    const Json wide = served("a100-sxm4-80gb", "bf16"), narrow = served("a100-sxm4-80gb", "fp8");
    // Products in 8 bit, embedding and head in 16.
    constexpr double ends = 2 * 128256.0 * 4096, products = 8.03e9 - ends;
    EXPECT_NEAR(sumOf(narrow, "weights"), products + 2 * ends, 0.02 * products);
    EXPECT_NEAR(sumOf(wide, "weights"), 2 * 8.03e9, 0.02 * products);
    // One sequence waits for weights: half of them take less time, and never less than their bytes at 2,039 GB/s.
    EXPECT_LT(narrow.at("tpot_s").at("mean").get<double>(), wide.at("tpot_s").at("mean").get<double>());
    EXPECT_GT(narrow.at("tpot_s").at("mean").get<double>(), (products + ends) / 2.039e12);
    const Json four = served("h100-sxm5-80gb", "nvfp4");
    EXPECT_NEAR(sumOf(four, "weights"), 0.5625 * products + 2 * ends, 0.03 * products);
}

} // namespace
} // namespace orrery::test
