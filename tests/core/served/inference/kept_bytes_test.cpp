// SPDX-License-Identifier: GPL-3.0-or-later
// What each of this year's models keeps of a sequence of 1,000 and of 100,000 tokens, by arithmetic from its config alone: keys and values, or latents, of
// layers that look back on everything; of a window what the next token sees beside itself; keys that stand for many tokens; the indexer's; states.
#include "core/base/json_parser.hpp"
#include "core/served/inference/held_cache.hpp"
#include "tests/core/served/inference/engines.hpp"
#include "tests/support/shared_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace orrery {
namespace {

struct Kept {
    double cache = 0, state = 0;
};

/// Bytes of a token's key and value in 16 bit, of an 8-bit indexed key with its scale.
double pair(double heads, double key, double value) { return heads * (key + value) * 2; }
constexpr double indexed = 128 + 4;

class Arithmetic {
public:
    Arithmetic(const Json& config, double tokens) : c(config.contains("text_config") ? config["text_config"] : config), n(tokens) {}

    Kept of(const std::string& type) {
        const double layers = at("num_hidden_layers"), kv = at("num_key_value_heads"), dim = at("head_dim", at("hidden_size") / at("num_attention_heads")), heads = pair(kv, dim, dim);
        if (type.starts_with("qwen3_5")) {
            const double values = at("linear_num_value_heads") * at("linear_value_head_dim"), keys = at("linear_num_key_heads") * at("linear_key_head_dim");
            for (const Json& word : c["layer_types"]) word == "full_attention" ? all(heads) : state(values * at("linear_key_head_dim"), 3 * (2 * keys + values));
        } else if (type == "gemma4_text") {
            for (const Json& word : c["layer_types"]) word == "full_attention" ? all(pair(at("num_global_key_value_heads"), 512, 512)) : window(heads, at("sliding_window"));
        } else if (type == "deepseek_v4") {
            for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) {
                const double ratio = c["compress_ratios"][i].get<double>(), key = at("head_dim") * 2;
                window(key, at("sliding_window"));
                if (ratio == 4) all((key + indexed) / 4);
                if (ratio == 128) all(key / 128);
                // Keys that wait, and how much of each, in fp32; twice as many tokens and widths where neighbours overlap.
                if (ratio == 4) kept_.state += 2 * 4 * 8 * 2 * (at("head_dim") + at("index_head_dim"));
                if (ratio == 128) kept_.state += 2 * 4 * 128 * at("head_dim");
            }
        } else if (type == "deepseek_v32" || type == "glm_moe_dsa" || type == "kimi_k2") {
            for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) {
                const bool own = c.contains("index_topk") && !(c.contains("indexer_types") && c["indexer_types"][i] == "shared");
                all((at("kv_lora_rank") + at("qk_rope_head_dim")) * 2 + (own ? indexed : 0));
            }
        } else if (type == "kimi_linear") {
            for (std::size_t i = 1; i <= static_cast<std::size_t>(layers); ++i) {
                const Json& full = c["linear_attn_config"]["full_attn_layers"];
                if (std::find(full.begin(), full.end(), Json(i)) != full.end()) all((at("kv_lora_rank") + at("qk_rope_head_dim")) * 2);
                else state(96.0 * 128 * 128, 3 * 3 * 96.0 * 128);
            }
        } else if (type == "minimax_m3") {
            for (const Json& sparse : c["sparse_attention_config"]["sparse_attention_freq"]) all(heads + (sparse == 1 ? indexed : 0));
        } else if (type == "nemotron_h") {
            hybrid();
        } else if (type == "nemotron-nas") {
            for (const Json& block : c["block_configs"])
                if (!block["attention"]["no_op"].get<bool>()) all(pair(at("num_attention_heads") / block["attention"]["n_heads_in_group"].get<double>(), 128, 128));
        } else if (type == "mimo_v2_flash") {
            for (const Json& word : c["hybrid_layer_pattern"]) word == 1 ? window(pair(8, 192, 128), 128) : all(pair(4, 192, 128));
        } else if (type == "step3p7" || type == "gpt_oss") {
            for (const Json& word : c["layer_types"]) word == "full_attention" ? all(heads) : window(heads, at("sliding_window"));
        } else if (type == "llama4_text") {
            for (int i = 1; i <= static_cast<int>(layers); ++i) i % 4 == 0 ? all(heads) : window(heads, at("attention_chunk_size"), true);
        } else {
            all(layers * heads);
        }
        return kept_;
    }

private:
    double at(const char* name, double otherwise = 0) const { return c.contains(name) && c[name].is_number() ? c[name].get<double>() : otherwise; }
    void all(double bytes) { kept_.cache += bytes * n; }
    void window(double bytes, double span, bool chunks = false) { kept_.cache += bytes * (chunks ? std::fmod(n, span) : std::min(n, span - 1)); }
    void state(double elements, double inputs) { kept_.state += elements * 4 + inputs * 2; }

    void hybrid() {
        const double inner = at("mamba_num_heads") * at("mamba_head_dim"), sides = 2 * at("n_groups") * at("ssm_state_size");
        const auto layer = [&](bool mixes, bool attends) {
            if (mixes) state(inner * at("ssm_state_size"), 3 * (inner + sides));
            if (attends) all(pair(at("num_key_value_heads"), 128, 128));
        };
        if (c.contains("hybrid_override_pattern"))
            for (const char letter : c["hybrid_override_pattern"].get<std::string>()) layer(letter == 'M', letter == '*');
        else
            for (const Json& word : c["layers_block_type"]) layer(word == "mamba", word == "attention");
    }

    const Json& c;
    double n;
    Kept kept_;
};

TEST(KeptBytes, OfASequenceAreTheArithmeticOfTheConfig) {
    ORRERY_REQUIRE_SHARED("reference/models_2026.json");
    Problems problems;
    const auto document = parseJsonText("{\"config\": " + test::readWholeFile(test::sharedPath("reference/models_2026.json")) + "}", "", problems); // Python writes Infinity
    ASSERT_TRUE(document);
    int models = 0;
    for (const Json& entry : document->at("config").at("models")) {
        const std::string id = entry.at("id").get<std::string>();
        const StepModel model(test::engineOn(test::architectureOf(entry.at("config")), "h200-sxm-141gb", "vllm-2025", 1));
        const StepModel::StageHold& stage = model.stages().front();
        for (const double tokens : {1000.0, 100000.0}) {
            const Kept kept = Arithmetic(entry.at("config"), tokens).of(entry.at("text_model_type").get<std::string>());
            EXPECT_NEAR(stage.cacheOf(static_cast<std::int64_t>(tokens)) / kept.cache, 1, 1e-12) << id << ' ' << tokens;
            EXPECT_NEAR(stage.state, kept.state, 1e-9 * kept.state) << id;
        }
        ++models;
    }
    EXPECT_EQ(models, 32);
}

} // namespace
} // namespace orrery
