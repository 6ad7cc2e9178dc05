// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"

#include <gtest/gtest.h>

namespace orrery {
namespace {

std::optional<Architecture> read(const Json& config) {
    Problems problems;
    std::optional<Architecture> architecture = importArchitecture(config, "/model/config", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << toText(problem);
    return architecture;
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

Json gpt2(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocabulary, std::int64_t positions) {
    return Json{{"model_type", "gpt2"}, {"n_layer", layers}, {"n_embd", hidden}, {"n_head", heads}, {"vocab_size", vocabulary}, {"n_positions", positions}};
}

Json llama() {
    return Json::parse(R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                           "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256})");
}

// Narayanan et al. 2021, equation 2, with the final norm.
TEST(Architecture, Gpt2ShapesFollowTheClosedForm) {
    struct Shape {
        std::int64_t l, h, a, v, s;
    };
    for (const Shape& shape : {Shape{24, 2304, 24, 51200, 2048}, Shape{96, 12288, 96, 51200, 2048}, Shape{1, 64, 4, 1000, 128}}) {
        const std::optional<Architecture> architecture = read(gpt2(shape.l, shape.h, shape.a, shape.v, shape.s));
        ASSERT_TRUE(architecture);
        const double l = static_cast<double>(shape.l), h = static_cast<double>(shape.h);
        const double v = static_cast<double>(shape.v), s = static_cast<double>(shape.s);
        const double wanted = 12 * l * h * h * (1 + 13 / (12 * h) + (v + s + 2) / (12 * l * h));
        EXPECT_NEAR(architecture->parameters() / wanted, 1, 1e-12);
        EXPECT_EQ(l * architecture->layerParameters(architecture->kinds.front()) + architecture->embeddingParameters() + architecture->headParameters(),
                  architecture->parameters());
    }
}

TEST(Architecture, LeftOutFieldsTakeHuggingFacesDefaults) {
    std::optional<Architecture> a = read(gpt2(2, 64, 4, 1000, 128));
    ASSERT_TRUE(a);
    EXPECT_EQ(a->ffn, 256);
    EXPECT_TRUE(a->tiedEmbedding);
    EXPECT_EQ(a->attentionDropout, 0.1);
    EXPECT_EQ(a->hiddenDropout, 0.1);
    EXPECT_EQ(a->positions, PositionKind::learned);

    a = read(Json::parse(R"({"model_type": "opt", "hidden_size": 1024, "ffn_dim": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
                             "vocab_size": 50272, "word_embed_proj_dim": 512, "do_layer_norm_before": false})"));
    ASSERT_TRUE(a);
    EXPECT_EQ(a->hiddenDropout, 0.1);
    EXPECT_EQ(a->attentionDropout, 0);
    EXPECT_FALSE(a->finalNorm);
    EXPECT_EQ(a->parameters(), 331196416 - 2 * 1024) << "OPT-350M as published, less the two position rows that nothing reads";

    a = read(llama());
    ASSERT_TRUE(a);
    EXPECT_EQ(a->headDim, 128);
    EXPECT_EQ(a->maxPositions, 0);
    EXPECT_FALSE(a->tiedEmbedding);
    EXPECT_FALSE(a->qkvBias);
    EXPECT_TRUE(a->gatedMlp);
    EXPECT_EQ(a->hiddenDropout, 0);

    Json mistral = llama();
    mistral["model_type"] = "mistral";
    mistral.erase("num_key_value_heads");
    a = read(mistral);
    ASSERT_TRUE(a);
    EXPECT_EQ(a->kvHeads, 8);

    Json qwen = llama();
    qwen["model_type"] = "qwen2";
    qwen["sliding_window"] = 4096;
    a = read(qwen);
    ASSERT_TRUE(a);
    EXPECT_TRUE(a->qkvBias);
    EXPECT_FALSE(a->attentionOutputBias);
    EXPECT_EQ(a->kinds.front().reach, AttentionReach::all) << "the window counts only with use_sliding_window";
}

TEST(Architecture, MptPositionsAndBiasesFollowItsConfig) {
    Json config = Json::parse(R"({"model_type": "mpt", "d_model": 768, "n_layers": 12, "n_heads": 12, "vocab_size": 50368, "max_seq_len": 2048})");
    const std::optional<Architecture> alibi = read(config);
    ASSERT_TRUE(alibi);
    EXPECT_EQ(alibi->positions, PositionKind::alibi);
    config["attn_config"] = Json{{"alibi", false}};
    config["no_bias"] = false;
    const std::optional<Architecture> learned = read(config);
    ASSERT_TRUE(learned);
    EXPECT_EQ(learned->positions, PositionKind::learned);
    // A table of positions, and the biases of four matrices of each layer: 3h, h, 4h, h.
    EXPECT_EQ(learned->parameters() - alibi->parameters(), 2048 * 768 + 12 * 9 * 768);
}

TEST(Architecture, FalconDecodersDifferInNormsAndHeads) {
    Json config = Json::parse(R"({"model_type": "falcon", "hidden_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000})");
    const std::optional<Architecture> first = read(config);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->kvHeads, 1);
    EXPECT_EQ(first->inputNorms, 1);
    EXPECT_TRUE(first->parallelAttention);
    config["new_decoder_architecture"] = true;
    config["num_kv_heads"] = 4;
    const std::optional<Architecture> second = read(config);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->kvHeads, 4);
    EXPECT_EQ(second->inputNorms, 2);
    config = Json::parse(R"({"model_type": "falcon", "hidden_size": 512, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000,
                             "parallel_attn": false, "multi_query": false, "alibi": true, "bias": true})");
    const std::optional<Architecture> third = read(config);
    ASSERT_TRUE(third);
    EXPECT_EQ(third->kvHeads, 8);
    EXPECT_EQ(third->inputNorms, 2);
    EXPECT_FALSE(third->parallelAttention);
    EXPECT_EQ(third->positions, PositionKind::alibi);
    EXPECT_TRUE(third->mlpBias);
}

TEST(Architecture, AMissingFieldIsNamed) {
    for (const char* field : {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size"}) {
        for (const bool null : {false, true}) {
            Json config = llama();
            if (null)
                config[field] = nullptr;
            else
                config.erase(field);
            const Problem problem = soleProblem(config);
            EXPECT_EQ(problem.code, "missing-config-field");
            EXPECT_EQ(problem.pointer, std::string("/model/config/") + field);
            EXPECT_NE(problem.message.find(field), std::string::npos);
        }
    }
    EXPECT_EQ(soleProblem(Json::object()).pointer, "/model/config/model_type");
    EXPECT_EQ(soleProblem(Json::array()).code, "wrong-type");
}

TEST(Architecture, NumbersOfNoModelAreRefused) {
    for (const char* field : {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "vocab_size"})
        for (const Json& value : {Json(0), Json(-8), Json(4096.5), Json(1e300), Json(std::uint64_t{18446744073709551615u})}) {
            Json config = llama();
            config[field] = value;
            const Problem problem = soleProblem(config);
            EXPECT_EQ(problem.code, "out-of-range") << field << " " << value;
            EXPECT_EQ(problem.pointer, std::string("/model/config/") + field);
        }
    Json config = llama();
    config["hidden_size"] = "4096";
    EXPECT_EQ(soleProblem(config).code, "wrong-type");
    config = llama();
    config["attention_dropout"] = 1.5;
    EXPECT_EQ(soleProblem(config).code, "out-of-range");
    config = llama();
    config["hidden_act"] = "squash";
    EXPECT_EQ(soleProblem(config).code, "unknown-activation");
    config = llama();
    config["tie_word_embeddings"] = 1;
    EXPECT_EQ(soleProblem(config).code, "wrong-type");
}

TEST(Architecture, HeadsMustDivideUnlessTheHeadDimensionIsGiven) {
    Json config = llama();
    config["num_attention_heads"] = 48;
    const Problem problem = soleProblem(config);
    EXPECT_EQ(problem.code, "heads-do-not-divide");
    EXPECT_EQ(problem.pointer, "/model/config/num_attention_heads");
    config["head_dim"] = 128;
    const std::optional<Architecture> wide = read(config);
    ASSERT_TRUE(wide);
    EXPECT_EQ(wide->heads * wide->headDim, 6144);
    config = llama();
    config["num_key_value_heads"] = 5;
    EXPECT_EQ(soleProblem(config).pointer, "/model/config/num_key_value_heads");
}

TEST(Architecture, TheClassNameStandsInForAMissingType) {
    Json config = llama();
    config.erase("model_type");
    config["architectures"] = {"LlamaForCausalLM"};
    const std::optional<Architecture> architecture = read(config);
    ASSERT_TRUE(architecture);
    EXPECT_EQ(architecture->modelType, "llama");
    config["architectures"] = {"BertForMaskedLM"};
    EXPECT_EQ(soleProblem(config).code, "unknown-architecture");
}

} // namespace
} // namespace orrery
