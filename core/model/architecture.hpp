// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

enum class NormKind { layer_norm,
                      rms_norm };
/// Where a layer norms: what its attention and MLP read, what they give (OLMo 2), or both (Gemma 2).
enum class NormPlacement { before,
                           after,
                           around };
/// How queries and keys are normed: not at all, each head by one weight vector that all heads share, the whole width by one
/// vector (OLMo 2), or each head without weights (Llama 4).
enum class QkNorm { none,
                    per_head,
                    whole,
                    unweighted };
enum class PositionKind { none,
                          learned,
                          rotary,
                          alibi };
enum class ActivationKind { gelu,
                            relu,
                            silu,
                            squared_relu };
/// Which keys a query sees: all before it, the last `span`, or those of its own block of `span`.
enum class AttentionReach { all,
                            window,
                            chunk };

/// DeepSeek's multi-head latent attention (arXiv 2405.04434, section 2.1): queries, keys and values come out of narrow latents.
struct LatentAttention {
    std::int64_t queryRank = 0; ///< 0: queries come straight from the hidden state
    std::int64_t keyValueRank = 0;
    std::int64_t plainDim = 0;  ///< of a head's query and key, the part without position
    std::int64_t rotaryDim = 0; ///< and the part with it, which all heads' keys share
    std::int64_t valueDim = 0;
};

/// What stands in an expert layer's place of the MLP. Widths are of one expert.
struct Experts {
    std::int64_t count = 0;
    std::int64_t perToken = 0; ///< routed experts that each token visits
    std::int64_t ffn = 0;
    std::int64_t sharedFfn = 0; ///< width of what every token visits besides; 0: nothing
    bool sharedGate = false;    ///< a sigmoid of the hidden state scales what the shared expert gives (Qwen2-MoE)
    bool bias = false;          ///< of the routed experts' matrices
    bool routerBias = false;
    bool balancingBias = false; ///< one number an expert that steers the choice and gets no gradient (DeepSeek-V3)
    bool routerInFp32 = false;
    bool clamped = false;            ///< what gate and up give is clamped before the activation (gpt-oss)
    std::uint8_t groups = 1;         ///< experts stand in as many equal groups, of which a token visits only some
    std::uint8_t groupsPerToken = 1; ///< (DeepSeek-V3, arXiv 2412.19437, section 2.1.2: node-limited routing)
};

/// What layers may differ in; all else is common to a model's layers.
struct LayerKind {
    bool experts = false;
    AttentionReach reach = AttentionReach::all;
    std::int64_t span = 0; ///< tokens of a window or chunk
    bool rotary = true;    ///< false in Llama 4's layers without positions
    bool operator==(const LayerKind&) const = default;
};

/// A decoder transformer, read from a Hugging Face config. Counts are of the whole, unsharded model.
struct Architecture {
    std::string modelType; ///< Hugging Face's `model_type`
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0; ///< of a query; values of latent attention have their own
    std::int64_t ffn = 0;     ///< of a dense layer's MLP; 0 in a model that has none
    std::int64_t vocabulary = 0;
    std::int64_t maxPositions = 0;   ///< 0 when the config names none
    std::int64_t embeddingWidth = 0; ///< OPT's word_embed_proj_dim; equals `hidden` otherwise
    NormKind norm = NormKind::layer_norm;
    NormPlacement normPlacement = NormPlacement::before;
    QkNorm qkNorm = QkNorm::none;
    PositionKind positions = PositionKind::none;
    std::int64_t positionRows = 0; ///< rows of a learned position table that positions read (OPT stores two more)
    ActivationKind activation = ActivationKind::gelu;
    bool gatedMlp = false;
    bool tiedEmbedding = false;
    bool qkvBias = false; ///< of latent attention: of the matrices that go down to the latents
    bool attentionOutputBias = false;
    bool attentionSinks = false; ///< one learned logit a head that takes part in the softmax (gpt-oss)
    bool mlpBias = false;
    bool normBias = false;
    bool parallelAttention = false; ///< attention and MLP read the same normed input and are added together
    int inputNorms = 2;             ///< norms before attention and MLP: 1 when a parallel layer shares one
    bool finalNorm = true;
    bool embeddingNorm = false; ///< BLOOM's norm after the embedding
    bool logitBias = false;
    bool logitSoftcap = false; ///< logits pass c·tanh(x/c)
    double attentionDropout = 0;
    double hiddenDropout = 0;
    std::optional<LatentAttention> latent;
    std::optional<Experts> experts;
    std::int64_t nextTokenModules = 0; ///< DeepSeek-V3's multi-token prediction (arXiv 2412.19437, section 2.2)

    std::vector<LayerKind> kinds{LayerKind{}}; ///< distinct ones, in the order in which layers need them
    std::vector<std::uint32_t> kindByLayer;    ///< index into `kinds`; empty when all layers are of the first

    std::size_t kindIndex(std::int64_t layer) const;
    const LayerKind& kindOf(std::int64_t layer) const { return kinds[kindIndex(layer)]; }
    std::int64_t layersOf(std::size_t kind) const;
    /// A multi-token prediction module has a layer like the model's last.
    const LayerKind& nextTokenKind() const { return kindOf(layers - 1); }

    std::int64_t valueDim() const { return latent ? latent->valueDim : headDim; }

    /// In elements. `parameters` leaves multi-token prediction out, as published counts do (DeepSeek-V3: 671 B, and 14 B
    /// more with it); a module shares embedding and output matrix with the model, so they don't count again.
    double layerParameters(const LayerKind& kind) const;
    double activeLayerParameters(const LayerKind& kind) const; ///< with the experts of one token
    double embeddingParameters() const;                        ///< token and position tables, projections, embedding norm
    double headParameters() const;                             ///< final norm and, when not tied, the output matrix
    double parameters() const;                                 ///< all of it
    double activeParameters() const;                           ///< what one token meets, embedding and head whole
    double nextTokenParameters() const;                        ///< of all multi-token prediction modules
};

/// Reads a Hugging Face `config.json`. Problems stand below `pointer`: unknown model types, missing fields, and fields that
/// ask for layers which are not known (Mamba, sparse or linear attention, a vision part).
std::optional<Architecture> importArchitecture(const Json& config, const std::string& pointer, Problems& problems);

} // namespace orrery
