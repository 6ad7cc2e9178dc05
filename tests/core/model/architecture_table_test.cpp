// SPDX-License-Identifier: GPL-3.0-or-later
// resources/catalog/architectures.json: a new model of known layers is a row and nothing else.
#include "core/base/json.hpp"
#include "core/model/architecture.hpp"
#include "core/model/architecture_table.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>

namespace orrery::architecture_table {
namespace {

Architecture read(const Json& config, const ArchitectureTable& table = ArchitectureTable::shipped()) {
    Problems problems;
    std::optional<Architecture> a = importArchitecture(config, "", problems, table);
    for (const Problem& problem : problems)
        if (problem.severity == Severity::error) ADD_FAILURE() << toText(problem);
    return a.value_or(Architecture{});
}

Json plain(const char* type) {
    return Json{{"model_type", type}, {"hidden_size", 64}, {"num_hidden_layers", 6}, {"num_attention_heads", 4}, {"num_key_value_heads", 2}, {"vocab_size", 1000}, {"intermediate_size", 96}};
}

TEST(ArchitectureTable, AMadeUpTypeIsOneRow) {
    Json document = Json::parse(ArchitectureTable::shippedText());
    document["types"].push_back(Json::parse(R"({"type": "made_up", "class": "MadeUpForCausalLM", "like": "llama", "hidden": {"key": "width"}, "qk_norm": "per_head",
        "layers_are": {"list": ["kinds"], "span": {"key": "reach", "default": 32}, "every": 3, "on": "wide", "off": "near", "words": {"wide": {}, "near": {"reach": "window", "kv_heads": 1}}},
        "experts": {"count": {"key": "crowd"}, "per_token": {"key": "chosen", "default": 2}, "ffn": {"key": "intermediate_size"}}, "experts_in": {"first": 1}})"));
    const ArchitectureTable table = ArchitectureTable::fromText(document.dump());
    Json config = plain("made_up");
    config.erase("hidden_size");
    config.update(Json{{"width", 80}, {"crowd", 8}, {"head_dim", 16}});
    const Architecture a = read(config, table);
    EXPECT_EQ(a.hidden, 80);
    EXPECT_EQ(a.qkNorm, QkNorm::per_head);
    ASSERT_TRUE(a.experts);
    EXPECT_EQ(a.experts->count, 8);
    EXPECT_EQ(a.kindOf(0).span, 32);
    EXPECT_EQ(a.kindOf(0).kvHeads, 1);
    EXPECT_FALSE(a.kindOf(0).experts);
    EXPECT_EQ(a.kindOf(2).reach, AttentionReach::all);
    EXPECT_TRUE(a.kindOf(5).experts);
    // By hand: queries, keys, values and output of both kinds, norms, a dense layer, experts with their router, both tables, the last norm.
    const double near = 80 * (64 + 2 * 16) + 64 * 80 + 2 * 16, wide = 80 * (64 + 4 * 16) + 64 * 80 + 2 * 16, expert = 3 * 80 * 96;
    EXPECT_EQ(a.parameters(), 4 * near + 2 * wide + 6 * 2 * 80 + expert + 5 * (8 * expert + 8 * 80) + 2 * 1000 * 80 + 80);
    Problems problems;
    EXPECT_FALSE(importArchitecture(config, "", problems)) << "the shipped table has no such row, and no likeness without a width";
}

TEST(ArchitectureTable, EveryRowReadsAConfigOrSaysWhatIsMissing) {
    const ArchitectureTable& table = ArchitectureTable::shipped();
    EXPECT_GT(table.types().size(), 130u);
    for (const std::string& type : table.types()) {
        Problems problems;
        Json config = plain(type.c_str());
        config["is_decoder"] = true; // BERT and its kin are encoders otherwise
        importArchitecture(config, "", problems);
        for (const Problem& problem : problems) {
            if (problem.code == "unread-field") continue; // the plain config has fields that the type has not
            EXPECT_EQ(problem.code, "missing-config-field") << type << ": " << toText(problem);
            EXPECT_FALSE(problem.mend.empty());
        }
        EXPECT_EQ(table.refusal(type), nullptr) << type;
    }
}

TEST(ArchitectureTable, DamageIsNamed) {
    for (const char* text : {"", "[]", R"({"format": "orrery-architectures/1"})", R"({"format": "other/1"})"}) EXPECT_THROW(ArchitectureTable::fromText(text), std::runtime_error) << text;
    Json document = Json::parse(ArchitectureTable::shippedText());
    document["types"].push_back({{"type", "orphan"}, {"like", "nobody"}});
    EXPECT_THROW(ArchitectureTable::fromText(document.dump()), std::runtime_error);
}

// What configs leave out is the type's own: google/gemma-3-4b-it names neither heads nor vocabulary.
TEST(ArchitectureTable, GemmaThreesOwnDefaultsAndWrappers) {
    const Json wrapper = Json::parse(R"({"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"], "vision_config": {"hidden_size": 1152},
        "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}})");
    Problems problems;
    const std::optional<Architecture> a = importArchitecture(wrapper, "/model/config", problems);
    ASSERT_TRUE(a);
    EXPECT_EQ(a->heads, 8);
    EXPECT_EQ(a->kvHeads, 4);
    EXPECT_EQ(a->headDim, 256);
    EXPECT_NEAR(a->parameters(), 3.880e9, 0.002e9) << "4.30 B with its 0.42 B of vision";
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].code, "text-alone");
    EXPECT_EQ(problems[0].severity, Severity::warning);
    // The same under another wrapper's key, and flat.
    Json other{{"model_type", "internvl_chat"}, {"llm_config", wrapper.at("text_config")}};
    EXPECT_EQ(read(other).parameters(), a->parameters());
    EXPECT_EQ(read(wrapper.at("text_config")).parameters(), a->parameters());
}

// The types of transformers' causal language models (modeling_auto.py of January 2026): which run, and why the others don't.
TEST(ArchitectureTable, MostCausalTypesOfTransformersRun) {
    const char* listed = "afmoe apertus arcee aria_text bamba bart bert bert-generation big_bird bigbird_pegasus biogpt bitnet blenderbot blenderbot-small bloom blt camembert code_llama codegen cohere cohere2 cpmant ctrl "
                         "cwm data2vec-text dbrx deepseek_v2 deepseek_v3 diffllama doge dots1 electra ernie ernie4_5 ernie4_5_moe exaone4 falcon falcon_h1 falcon_mamba flex_olmo gemma gemma2 gemma3_text gemma3n_text "
                         "git glm glm4 glm4_moe gpt-sw3 gpt2 gpt_bigcode gpt_neo gpt_neox gpt_neox_japanese gpt_oss gptj granite granitemoe granitemoehybrid granitemoeshared helium hunyuan_v1_dense hunyuan_v1_moe jais2 "
                         "jamba jetmoe lfm2 lfm2_moe llama llama4_text longcat_flash mamba mamba2 marian mbart megatron-bert minimax ministral ministral3 mistral mixtral mllama modernbert-decoder moshi mpt musicgen "
                         "musicgen_melody mvp nanochat nemotron olmo olmo2 olmo3 olmoe openai-gpt opt pegasus persimmon phi phi3 phi4_multimodal phimoe plbart prophetnet qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next "
                         "recurrent_gemma reformer rembert roberta roberta-prelayernorm roc_bert roformer rwkv seed_oss smollm3 stablelm starcoder2 trocr vaultgemma whisper xglm xlm xlm-roberta xlm-roberta-xl xlnet xlstm "
                         "xmod zamba zamba2 deepseek_v32 deepseek_v4 exaone_moe gemma4_text glm4_moe_lite glm_moe_dsa hy_v3 kimi_linear laguna minimax_m2 mistral4 nemotron_h olmo_hybrid qwen3_5_moe_text qwen3_5_text solar_open "
                         "youtu";
    const ArchitectureTable& table = ArchitectureTable::shipped();
    std::istringstream names(listed);
    int decoders = 0, run = 0, withEncoders = 0;
    for (std::string name; names >> name;) {
        const std::string* why = table.refusal(name);
        if (why && *why == "an encoder with a decoder") {
            ++withEncoders;
            continue;
        }
        ++decoders;
        if (table.row(name)) ++run;
        else std::cout << "  " << name << ": " << (why ? *why : "unknown") << "\n";
        EXPECT_TRUE(table.row(name) || why) << name << " is refused by name";
    }
    std::cout << "  " << run << " of " << decoders << " run, " << withEncoders << " have encoders\n";
    EXPECT_GE(run, 0.85 * decoders);
}

TEST(ArchitectureTable, EncodersRunWhereTheyDecode) {
    Json config = plain("bert");
    config.erase("num_key_value_heads");
    Problems problems;
    EXPECT_FALSE(importArchitecture(config, "", problems));
    config["is_decoder"] = true;
    config["max_position_embeddings"] = 32;
    const Architecture a = read(config);
    EXPECT_EQ(a.parameters(), 6 * (4 * 64 * 64 + 4 * 64 + 2 * 64 * 96 + 96 + 64 + 4 * 64) + 1000 * 64 + 32 * 64 + 2 * 64 + 1000.0);
}

// transformers saves of an inner part what differs from its type's defaults: LLaVA-NeXT's text part is Vicuna-7B with a longer vocabulary.
TEST(ArchitectureTable, AnInnerPartTakesItsTypesDefaults) {
    const Json config = Json::parse(R"({"model_type": "llava_next", "text_config": {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 32064}})");
    const Architecture a = read(config);
    EXPECT_EQ(a.layers, 32);
    EXPECT_NEAR(a.parameters(), 6.739e9, 1e6);
    Problems problems;
    EXPECT_FALSE(importArchitecture(config.at("text_config"), "", problems)) << "a config of its own says its sizes";
}

TEST(ArchitectureTable, AnUnknownTypeOfAKnownClassRunsAsThat) {
    Problems problems;
    Json config = plain("deepseek_ref");
    config["architectures"] = {"Qwen3ForCausalLM"};
    const std::optional<Architecture> a = importArchitecture(config, "", problems);
    ASSERT_TRUE(a);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].code, "architecture-by-likeness");
    EXPECT_EQ(a->parameters(), read(plain("qwen3")).parameters());
}

TEST(ArchitectureTable, OneThingSaidByTwoNamesIsNoUnreadField) {
    Json config = plain("deepseek_v3");
    config.update(Json{{"kv_lora_rank", 16}, {"qk_nope_head_dim", 8}, {"qk_rope_head_dim", 8}, {"v_head_dim", 8}, {"n_routed_experts", 8}, {"num_experts_per_tok", 2}, {"moe_intermediate_size", 16}, {"num_experts", 8}});
    read(config);
    config["num_experts"] = 4;
    Problems problems;
    EXPECT_FALSE(importArchitecture(config, "", problems));
    EXPECT_EQ(problems.back().pointer, "/num_experts");
}

TEST(ArchitectureTable, AnUnknownTypeRunsAsWhatItLooksLikeAndSaysSo) {
    Problems problems;
    const std::optional<Architecture> a = importArchitecture(plain("unheard_of"), "", problems);
    ASSERT_TRUE(a);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].code, "architecture-by-likeness");
    Json same = plain("llama");
    EXPECT_EQ(a->parameters(), read(same).parameters());
    Json experts = plain("unheard_of");
    experts.update(Json{{"num_local_experts", 8}, {"num_experts_per_tok", 2}});
    EXPECT_TRUE(read(experts).experts);
}

TEST(ArchitectureTable, ABareModelHasNoOutputMatrix) {
    Json config = plain("mistral");
    const double whole = read(config).parameters();
    for (const char* name : {"MistralModel", "MistralForSequenceClassification"}) {
        config["architectures"] = {name};
        EXPECT_EQ(read(config).parameters(), whole - 64000) << name;
    }
    config["architectures"] = {"MistralForCausalLM"};
    EXPECT_EQ(read(config).parameters(), whole);
}

TEST(ArchitectureTable, StoredFormatsAreRead) {
    const auto stored = [](const char* text) {
        Json config = plain("llama");
        config["quantization_config"] = Json::parse(text);
        return read(config).storedAs;
    };
    EXPECT_EQ(stored(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"), "fp8");
    EXPECT_EQ(stored(R"({"quant_method": "awq", "bits": 4, "group_size": 128})"), "int4");
    EXPECT_EQ(stored(R"({"quant_method": "gptq", "bits": 8})"), "int8");
    EXPECT_EQ(stored(R"({"quant_method": "mxfp4"})"), "mxfp4");
    EXPECT_EQ(stored(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"), "nvfp4");
    EXPECT_EQ(stored(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})"), "nf4");
    EXPECT_EQ(stored(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}})"), "fp8");
    EXPECT_EQ(stored(R"({"quant_method": "of my own"})"), "");
}

} // namespace
} // namespace orrery::architecture_table
