// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/model/config_reader.hpp"
#include "core/model/layer_pattern.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

// Beyond these a number is a typing mistake, and products of sizes would leave what a double holds exactly.
constexpr std::int64_t mostLayers = 100'000;
constexpr std::int64_t mostWidth = 10'000'000;
constexpr std::int64_t mostHeads = 100'000;
constexpr std::int64_t mostExperts = 100'000;
constexpr std::int64_t mostVocabulary = 1'000'000'000;
constexpr std::int64_t mostPositions = 1'000'000'000;

enum class MlpWidth { required,
                      four_times_hidden,
                      only_with_dense_layers };

/// How the config of one `model_type` is read: what its fields are called, what holds where they are missing, and what is
/// particular to it.
struct Family {
    const char* modelType;
    const char* className; ///< stands in `architectures` where `model_type` is missing
    Architecture defaults{};
    void (*finish)(const ConfigReader&, Architecture&) = nullptr;
    MlpWidth mlpWidth = MlpWidth::required;
    FieldName hidden{"hidden_size"};
    FieldName layers{"num_hidden_layers"};
    FieldName heads{"num_attention_heads"};
    FieldName kvHeads{"num_key_value_heads"}; ///< no name: as many as heads; a path: `finish` reads it, problems name it
    FieldName headDim{"head_dim"};
    FieldName ffn{"intermediate_size"};
    FieldName maxPositions{"max_position_embeddings"};
    FieldName activation{"hidden_act"};
    FieldName attentionDropout{"attention_dropout"};
    FieldName hiddenDropout{nullptr};
};

const std::vector<Family>& denseFamilies();
const std::vector<Family>& expertFamilies();

/// A GPT as Megatron-LM's arguments describe it (`model_type` "megatron_gpt", keys of its TransformerConfig): each choice stands by
/// itself, so that what no Hugging Face type has is not forced into one.
Architecture megatronDefaults();
void finishMegatron(const ConfigReader& config, Architecture& a);

/// Llama's layer: rotary positions, RMS norms, a gated MLP with SiLU.
Architecture gatedRotary();

/// `attention_bias` and `mlp_bias`, as Llama reads them.
void readBiases(const ConfigReader& config, Architecture& a);
/// Qwen's window: only with `use_sliding_window`, and only from layer `max_window_layers` on.
LayerList readQwenLayers(const ConfigReader& config, const Architecture& a);

} // namespace orrery
