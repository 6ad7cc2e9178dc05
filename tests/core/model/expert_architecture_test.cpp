// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtures of experts, latent attention and layers of several kinds, read from configs.
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orrery::expert_architecture {
namespace {

Architecture read(const Json& config) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(config, "", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return a.value_or(Architecture{});
}

Problem soleProblem(const Json& config) {
    Problems problems;
    EXPECT_FALSE(importArchitecture(config, "/model/config", problems)) << config;
    EXPECT_EQ(problems.size(), 1u) << config;
    if (problems.empty()) return {};
    EXPECT_FALSE(problems[0].message.empty());
    EXPECT_FALSE(problems[0].mend.empty());
    return problems[0];
}

Json base(const char* type) {
    return Json{{"model_type", type}, {"hidden_size", 64}, {"num_hidden_layers", 8}, {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"vocab_size", 1000}, {"intermediate_size", 96}};
}

Json qwen2Moe() {
    Json config = base("qwen2_moe");
    config.update(Json{{"num_experts", 16}, {"num_experts_per_tok", 4}, {"moe_intermediate_size", 32}, {"shared_expert_intermediate_size", 128}});
    return config;
}

Json deepSeek() {
    Json config = base("deepseek_v3");
    config.update(Json{{"num_key_value_heads", 4}, {"n_routed_experts", 16}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 32}, {"n_shared_experts", 2}, {"first_k_dense_replace", 2}, {"moe_layer_freq", 2}, {"q_lora_rank", 24}, {"kv_lora_rank", 16}, {"qk_nope_head_dim", 12}, {"qk_rope_head_dim", 8}, {"v_head_dim", 10}});
    return config;
}

/// One letter a layer: 'e' experts, 'd' dense; capital: limited attention.
std::string pattern(const Architecture& a) {
    std::string text;
    for (std::int64_t i = 0; i < a.layers; ++i) {
        const LayerKind& kind = a.kindOf(i);
        const char letter = kind.experts ? 'e' : 'd';
        text += kind.reach == AttentionReach::all ? letter : static_cast<char>(letter - 'a' + 'A');
    }
    return text;
}

TEST(ExpertArchitecture, QwensSparseStepsAndDenseLayers) {
    Json config = qwen2Moe();
    EXPECT_EQ(pattern(read(config)), "eeeeeeee");
    config["decoder_sparse_step"] = 2;
    EXPECT_EQ(pattern(read(config)), "dededede");
    config["mlp_only_layers"] = {1, 2, 7};
    const Architecture a = read(config);
    EXPECT_EQ(pattern(a), "dddededd");
    EXPECT_EQ(a.layersOf(0), 6);
    EXPECT_EQ(a.layersOf(1), 2);
    config.erase("intermediate_size");
    const Problem problem = soleProblem(config);
    EXPECT_EQ(problem.code, "missing-config-field") << "dense layers need a width";
    EXPECT_EQ(problem.pointer, "/model/config/intermediate_size");
}

// Qwen1.5-MoE-A2.7B: 14.3 B parameters, 2.7 B activated (model card). Written out: attention with QKV biases, router, 60 experts
// of 1408, a shared one of 5632 with its gate.
TEST(ExpertArchitecture, Qwen2MoeCountsSharedExpertsAndTheirGate) {
    const Architecture a = read(Json{{"model_type", "qwen2_moe"}, {"hidden_size", 2048}, {"num_hidden_layers", 24}, {"num_attention_heads", 16}, {"num_key_value_heads", 16}, {"vocab_size", 151936}, {"num_experts", 60}, {"num_experts_per_tok", 4}, {"moe_intermediate_size", 1408}, {"shared_expert_intermediate_size", 5632}});
    const double expert = 3.0 * 2048 * 1408;
    const double rest = 4.0 * 2048 * 2048 + 3 * 2048 + 60 * 2048 + 3.0 * 2048 * 5632 + 2048 + 2 * 2048;
    const double ends = 2.0 * 151936 * 2048 + 2048;
    EXPECT_EQ(a.parameters(), 24 * (60 * expert + rest) + ends);
    EXPECT_EQ(a.activeParameters(), 24 * (4 * expert + rest) + ends);
    EXPECT_NEAR(a.parameters(), 14.3e9, 0.05e9);
    EXPECT_NEAR(a.activeParameters(), 2.7e9, 0.05e9);
}

TEST(ExpertArchitecture, PublishedTotalsOfTypesOutsideTheReference) {
    // OLMoE-1B-7B: 6.92 B in all, 1.28 B active (Muennighoff et al. 2024, table 1).
    const Architecture olmoe = read(Json{{"model_type", "olmoe"}, {"hidden_size", 2048}, {"num_hidden_layers", 16}, {"num_attention_heads", 16}, {"num_key_value_heads", 16}, {"vocab_size", 50304}, {"intermediate_size", 1024}, {"num_experts", 64}, {"num_experts_per_tok", 8}});
    EXPECT_NEAR(olmoe.parameters(), 6.92e9, 0.01e9);
    EXPECT_NEAR(olmoe.activeParameters(), 1.28e9, 0.01e9);
    // Gemma 7B: 8.54 B with its 256,000 words (Gemma team 2024, table 2: 0.786 B of them embedding).
    const Architecture gemma = read(Json{{"model_type", "gemma"}, {"hidden_size", 3072}, {"num_hidden_layers", 28}, {"num_attention_heads", 16}, {"num_key_value_heads", 16}, {"vocab_size", 256000}, {"intermediate_size", 24576}});
    EXPECT_NEAR(gemma.parameters(), 0.786e9 + 7.751e9, 0.001e9);
}

TEST(ExpertArchitecture, DeepSeeksLayers) {
    Json config = deepSeek();
    EXPECT_EQ(pattern(read(config)), "ddededed");
    config["first_k_dense_replace"] = 3;
    config["moe_layer_freq"] = 1;
    const Architecture a = read(config);
    EXPECT_EQ(pattern(a), "dddeeeee");
    ASSERT_TRUE(a.latent);
    EXPECT_EQ(a.headDim, 20);
    EXPECT_EQ(a.valueDim(), 10);
    EXPECT_EQ(a.experts->sharedFfn, 64);
    EXPECT_TRUE(a.experts->balancingBias);
    EXPECT_EQ(a.nextTokenModules, 0);
    // Queries without a latent of their own: the matrix 64 × 4·20 instead of 64 × 24, 24 and 24 × 4·20.
    config["q_lora_rank"] = nullptr;
    EXPECT_EQ(read(config).parameters() - a.parameters(), 8 * (64.0 * 80 - (64 * 24 + 24 + 24 * 80)));
    config.erase("kv_lora_rank");
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/kv_lora_rank");
}

TEST(ExpertArchitecture, MultiTokenPredictionIsCountedApart) {
    Json config = deepSeek();
    const Architecture without = read(config);
    config["num_nextn_predict_layers"] = 2;
    const Architecture with = read(config);
    EXPECT_EQ(with.parameters(), without.parameters());
    EXPECT_EQ(with.activeParameters(), without.activeParameters());
    EXPECT_EQ(without.nextTokenParameters(), 0);
    EXPECT_EQ(with.nextTokenParameters(), 2 * (3 * 64 + 2 * 64 * 64 + with.layerParameters(with.kindOf(7))));
}

TEST(ExpertArchitecture, WindowsByLayer) {
    Json config = base("gemma2");
    EXPECT_EQ(pattern(read(config)), "DdDdDdDd");
    EXPECT_EQ(read(config).kindOf(0).span, 4096);
    config["model_type"] = "gemma3_text";
    config["sliding_window"] = 512;
    EXPECT_EQ(pattern(read(config)), "DDDDDdDD");
    EXPECT_EQ(read(config).kindOf(0).span, 512);
    config["layer_types"] = {"full_attention", "sliding_attention", "full_attention", "full_attention",
                             "sliding_attention", "full_attention", "full_attention", "full_attention"};
    EXPECT_EQ(pattern(read(config)), "dDddDddd");

    config["layer_types"][3] = "linear_attention";
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/layer_types/3");
    config["layer_types"][3] = 7;
    EXPECT_EQ(soleProblem(config).code, "wrong-type");
    config["layer_types"] = {"full_attention"};
    EXPECT_EQ(soleProblem(config).code, "list-length");

    Json qwen = base("qwen3");
    qwen["use_sliding_window"] = true;
    qwen["sliding_window"] = 256;
    qwen["max_window_layers"] = 5;
    EXPECT_EQ(pattern(read(qwen)), "dddddDDD");
}

TEST(ExpertArchitecture, Llama4AlternatesChunksPositionsAndExperts) {
    Json config = base("llama4_text");
    config.update(Json{{"num_local_experts", 4}, {"num_experts_per_tok", 1}, {"intermediate_size_mlp", 192}, {"interleave_moe_layer_step", 2}, {"attention_chunk_size", 128}});
    const Architecture a = read(config);
    EXPECT_EQ(pattern(a), "DEDeDEDe");
    for (std::int64_t i = 0; i < 8; ++i) EXPECT_EQ(a.kindOf(i).rotary, i % 4 != 3);
    EXPECT_EQ(a.kinds.size(), 3u);
    EXPECT_EQ(a.ffn, 192);
    EXPECT_EQ(a.experts->ffn, 96);
    EXPECT_EQ(a.experts->sharedFfn, 96);
    config["moe_layers"] = {0, 1};
    EXPECT_EQ(pattern(read(config)), "EEDdDDDd");
}

TEST(ExpertArchitecture, NumbersOfNoModelAreRefused) {
    Json config = qwen2Moe();
    config["num_experts_per_tok"] = 17;
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/num_experts_per_tok");
    for (const char* field : {"num_experts", "num_experts_per_tok", "moe_intermediate_size", "shared_expert_intermediate_size"}) {
        config = qwen2Moe();
        config.erase(field);
        const Problem problem = soleProblem(config);
        EXPECT_EQ(problem.code, "missing-config-field");
        EXPECT_EQ(problem.pointer, std::string("/model/config/") + field);
    }
    config = qwen2Moe();
    config["mlp_only_layers"] = {0, -1};
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/mlp_only_layers/1");
    config = deepSeek();
    config["n_shared_experts"] = 0.5;
    EXPECT_EQ(soleProblem(config).code, "out-of-range");
    Json dbrx{{"model_type", "dbrx"}, {"d_model", 64}, {"n_layers", 2}, {"n_heads", 4}, {"vocab_size", 1000}, {"attn_config", Json{{"kv_n_heads", 3}}}, {"ffn_config", Json{{"ffn_hidden_size", 96}, {"moe_num_experts", 4}, {"moe_top_k", 2}}}};
    EXPECT_EQ(soleProblem(dbrx).pointer, "/model/config/attn_config/kv_n_heads");
    dbrx["attn_config"]["kv_n_heads"] = 2;
    dbrx["ffn_config"].erase("moe_top_k");
    EXPECT_EQ(soleProblem(dbrx).pointer, "/model/config/ffn_config/moe_top_k");
}

// Each of these configs asks for layers that its type doesn't have: read without the field it would silently be another model.
TEST(ExpertArchitecture, FieldsThatChangeTheLayersAreReadOrStopTheRun) {
    struct Case {
        Json config;
        const char* field;
        Json value;
    };
    const std::vector<Case> cases = {
        {base("llama"), "mamba_d_state", 16},
        {base("llama"), "num_local_experts", 8},
        {base("llama"), "layer_types", {"full_attention", "sliding_attention"}},
        {base("llama"), "hybrid_layer_pattern", {0, 1, 1, 1, 0, 1, 1, 1}},
        {base("qwen3"), "kv_lora_rank", 512},
        {deepSeek(), "index_topk", 2048},
        {deepSeek(), "num_experts", 256},
        {qwen2Moe(), "n_routed_experts", 64},
    };
    for (const Case& one : cases) {
        Json config = one.config;
        read(config);
        config[one.field] = one.value;
        const Problem problem = soleProblem(config);
        EXPECT_EQ(problem.code, "unread-structure") << one.field;
        EXPECT_EQ(problem.pointer, std::string("/model/config/") + one.field);
        EXPECT_NE(problem.message.find(one.field), std::string::npos);
    }
    Json windows = base("llama");
    windows["hybrid_layer_pattern"] = {0, 1};
    EXPECT_EQ(soleProblem(windows).message.find("Mamba"), std::string::npos) << "a pattern of windows is no Mamba";
}

// What says nothing that a plain model hasn't is no reason to stop.
TEST(ExpertArchitecture, NeutralFieldsAreNoStructure) {
    Json config = base("llama");
    config.update(Json{{"num_local_experts", 0}, {"layer_types", Json::array({"full_attention", "full_attention"})}, {"index_topk", nullptr}, {"use_cla", false}, {"n_shared_experts", nullptr}, {"linear_attn_config", Json::object()}});
    read(config);
}

TEST(ExpertArchitecture, TypesWithoutARowAreRefusedByName) {
    for (const char* type : {"t5", "recurrent_gemma", "rwkv", "zamba2", "bert"}) {
        const Problem problem = soleProblem(base(type));
        EXPECT_EQ(problem.code, "unsupported-layer") << type;
        EXPECT_EQ(problem.pointer, "/model/config/model_type");
        EXPECT_NE(problem.message.find(type), std::string::npos);
    }
    Json config = base("unheard_of");
    config["is_encoder_decoder"] = true;
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/is_encoder_decoder");
    config = base("minimax_m2");
    config.update(Json{{"num_local_experts", 4}, {"num_experts_per_tok", 2}, {"attn_type_list", {1, 1, 1, 0, 1, 1, 1, 1}}});
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/attn_type_list/3");
}

} // namespace
} // namespace orrery::expert_architecture
