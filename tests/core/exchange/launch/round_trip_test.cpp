// SPDX-License-Identifier: GPL-3.0-or-later
// Random scenarios, written as a launch and read back: the same figures, and nothing that the importers do not understand.
#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/exchange/import/import.hpp"
#include "core/exchange/launch/launch.hpp"
#include "core/scenario/reader/reader.hpp"
#include "tests/support/catalog.hpp"
#include "tests/support/random_source.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

using test::RandomSource;

Json pickOf(RandomSource& random, const std::vector<Json>& values) { return values[random.below(values.size())]; }

/// A value for a key, one time in `every`.
void maybe(RandomSource& random, Json& document, const char* pointer, const std::vector<Json>& values, std::size_t every = 3) {
    if (random.below(every) == 0) document[Json::json_pointer(pointer)] = pickOf(random, values);
}

Json dressedModel(RandomSource& random, bool experts) {
    Json config{{"model_type", experts ? "mixtral" : "llama"}, {"hidden_size", 1024}, {"num_hidden_layers", random.chance(0.5) ? 8 : 12}, {"num_attention_heads", 16}, {"num_key_value_heads", random.chance(0.5) ? 8 : 16}, {"intermediate_size", 2816}, {"vocab_size", 32000}, {"max_position_embeddings", 2048}, {"tie_word_embeddings", random.chance(0.5)}};
    if (experts) config["num_local_experts"] = 8, config["num_experts_per_tok"] = 2;
    if (!experts && random.chance(0.3)) config["model_type"] = "qwen2";
    if (!experts && random.chance(0.2)) config = {{"model_type", "gpt2"}, {"n_layer", 12}, {"n_embd", 1024}, {"n_head", 16}, {"n_positions", 2048}, {"vocab_size", 51200}, {"attn_pdrop", 0.1}};
    return {{"config", config}};
}

Json randomTraining(RandomSource& random, bool named) {
    const bool experts = !named && random.chance(0.25);
    Json s{{"format", "orrery-scenario/1"}, {"name", "trip"}};
    s["model"] = named ? Json{{"preset", "llama-3.2-1b"}} : dressedModel(random, experts);
    s["cluster"] = {{"accelerator", pickOf(random, {"h100-sxm5-80gb", "a100-sxm4-80gb", "b200-sxm-180gb"})}, {"accelerators_per_node", 8}, {"nodes", pickOf(random, {1, 2})}};
    s["workload"] = {{"kind", "training"}, {"sequence_length", pickOf(random, {512, 1024, 2048})}, {"global_batch_size", pickOf(random, {32, 64})}, {"micro_batch_size", pickOf(random, {1, 2})}, {"precision", pickOf(random, {"bf16", "bf16", "fp16", "fp8", "mxfp8"})}};
    maybe(random, s, "/workload/fp8_recipe", {"tensorwise", "rowwise", "block"});
    maybe(random, s, "/workload/optimizer", {"adam", "sgd", "muon"});
    maybe(random, s, "/workload/gradient_precision", {"fp32", "bf16"});
    maybe(random, s, "/workload/optimizer_precision", {"fp32", "bf16", "fp8"});
    maybe(random, s, "/workload/weight_precision", {"fp32", "bf16"}, 5);
    maybe(random, s, "/workload/gradient_reduce_precision", {"fp32", "bf16"}, 5);
    maybe(random, s, "/workload/task", {"pretrain", "sft", "lora"}, 4);
    if (s["workload"].value("task", "") == "lora") maybe(random, s, "/workload/lora_rank", {8, 16}, 2);
    maybe(random, s, "/parallelism/tensor", {1, 2, 4}, 2);
    maybe(random, s, "/parallelism/pipeline", {1, 2, 4}, 2);
    maybe(random, s, "/parallelism/virtual_pipeline", {1, 2}, 4);
    maybe(random, s, "/parallelism/context", {1, 2}, 4);
    maybe(random, s, "/parallelism/context_method", {"ring", "all_gather", "all_to_all"}, 4);
    maybe(random, s, "/parallelism/sequence", {true, false});
    maybe(random, s, "/parallelism/zero_stage", {0, 1, 2, 3}, 2);
    maybe(random, s, "/parallelism/shard_group", {2, 4, 8}, 5);
    maybe(random, s, "/parallelism/schedule", {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-v", "v-half", "v-min", "dualpipe"}, 4);
    maybe(random, s, "/parallelism/order", {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"}, 6);
    if (experts) maybe(random, s, "/parallelism/expert", {1, 2, 4, 8}, 2);
    if (experts) maybe(random, s, "/parallelism/expert_tensor", {1, 2}, 4);
    maybe(random, s, "/execution/framework", {"megatron-core-2025", "megatron-bridge-2026", "torchtitan-2025", "hf-trainer-2026", "generic-2026", "megatron-2022"}, 2);
    maybe(random, s, "/execution/framework_version", {"26.04.01", "0.14"}, 8);
    maybe(random, s, "/execution/recompute", {"none", "selective", "full", Json{{"every", 2}}, Json{{"modules", {"core_attn", "mlp"}}}, "auto"}, 2);
    maybe(random, s, "/execution/attention", {"flash", "unfused", "fa2", "fa3", "cudnn"}, 3);
    maybe(random, s, "/execution/compile", {true, false}, 3);
    maybe(random, s, "/execution/cuda_graphs", {true, false, "full_iteration", Json{{"scope", {"attention", "mlp"}}}}, 3);
    for (const char* stream : {"data", "tensor", "pipeline", "expert"}) maybe(random, s, (std::string("/execution/overlap/") + stream).c_str(), {true, false}, 3);
    if (experts) maybe(random, s, "/execution/moe_dispatcher", {"alltoall", "allgather", "deepep", "hybridep"}, 2);
    if (experts) maybe(random, s, "/execution/moe_dispatch", {"dropless", Json{{"capacity_factor", 1.25}}}, 2);
    if (experts) maybe(random, s, "/execution/expert_load", {"balanced", Json{{"zipf", 0.4}}}, 2);
    maybe(random, s, "/execution/offload", {Json{{"optimizer", 1.0}}, Json{{"optimizer", 0.5}, {"activations", 0.25}}, Json{{"weights", 1.0}}}, 6);
    maybe(random, s, "/execution/passes", {Json{{"chunked_loss", true}}, Json{{"overlap", false}}, Json{{"fusion", false}}}, 5);
    maybe(random, s, "/execution/calibration", {Json{{"gemm_rate_of_peak", 0.5}}}, 8);
    maybe(random, s, "/economics", {Json{{"tokens_total", 1e10}, {"price_per_accelerator_hour", 2.5}}, Json{{"power_w", 900.0}}}, 4);
    maybe(random, s, "/reliability", {Json{{"mtbf_hours_per_accelerator", 50000.0}, {"checkpoint_s", 30.0}}}, 6);
    return s;
}

Json randomServer(RandomSource& random) {
    const bool batch = random.chance(0.25);
    Json s{{"format", "orrery-scenario/1"}, {"name", "trip"}, {"model", {{"preset", pickOf(random, {"llama-3.2-1b", "qwen3-0.6b", "qwen2.5-1.5b"})}}}};
    s["cluster"] = {{"accelerator", pickOf(random, {"h100-sxm5-80gb", "a100-sxm4-80gb"})}, {"accelerators_per_node", 8}, {"nodes", 1}};
    if (batch) {
        s["workload"] = {{"kind", "inference"}, {"batch_size", pickOf(random, {1, 8})}, {"input_length", 256}, {"output_length", 16}, {"precision", pickOf(random, {"bf16", "fp16"})}};
    } else {
        s["workload"] = {{"kind", "serving"}, {"precision", pickOf(random, {"bf16", "fp16", "int8", "int4"})}, {"requests", {{"count", 12}, {"arrival", pickOf(random, {Json{{"process", "poisson"}, {"rate_per_s", 8.0}}, Json{{"process", "closed_loop"}, {"concurrency", 4}}, Json{{"process", "all_at_once"}}, Json{{"process", "uniform"}, {"rate_per_s", 4.0}}, Json{{"process", "gamma"}, {"rate_per_s", 4.0}, {"burstiness", 0.5}}})}, {"input_tokens", pickOf(random, {128, 512, Json{{"distribution", "normal"}, {"mean", 200.0}, {"std", 40.0}}})}, {"output_tokens", pickOf(random, {8, 32})}, {"seed", 3}}}};
        maybe(random, s, "/workload/requests/shared_prefix_tokens", {64}, 4);
        maybe(random, s, "/workload/engine/max_num_seqs", {4, 64}, 2);
        maybe(random, s, "/workload/engine/max_num_batched_tokens", {1024, 8192}, 3);
        maybe(random, s, "/workload/engine/max_model_len", {2048, 4096}, 3);
        maybe(random, s, "/workload/engine/enable_chunked_prefill", {true, false}, 3);
        maybe(random, s, "/workload/engine/enable_prefix_caching", {true, false}, 3);
        maybe(random, s, "/workload/engine/block_size", {16, 32}, 3);
        maybe(random, s, "/workload/engine/gpu_memory_utilization", {0.8, 0.92}, 3);
        maybe(random, s, "/workload/engine/kv_cache_dtype", {"auto", "fp8"}, 3);
        maybe(random, s, "/workload/engine/scheduler_policy", {"vllm", "sglang", "trtllm_guaranteed_no_evict", "trtllm_max_utilization"}, 3);
        maybe(random, s, "/workload/engine/async_scheduling", {true, false}, 3);
        maybe(random, s, "/workload/engine/scheduler_recv_interval", {10, 30}, 3);
        maybe(random, s, "/workload/engine/stream_interval", {10, 50}, 3);
        maybe(random, s, "/workload/engine/scheduling_policy", {"fcfs", "priority"}, 4);
        maybe(random, s, "/workload/engine/speculative", {Json{{"method", "ngram"}, {"tokens", 3}, {"acceptance", 0.6}}}, 5);
        maybe(random, s, "/workload/engine/router", {"round_robin", "least_loaded", "prefix_aware", "session_affinity", "power_of_two"}, 4);
        maybe(random, s, "/workload/slo", {Json{{"ttft_s", 0.5}, {"tpot_s", 0.05}}}, 4);
    }
    maybe(random, s, "/parallelism/tensor", {1, 2, 4}, 2);
    maybe(random, s, "/parallelism/pipeline", {1, 2}, 4);
    maybe(random, s, "/parallelism/data", {1, 2}, 4);
    maybe(random, s, "/execution/framework", {"vllm-2025", "sglang-2025", "trtllm-2025", "generic-2026"}, 2);
    maybe(random, s, "/execution/cuda_graphs", {true, false}, 4);
    return s;
}

std::optional<Scenario> soundOf(const Json& document) { return readScenario(document, test::catalog()).scenario; }

/// All that is computed: no names, and not what was assumed, for an import states more.
Json roundTripFigures(const Json& document) {
    const auto scenario = soundOf(document);
    const Outcome outcome = scenario ? simulate(*scenario) : Outcome{};
    if (!outcome.result) return {};
    Json result = toJson(*outcome.result);
    for (const char* key : {"name", "assumed", "warnings", "provenance"}) result.erase(key);
    return result;
}

/// Writes and reads `document` for a tool; false where the tool does not do such work.
bool holdsRoundTrip(const Json& document, LaunchTool tool) {
    const auto scenario = soundOf(document);
    Problems problems;
    const auto text = launchText(document, *scenario, tool, problems);
    if (!text) return false;
    ImportOptions options;
    options.fileName = tool == LaunchTool::torchtitan ? "launch.toml" : "launch.sh";
    const Import imported = importCommandLine(*text, options);
    EXPECT_TRUE(imported.scenario) << *text;
    if (!imported.scenario) return true;
    for (const Problem& problem : imported.problems) EXPECT_FALSE(problem.code == "option-not-understood" || problem.code == "not-simulated") << toText(problem) << '\n'
                                                                                                                                              << *text;
    EXPECT_EQ(roundTripFigures(*imported.scenario), roundTripFigures(document)) << document.dump() << '\n'
                                                                                << *text;
    return true;
}

/// 150 jobs that train and 150 that serve, each through one tool in turn.
TEST(LaunchRoundTrip, RandomJobsThatTrain) {
    RandomSource random(39);
    const std::vector<LaunchTool> tools{LaunchTool::megatron_lm, LaunchTool::megatron_bridge, LaunchTool::torchtitan};
    int held = 0;
    for (int tries = 0; held < 150 && tries < 5000; ++tries) {
        const LaunchTool tool = tools[static_cast<std::size_t>(held) % tools.size()];
        const Json document = randomTraining(random, tool == LaunchTool::torchtitan);
        if (soundOf(document) && holdsRoundTrip(document, tool)) ++held;
    }
    EXPECT_EQ(held, 150);
}

TEST(LaunchRoundTrip, RandomServers) {
    RandomSource random(40);
    const std::vector<LaunchTool> tools{LaunchTool::vllm, LaunchTool::sglang, LaunchTool::trtllm};
    int held = 0;
    for (int tries = 0; held < 150 && tries < 5000; ++tries) {
        const Json document = randomServer(random);
        if (soundOf(document) && holdsRoundTrip(document, tools[static_cast<std::size_t>(held) % tools.size()])) ++held;
    }
    EXPECT_EQ(held, 150);
}

} // namespace
} // namespace orrery
