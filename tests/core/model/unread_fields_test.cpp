// SPDX-License-Identifier: GPL-3.0-or-later
// Fields that nobody reads and that are about layers by their names are told; those of real models are read or known to change nothing.
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/model/architecture.hpp"
#include "resources/shipped_catalog.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

std::vector<std::string> unreadOf(const Json& config) {
    Problems problems;
    (void)importArchitecture(config, "", problems);
    std::vector<std::string> fields;
    for (const Problem& problem : problems)
        if (problem.code == "unread-field") {
            EXPECT_EQ(problem.severity, Severity::warning);
            EXPECT_FALSE(problem.mend.empty());
            fields.push_back(problem.pointer);
        }
    return fields;
}

Json plainConfig() {
    return {{"model_type", "llama"}, {"hidden_size", 1024}, {"num_hidden_layers", 8}, {"num_attention_heads", 16}, {"num_key_value_heads", 4}, {"intermediate_size", 4096}, {"vocab_size", 32000}, {"max_position_embeddings", 4096}, {"tie_word_embeddings", false}};
}

TEST(UnreadFields, OnesAboutLayersAreTold) {
    EXPECT_TRUE(unreadOf(plainConfig()).empty());
    for (const auto& [field, value] : {std::pair<const char*, Json>{"expert_ffn_width", 2048}, {"moe_every", 2}, {"kv_merge_every", 4}, {"ssm_width", 64}, {"adapter_lora_rank", 32}, {"conv_kernel", 4}, {"sub_layer_types", Json::array({"a", "b"})}, {"use_gated_attention", true}}) {
        Json config = plainConfig();
        config[field] = value;
        EXPECT_EQ(unreadOf(config), std::vector<std::string>{std::string("/") + field}) << field;
    }
}

TEST(UnreadFields, OnesThatSayNothingOrRepeatAreNot) {
    for (const auto& [field, value] : {std::pair<const char*, Json>{"expert_ffn_width", 0}, {"moe_every", nullptr}, {"use_gated_attention", false}, {"swa_num_attention_heads", 16}, {"learning_rate", 3e-4}, {"hidden_act", "silu"}, {"torch_dtype", "bfloat16"}}) {
        Json config = plainConfig();
        config[field] = value;
        EXPECT_TRUE(unreadOf(config).empty()) << field;
    }
    Json config = plainConfig();
    config["swa_num_attention_heads"] = 32; // other heads in some layers: no repetition
    EXPECT_EQ(unreadOf(config).size(), 1u);
}

TEST(UnreadFields, TheCataloguesModelsHaveNone) {
    std::size_t models = 0;
    const auto& catalog = shippedCatalog();
    for (const ModelEntry& preset : catalog.models()) {
        ++models;
        EXPECT_TRUE(unreadOf(*preset.config).empty()) << preset.id;
    }
    EXPECT_GT(models, 100u);
}

} // namespace
} // namespace orrery
