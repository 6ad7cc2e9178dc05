// SPDX-License-Identifier: GPL-3.0-or-later
// Models of 2025 and 2026 by their own configs: parameters against a count from the config's fields alone, and against what was published.
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/model/architecture.hpp"
#include "core/model/transformer_graph.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orrery::models_2026 {
namespace {

/// 10⁹ parameters of the text part as names and model cards give them; 0: none was seen.
const std::map<std::string, double> published = {
    {"qwen3.5-27b", 27},
    {"qwen3.5-35b-a3b", 35},
    {"qwen3.5-122b-a10b", 122},
    {"qwen3.5-397b-a17b", 397},
    {"qwen3-vl-8b-instruct", 8.19},
    {"qwen3-vl-32b-instruct", 32.8},
    {"qwen3-vl-30b-a3b-instruct", 30.5},
    {"qwen3-vl-235b-a22b-instruct", 235},
    {"gemma-4-26b-a4b", 25.2},
    {"deepseek-v3.2", 671},
    {"glm-5", 744},
    {"glm-5.1", 744},
    {"glm-5.2", 744},
    {"kimi-k2.5", 1026},
    {"minimax-m2.5", 229},
    {"minimax-m2.7", 229},
    {"nvidia-nemotron-3-nano-30b-a3b-bf16", 31.6},
    {"nvidia-nemotron-3-super-120b-a12b-fp8", 120.6},
    {"nvidia-nemotron-3-ultra-550b-a55b-bf16", 550},
    {"nemotron-h-56b-base-8k", 56.3},
    {"llama-3_3-nemotron-super-49b-v1", 49.9},
    {"mimo-v2-flash", 309},
    {"mimo-7b-base", 7.6},
    {"step-3.7-flash", 196},
    {"llama-4-scout-17b-16e-instruct", 107.8},
    {"llama-4-maverick-17b-128e-instruct", 400.7},
    {"gpt-oss-20b", 20.9},
    {"gpt-oss-120b", 116.8},
    {"deepseek-v4-flash", 284},
};

/// Sizes straight from a config.
struct Fields {
    const Json& c;
    double at(const char* name, double otherwise = 0) const { return c.contains(name) && c[name].is_number() ? c[name].get<double>() : otherwise; }
    double operator()(const char* name) const { return at(name); }
    bool has(const char* name) const { return c.contains(name) && !c[name].is_null(); }
};

double grouped(const Fields& f, double kv, double dim, double value, double gate = 0) {
    const double h = f("hidden_size"), heads = f("num_attention_heads");
    return h * (heads * dim + kv * dim + kv * value + gate * heads * dim) + heads * value * h;
}

double latent(const Fields& f) {
    const double h = f("hidden_size"), heads = f("num_attention_heads"), q = f("q_lora_rank"), kv = f("kv_lora_rank"), plain = f("qk_nope_head_dim"), rotary = f("qk_rope_head_dim"), v = f("v_head_dim");
    return h * q + q * heads * (plain + rotary) + h * (kv + rotary) + kv * heads * (plain + v) + heads * v * h;
}

double gated(const Fields& f, double width) { return 3 * f("hidden_size") * width; }

double deltaNet(const Fields& f) {
    const double h = f("hidden_size"), keys = f("linear_num_key_heads") * f("linear_key_head_dim"), values = f("linear_num_value_heads") * f("linear_value_head_dim");
    return h * (2 * keys + 2 * values + 2 * f("linear_num_value_heads")) + 4 * (2 * keys + values) + values * h;
}

double mambaTwo(const Fields& f) {
    const double h = f("hidden_size"), inner = f("mamba_num_heads") * f("mamba_head_dim"), sides = 2 * f("n_groups") * f("ssm_state_size");
    return h * (2 * inner + sides + f("mamba_num_heads")) + 5 * (inner + sides) + inner * h;
}

double experts(const Fields& f, double count, double width, double shared) { return count * gated(f, width) + gated(f, shared) + f("hidden_size") * count; }

double nemotronHybrid(const Fields& f, const Json& c) {
    const double h = f("hidden_size");
    std::string layers = c.value("hybrid_override_pattern", "");
    if (layers.empty())
        for (const Json& word : c["layers_block_type"]) layers += word == "mamba" ? 'M' : word == "moe" ? 'E'
                                                                                                        : '*';
    double total = 0;
    for (const char layer : layers) {
        if (layer == 'M') total += mambaTwo(f);
        if (layer == '*') total += grouped(f, f("num_key_value_heads"), 128, 128);
        if (layer == '-') total += 2 * h * f("intermediate_size");
        if (layer != 'E') continue;
        const double outer = f.at("moe_latent_size", h);
        total += f("n_routed_experts") * (2 * outer * f("moe_intermediate_size") + h) + 2 * h * f("moe_shared_expert_intermediate_size") + (outer < h ? 2 * h * outer : 0);
    }
    return total;
}

/// DeepSeek-V4: attention with one head of keys, what lays tokens together, an indexer where few are, and what tells the mixtures of four streams.
double compressed(const Fields& f, const Json& c) {
    const double h = f("hidden_size"), rank = f("q_lora_rank"), width = f("num_attention_heads") * f("head_dim"), given = f("o_groups") * f("o_lora_rank");
    const double attention = h * rank + rank * width + h * f("head_dim") + width * f("o_lora_rank") + given * h, streams = 2 * 24 * 4 * h;
    double total = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(f("num_hidden_layers")); ++i) {
        total += attention + streams + experts(f, f("n_routed_experts"), f("moe_intermediate_size"), f("moe_intermediate_size"));
        if (c["compress_ratios"][i] == 4) total += 4 * h * (f("head_dim") + f("index_head_dim")) + rank * f("index_n_heads") * f("index_head_dim") + h * f("index_n_heads");
        if (c["compress_ratios"][i] == 128) total += (2 * h + 128) * f("head_dim");
    }
    return total;
}

double deepSeekLike(const Fields& f, double attention, double first) {
    const double layers = f("num_hidden_layers");
    const double index = f.has("index_topk") ? f("q_lora_rank") * f("index_n_heads") * f("index_head_dim") + f("hidden_size") * (f("index_head_dim") + f("index_n_heads")) : 0;
    return layers * (attention + index) + first * gated(f, f("intermediate_size")) +
           (layers - first) * experts(f, f("n_routed_experts"), f("moe_intermediate_size"), f("n_shared_experts") * f("moe_intermediate_size"));
}

double searched(const Fields& f, const Json& c) {
    double total = 0;
    for (const Json& block : c["block_configs"]) {
        if (!block["attention"]["no_op"].get<bool>()) total += grouped(f, f("num_attention_heads") / block["attention"]["n_heads_in_group"].get<double>(), 128, 128);
        if (!block["ffn"]["no_op"].get<bool>()) total += gated(f, std::ceil(2 * block["ffn"]["ffn_mult"].get<double>() * f("hidden_size") / 3 / 256 - 1e-9) * 256);
    }
    return total;
}

/// Of the layers, without norms and vectors that are thousandths.
double layersOf(const std::string& type, const Json& c) {
    const Fields f{c};
    const double h = f("hidden_size"), layers = f("num_hidden_layers"), heads = f("num_attention_heads"), kv = f("num_key_value_heads"), dim = f.at("head_dim", h / heads);
    const double attention = grouped(f, kv, dim, dim);
    if (type.starts_with("qwen3_5")) {
        double total = 0;
        for (const Json& word : c["layer_types"]) total += word == "linear_attention" ? deltaNet(f) : grouped(f, kv, dim, dim, 1);
        return total + layers * (f.has("num_experts") ? experts(f, f("num_experts"), f("moe_intermediate_size"), f("shared_expert_intermediate_size")) : gated(f, f("intermediate_size")));
    }
    if (type == "qwen3_vl_moe_text") return layers * (attention + experts(f, f("num_experts"), f("moe_intermediate_size"), 0));
    if (type == "gemma4_text") {
        double total = layers * experts(f, f("num_experts"), f("moe_intermediate_size"), f("intermediate_size"));
        for (const Json& word : c["layer_types"]) total += word == "full_attention" ? h * heads * 512 * 2 + h * 2 * 512 : attention;
        return total;
    }
    if (type == "deepseek_v32" || type == "glm_moe_dsa" || type == "kimi_k2") {
        double total = deepSeekLike(f, latent(f), f("first_k_dense_replace"));
        if (c.contains("indexer_types")) // a shared choice has no indexer
            for (const Json& word : c["indexer_types"])
                if (word == "shared") total -= f("q_lora_rank") * f("index_n_heads") * f("index_head_dim") + h * (f("index_head_dim") + f("index_n_heads"));
        return total;
    }
    if (type == "minimax_m2") return layers * (attention + experts(f, f("num_local_experts"), f("intermediate_size"), 0));
    if (type == "minimax_m3") {
        double total = layers * attention;
        for (std::size_t i = 0; i < c["moe_layer_freq"].size(); ++i) {
            total += c["moe_layer_freq"][i] == 1 ? experts(f, f("num_local_experts"), f("moe_intermediate_size"), f("shared_intermediate_size")) : gated(f, f("dense_intermediate_size"));
            if (c["sparse_attention_config"]["sparse_attention_freq"][i] == 1) total += h * (4 * 128 + 128);
        }
        return total;
    }
    if (type == "deepseek_v4") return compressed(f, c);
    if (type == "nemotron_h") return nemotronHybrid(f, c);
    if (type == "nemotron-nas") return searched(f, c);
    if (type == "kimi_linear") {
        const double width = 96 * 128;
        const double delta = h * (4 * width + 96 + 128) + 128 * width + 12 * width + width * h, full = latent(f) + h * 96 * 128;
        const double widths = f("num_experts") * 3 * f("routed_expert_hidden_size") * f("moe_intermediate_size") + 2 * h * f("routed_expert_hidden_size") + 2 * gated(f, f("moe_intermediate_size")) + h * f("num_experts");
        return 69 * delta + 24 * full + gated(f, f("intermediate_size")) + (layers - 1) * widths;
    }
    if (type == "mimo_v2_flash") {
        double total = 0;
        for (std::size_t i = 0; i < c["hybrid_layer_pattern"].size(); ++i) {
            total += grouped(f, c["hybrid_layer_pattern"][i] == 1 ? 8 : 4, 192, 128);
            total += c["moe_layer_freq"][i] == 1 ? experts(f, f("n_routed_experts"), f("moe_intermediate_size"), 0) : gated(f, f("intermediate_size"));
        }
        return total;
    }
    if (type == "step3p7") return layers * attention + 3 * gated(f, f("intermediate_size")) + (layers - 3) * experts(f, f("num_experts"), f("moe_intermediate_size"), f("share_expert_dim"));
    if (type == "llama4_text") {
        const double step = f("interleave_moe_layer_step"), mixed = layers / step;
        return layers * attention + mixed * experts(f, f("num_local_experts"), f("intermediate_size"), f("intermediate_size")) + (layers - mixed) * gated(f, f("intermediate_size_mlp"));
    }
    if (type == "gpt_oss") return layers * (attention + experts(f, f("num_local_experts"), f("intermediate_size"), 0));
    return layers * (attention + gated(f, f("intermediate_size")));
}

double countOf(const Json& config, const std::string& type) {
    const Json& c = config.contains("text_config") ? config["text_config"] : config;
    const bool tied = c.value("tie_word_embeddings", config.value("tie_word_embeddings", false));
    return layersOf(type, c) + (tied ? 1 : 2) * c["vocab_size"].get<double>() * c["hidden_size"].get<double>();
}

double elementsOf(const Graph& graph) {
    double elements = 0;
    for (const Operator& op : graph.forward) elements += op.weights + op.replicatedWeights;
    return elements;
}

TEST(Models2026, ParametersEqualTheCountFromTheConfigWithinOneInAHundred) {
    ORRERY_REQUIRE_SHARED("reference/models_2026.json");
    Problems parsed;
    const auto document = parseJsonText("{\"config\": " + test::readWholeFile(test::sharedPath("reference/models_2026.json")) + "}", "", parsed); // Python writes Infinity
    ASSERT_TRUE(document);
    int read = 0;
    for (const Json& model : document->at("config").at("models")) {
        const std::string id = model.at("id").get<std::string>();
        Problems problems;
        const std::optional<Architecture> a = importArchitecture(model.at("config"), "", problems);
        ASSERT_TRUE(a) << id << ": " << toText(problems.front());
        ++read;
        const double counted = countOf(model.at("config"), model.at("text_model_type").get<std::string>());
        EXPECT_NEAR(a->parameters() / counted, 1, 0.01) << id;
        if (const auto found = published.find(id); found != published.end()) {
            EXPECT_NEAR(a->parameters() / 1e9 / found->second, 1, 0.01) << id;
        }
        const bool beside = model.at("config").contains("vision_config");
        EXPECT_EQ(!problems.empty(), beside) << id << ": what is left out is told";
        // The graphs carry the same weights, operator by operator.
        const ModelPieces pieces = buildModelPieces(*a, {1, 512});
        double elements = elementsOf(pieces.embedding) + elementsOf(pieces.head);
        for (std::int64_t i = 0; i < a->layers; ++i) elements += elementsOf(pieces.layer(i));
        EXPECT_NEAR(elements / a->parameters(), 1, 1e-12) << id;
        std::cout << "  " << id << ": " << a->parameters() / 1e9 << " B, active " << a->activeParameters() / 1e9 << ", counted " << counted / 1e9 << "\n";
    }
    EXPECT_EQ(read, 32);
}

TEST(Models2026, ReportedConfigsCountAsPublished) {
    ORRERY_REQUIRE_SHARED("reported/training/qwen3-next-80b.json");
    const std::map<std::string, double> right = {{"qwen3-next-80b", 79.674}, {"smollm3-3b", 3.075}, {"seed-oss-36b", 36.151}, {"apertus-8b", 8.053}, {"olmo3-7b", 7.298}, {"phi-3.5-moe", 41.873}, {"ernie-4.5-300b", 299.484}, {"granite-4.0-h-small", 32.207}};
    for (const auto& [name, wanted] : right) {
        const Json document = Json::parse(test::readWholeFile(test::sharedPath("reported/training/" + name + ".json")));
        Problems problems;
        const std::optional<Architecture> a = importArchitecture(document.at("model").at("config"), "", problems);
        ASSERT_TRUE(a) << name << ": " << toText(problems.front());
        EXPECT_NEAR(a->parameters() / 1e9, wanted, 0.0005 * std::max(1.0, wanted / 10)) << name;
        EXPECT_TRUE(problems.empty()) << name;
    }
}

// Types of the long tail: each has a row, and none has code of its own.
TEST(PublicModels, ParametersAreThoseOfTheirCards) {
    const Json document = Json::parse(test::readWholeFile(test::sourcePath("tests/data/public_models.json")));
    std::set<std::string> types;
    for (const Json& model : document.at("models")) {
        const std::string name = model.at("name").get<std::string>();
        Problems problems;
        const std::optional<Architecture> a = importArchitecture(model.at("config"), "", problems);
        ASSERT_TRUE(a) << name << ": " << toText(problems.front());
        EXPECT_NEAR(a->parameters() / 1e9 / model.at("parameters").get<double>(), 1, 0.01) << name;
        types.insert(a->modelType);
        const ModelPieces pieces = buildModelPieces(*a, {1, 512});
        double elements = elementsOf(pieces.embedding) + elementsOf(pieces.head);
        for (std::int64_t i = 0; i < a->layers; ++i) elements += elementsOf(pieces.layer(i));
        EXPECT_NEAR(elements / a->parameters(), 1, 1e-12) << name;
    }
    EXPECT_GT(types.size(), 45u);
}

} // namespace
} // namespace orrery::models_2026
