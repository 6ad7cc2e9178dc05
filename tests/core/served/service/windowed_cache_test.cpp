// SPDX-License-Identifier: GPL-3.0-or-later
// Engines whose model has layers with windows hold the windows: longer prompts and more requests have room.
#include "tests/core/answers/simulation/simulation_fixture.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery::test {
namespace {

Json servedAlone(const char* model, int input, int output, Json engine, const char* framework = "vllm-2025") {
    return {{"format", "orrery-scenario/1"},
            {"model", {{"preset", model}}},
            {"cluster", {{"accelerator", "h100-sxm5-80gb"}, {"accelerators_per_node", 1}, {"nodes", 1}}},
            {"workload", {{"kind", "serving"}, {"precision", "bf16"}, {"requests", {{"count", 3}, {"arrival", {{"process", "closed_loop"}, {"concurrency", 1}}}, {"input_tokens", input}, {"output_tokens", output}}}, {"engine", std::move(engine)}}},
            {"parallelism", {{"tensor", 1}}},
            {"execution", {{"framework", framework}}}};
}

TEST(WindowedCache, GemmaServesAPromptOfAHundredThousandTokensOnOneH100) {
    const Json result = toJson(*run(servedAlone("gemma-3-27b", 100000, 50, {{"max_model_len", 100100}})));
    EXPECT_EQ(result.at("requests").at("completed"), 3);
    // All layers' keys and values have no room: 62 × 8,192 bytes of 100,049 tokens, beside 27 × 10⁹ parameters.
    EXPECT_GT(62 * 8192.0 * 100049, result.at("memory").at("stages").at(0).at("kv_cache").get<double>());
    // At the fullest moment ten layers hold all, the others the window and what a step computes; the mean over steps is less.
    const Json& cache = result.at("kv_cache");
    EXPECT_EQ(cache.at("bytes_per_token"), 62 * 8192);
    const double room = cache.at("blocks").get<double>() * cache.at("block_size").get<double>() * 62 * 8192;
    const double most = 8192.0 * (10 * (100049 + 16) + 52 * (1024 + 8192 + 2 * 16)), used = result.at("kv_cache_utilisation").get<double>() * room;
    EXPECT_LT(used, most);
    EXPECT_GT(used, 0.4 * most);
}

TEST(WindowedCache, TheLongestContextIsTheLongestThatRuns) {
    for (const char* model : {"gemma-3-27b", "gpt-oss-20b"}) {
        Json engine{{"gpu_memory_utilization", 0.75}, {"max_num_batched_tokens", 2048}};
        if (std::string(model) == "gpt-oss-20b") engine["gpu_memory_utilization"] = 0.54;
        const auto result = run(servedAlone(model, 1000, 10, engine));
        const auto warning = std::find_if(result->warnings.begin(), result->warnings.end(), [](const Problem& one) { return one.code == "context-beyond-cache"; });
        ASSERT_NE(warning, result->warnings.end()) << model;
        const auto longest = warning->edits.at(0).value->get<int>();
        // The last token is never computed on.
        EXPECT_EQ(toJson(*run(servedAlone(model, longest - 9, 10, engine))).at("requests").at("completed"), 3) << model << ' ' << longest;
        EXPECT_EQ(toJson(*run(servedAlone(model, longest - 8, 10, engine))).at("requests").at("rejected"), 3) << model << ' ' << longest;
    }
}

TEST(WindowedCache, VllmsFirstEngineHoldsAll) {
    const Json result = toJson(*run(servedAlone("gemma-3-27b", 60000, 50, {{"scheduler_policy", "vllm_v0"}, {"enable_chunked_prefill", true}}, "vllm-2024")));
    EXPECT_EQ(result.at("requests").at("rejected"), 3);
}

} // namespace
} // namespace orrery::test
