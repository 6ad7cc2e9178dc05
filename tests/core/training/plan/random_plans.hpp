// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "tests/core/answers/simulation/simulation_fixture.hpp"
#include "tests/support/random_source.hpp"

#include <string>

namespace orrery::test {

/// Small models of five kinds: learned positions with biases and dropout; grouped queries and a gated feed-forward; experts; latent
/// attention with experts, shared ones and a next-token module; windows with attention sinks.
inline Json smallModelConfig(const std::string& kind, RandomSource& random) {
    const int heads = 8, width = static_cast<int>(random.pick(std::vector<int>{512, 1024}));
    const int positions = 8192;
    if (kind == "gpt2")
        return {{"model_type", "gpt2"}, {"n_layer", 4}, {"n_embd", width}, {"n_head", heads}, {"n_positions", positions}, {"vocab_size", 5120}};
    if (kind == "llama")
        return {{"model_type", "llama"}, {"num_hidden_layers", 4}, {"hidden_size", width}, {"intermediate_size", 3 * width}, {"num_attention_heads", heads}, {"num_key_value_heads", 4}, {"vocab_size", 8192}, {"max_position_embeddings", positions}, {"tie_word_embeddings", false}};
    if (kind == "mixtral")
        return {{"model_type", "mixtral"}, {"num_hidden_layers", 4}, {"hidden_size", width}, {"intermediate_size", 2 * width}, {"num_attention_heads", heads}, {"num_key_value_heads", 4}, {"num_local_experts", 8}, {"num_experts_per_tok", 2}, {"vocab_size", 8192}, {"max_position_embeddings", positions}};
    Json config = catalog().model(kind)->config;
    config["num_hidden_layers"] = 4;
    if (config.contains("layer_types")) config["layer_types"] = Json(std::vector<Json>(config["layer_types"].begin(), config["layer_types"].begin() + 4));
    return config;
}

inline const std::vector<std::string>& smallModelKinds() {
    static const std::vector<std::string> kinds{"gpt2", "llama", "mixtral", "deepseek-v3", "gpt-oss-20b"};
    return kinds;
}

inline bool hasExperts(const std::string& kind) { return kind != "gpt2" && kind != "llama"; }

/// A plan of 128 H100, or in mxfp8 of 128 B200, with every dimension varied; always sound.
inline Json randomPlan(RandomSource& random, const std::string& kind) {
    const auto pick = [&](std::vector<int> values) { return random.pick(values); };
    const bool experts = hasExperts(kind);
    const int tensor = pick({1, 2, 4}), context = pick({1, 2, 4}), pipeline = pick({1, 2}), expert = experts ? pick({1, 2, 4, 8}) : 1;
    const int microBatch = pick({1, 2});
    Json plan{{"tensor", tensor}, {"context", context}, {"pipeline", pipeline}, {"sequence", random.chance(0.5)}, {"zero_stage", pipeline > 1 ? pick({0, 1}) : pick({0, 1, 2, 3})}};
    if (experts) plan.update(Json{{"expert", expert}, {"expert_tensor", pick({1, 2})}});
    // Tensor × pipeline at most 8: at least 16 ranks hold the same weights.
    if (plan["zero_stage"] > 0 && random.chance(0.5)) plan["shard_group"] = pick({2, 4, 8});
    // Heads for tokens needs a head for every rank.
    const std::vector<std::string> methods{"ring", "all_gather", "all_to_all"};
    plan["context_method"] = methods[random.below(tensor * context <= 4 ? 3 : 2)];
    const std::vector<Json> recomputes{"none", "selective", "full", {{"every", 2}}, {{"modules", {"mlp", "layernorm"}}}};
    Json workload{{"kind", "training"}, {"sequence_length", 2048}, {"global_batch_size", 128 * microBatch * 2}, {"micro_batch_size", microBatch}, {"precision", random.pick(std::vector<std::string>{"bf16", "fp8", "mxfp8"})}};
    if (random.chance(0.25)) workload.update(Json{{"task", "lora"}, {"lora_rank", 8}});
    Json offload = Json::object();
    if (random.chance(0.3)) offload = {{"optimizer", 1}, {"activations", 0.5}};
    return {{"format", "orrery-scenario/1"},
            {"name", "random"},
            {"model", {{"config", smallModelConfig(kind, random)}}},
            {"cluster", {{"accelerator", workload["precision"] == "mxfp8" ? "b200-sxm-180gb" : "h100-sxm5-80gb"}, {"accelerators_per_node", 8}, {"nodes", 16}}},
            {"workload", workload},
            {"parallelism", plan},
            {"execution",
             {{"framework", random.pick(std::vector<std::string>{"megatron-2022", "megatron-core-2025", "torchtitan-2025"})},
              {"attention", random.chance(0.5) ? "flash" : "unfused"},
              {"compile", random.chance(0.5)},
              {"recompute", random.pick(recomputes)},
              {"offload", offload},
              {"overlap", {{"data", random.chance(0.5)}, {"tensor", random.chance(0.5)}, {"pipeline", random.chance(0.5)}, {"expert", random.chance(0.5)}}}}}};
}

} // namespace orrery::test
