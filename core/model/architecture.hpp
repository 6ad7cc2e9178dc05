// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/model/toy_model.hpp"
#include "core/model/vision_tower.hpp"

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
/// Which keys a query sees: all before it, the last `span`, those of its own block of `span`, or the `span` that an indexer picks.
enum class AttentionReach { all,
                            window,
                            chunk,
                            selected };
/// What mixes a layer's tokens: attention over kept keys, a state of constant size, both side by side (Falcon-H1), or nothing: a
/// layer that is an MLP alone (Nemotron-H).
enum class MixerKind : std::uint8_t { attention,
                                      state,
                                      both,
                                      none };

/// DeepSeek's multi-head latent attention (arXiv 2405.04434, section 2.1): queries, keys and values come out of narrow latents.
struct LatentAttention {
    std::int64_t queryRank = 0; ///< 0: queries come straight from the hidden state
    std::int64_t keyValueRank = 0;
    std::int64_t plainDim = 0;  ///< of a head's query and key, the part without position
    std::int64_t rotaryDim = 0; ///< and the part with it, which all heads' keys share
    std::int64_t valueDim = 0;
};

/// How a state takes in a token.
enum class StateRule : std::uint8_t {
    gated_delta,     ///< gated DeltaNet (arXiv 2412.06464): Qwen3-Next
    key_gated_delta, ///< Kimi Delta Attention (arXiv 2510.26692): a decay for each element of a key
    mamba2,          ///< state space duality (arXiv 2405.21060)
    mamba1,          ///< selective scan (arXiv 2312.00752): element by element, without matrix products
    lightning,       ///< linear attention with a decay a head (arXiv 2401.04658): MiniMax-01
    convolution,     ///< a gated short convolution (LFM2): keeps its last inputs, no state
    rwkv7            ///< RWKV-7's generalised delta rule (arXiv 2503.14456): decays, learning rates and gates through narrow products
};

/// A layer's mixer whose memory of a sequence does not grow with it. A head's state is keyDim × valueDim numbers.
struct StateMixer {
    StateRule rule = StateRule::gated_delta;
    std::int64_t heads = 0;    ///< that hold a state each
    std::int64_t keyHeads = 0; ///< that share keys and queries; Mamba-2 calls them groups
    std::int64_t keyDim = 0;   ///< Mamba's state size
    std::int64_t valueDim = 0;
    std::int64_t kernel = 0;                                 ///< of the short convolution before it; 0: none
    std::int64_t gateRank = 0;                               ///< of gates (KDA, RWKV-7) and time steps (Mamba-1) that come through a narrow product; 0: straight
    std::int64_t decayRank = 0, rateRank = 0, valueRank = 0; ///< RWKV-7's other narrow products: of decays, of learning rates, of what is mixed into values
    std::int64_t chunk = 64;                                 ///< tokens that prefill and training take at once
    bool convolutionBias = false;
    bool projectionBias = false;
    bool innerNorms = false; ///< Jamba's, of time step and both sides of the state
    bool outputNorm = true;

    double keyWidth() const { return double(keyHeads) * double(keyDim); }
    double valueWidth() const { return double(heads) * double(valueDim); }
    double convolved() const; ///< channels that the short convolution runs over
    double projected() const; ///< columns of the product from the hidden state
    /// Bytes kept of a sequence: states in fp32, the convolution's last inputs in 16 bit.
    double keptBytes() const;
};

/// What picks the keys that sparse attention meets (DeepSeek-V3.2's lightning indexer): small heads that score all keys, each token's
/// key shared by the heads.
struct Indexer {
    std::int64_t heads = 0;
    std::int64_t dim = 0;
    std::int64_t selected = 0;
};

/// What stands in an expert layer's place of the MLP. Widths are of one expert.
struct Experts {
    std::int64_t count = 0;
    std::int64_t perToken = 0; ///< routed experts that each token visits
    std::int64_t ffn = 0;
    std::int64_t sharedFfn = 0; ///< width of what every token visits besides; 0: nothing
    std::int64_t idle = 0;      ///< places beside the experts that a token may choose too and where nothing is computed (LongCat-Flash)
    std::int64_t latent = 0;    ///< width of what routed experts read and give, one product down and one up beside them (Nemotron-3); 0: the hidden one
    bool sharedGate = false;    ///< a sigmoid of the hidden state scales what the shared expert gives (Qwen2-MoE)
    bool bias = false;          ///< of the routed experts' matrices
    bool routerBias = false;
    bool balancingBias = false; ///< one number an expert that steers the choice and gets no gradient (DeepSeek-V3)
    bool routerInFp32 = false;
    bool clamped = false;            ///< what gate and up give is clamped before the activation (gpt-oss)
    std::uint8_t groups = 1;         ///< experts stand in as many equal groups, of which a token visits only some
    std::uint8_t groupsPerToken = 1; ///< (DeepSeek-V3, arXiv 2412.19437, section 2.1.2: node-limited routing)
};

/// DeepSeek-V4's attention: one head's keys, which are the values too. What attention finds goes back by groups of heads, each through a narrow product
/// of its own. Layers say by `LayerKind::compression` how many tokens beyond the window they meet as one.
struct CompressedAttention {
    std::int64_t rotaryDim = 0;
    std::int64_t outputGroups = 1;
    std::int64_t outputRank = 0; ///< of a group
};

/// Residual streams beside each other, of which every block reads one mixture and to which it gives another.
struct ResidualStreams {
    enum class Rule : std::uint8_t {
        hyper_connections, ///< constrained to doubly stochastic mixtures (arXiv 2512.24880): DeepSeek-V4
        alternating        ///< AltUp (arXiv 2301.13310): Gemma 3n, which computes one stream and predicts the others
    };
    Rule rule = Rule::hyper_connections;
    std::int64_t count = 1;
    std::int64_t rounds = 0; ///< in which rows and columns of a mixture are normed in turn (Sinkhorn and Knopp)

    double mixtures() const { return double(count) * double(count + 2); } ///< numbers a token that a block's mixtures take
};

/// Inputs of each layer's own (Gemma 3n): a table beside the embedding whose row, with a projection of the embedding, gates what the layer adds.
struct LayerInputs {
    std::int64_t width = 0; ///< of one layer's
    std::int64_t rows = 0;
};

/// What layers may differ in; all else is common to a model's layers. Sizes of 0 are the model's.
struct LayerKind {
    bool experts = false;
    AttentionReach reach = AttentionReach::all;
    std::int64_t span = 0; ///< tokens of a window or chunk, or keys that an indexer picks
    bool rotary = true;    ///< false in Llama 4's layers without positions
    MixerKind mixer = MixerKind::attention;
    bool feedForward = true;  ///< false where the mixer is the layer (Nemotron-H)
    bool indexer = true;      ///< of a layer with selected keys: false where it takes an earlier layer's choice (GLM-5.2)
    bool keyIsValue = false;  ///< one product gives both (Gemma 4)
    bool sinks = false;       ///< beside the model's `attentionSinks`: MiMo's windowed layers alone have them
    bool cacheShared = false; ///< meets an earlier layer's keys and values, makes and keeps none (Gemma 3n)
    std::int64_t heads = 0, kvHeads = 0, headDim = 0, ffn = 0;
    std::int64_t compression = 0; ///< tokens that stand as one beyond the window (DeepSeek-V4); 0: none do
    std::int64_t picked = 0;      ///< of these, how many an indexer picks for a token; 0: all are met
    bool operator==(const LayerKind&) const = default;

    bool attends() const { return mixer == MixerKind::attention || mixer == MixerKind::both; }
    bool keepsState() const { return mixer == MixerKind::state || mixer == MixerKind::both; }
    bool ownSizes() const { return heads > 0 || kvHeads > 0 || headDim > 0 || ffn > 0 || sinks; }
    /// Whether what stands as one holds half of the tokens before it too: where one is picked by itself (DeepSeek-V4).
    bool overlaps() const { return picked > 0; }
    bool hasIndexer() const { return compression > 0 ? picked > 0 : reach == AttentionReach::selected && indexer; }
    /// Whether what tokens of different places exchange is the same in both: what follows it may differ.
    bool mixesAs(const LayerKind& other) const;
};

/// A decoder transformer, read from a Hugging Face config. Counts are of the whole, unsharded model.
struct Architecture {
    std::string modelType; ///< Hugging Face's `model_type`
    std::string storedAs;  ///< how `quantization_config` says that the checkpoint's weights lie: "fp8", "int8", "int4", "mxfp4", "nvfp4", "nf4"; empty: in 16 bit
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;      ///< of a query; values of latent attention have their own
    std::int64_t queryRank = 0;    ///< queries of such heads come through a narrow product and a norm (Step-3, DeepSeek-V4); 0: straight
    std::int64_t headValueDim = 0; ///< of a value where it is another one (MiMo-V2); 0: as a query's
    std::int64_t ffn = 0;          ///< of a dense layer's MLP; 0 in a model that has none
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
    bool outputGate = false;     ///< a sigmoid of the hidden state scales what every head gives (Qwen3-Next)
    bool attentionSinks = false; ///< one learned logit a head that takes part in the softmax (gpt-oss)
    bool mlpBias = false;
    bool normBias = false;
    bool parallelAttention = false; ///< attention and MLP read the same normed input and are added together
    int inputNorms = 2;             ///< norms before attention and MLP: 1 when a parallel layer shares one
    bool finalNorm = true;
    bool outputMatrix = true;   ///< false in a model without a head (MistralModel, a classifier): what gives logits is not there
    bool embeddingNorm = false; ///< BLOOM's norm after the embedding
    bool logitBias = false;
    bool logitSoftcap = false; ///< logits pass c·tanh(x/c)
    double attentionDropout = 0;
    double hiddenDropout = 0;
    std::optional<LatentAttention> latent;
    std::optional<CompressedAttention> compressed;
    std::optional<StateMixer> state; ///< of layers that keep one
    std::optional<Indexer> indexer;
    std::optional<Experts> experts;
    std::optional<ResidualStreams> streams;
    std::optional<LayerInputs> layerInputs;
    std::int64_t residualRank = 0; ///< of a narrow product beside attention that learns what is added (LAUREL, arXiv 2411.07501); 0: none
    std::optional<VisionTower> vision;
    std::optional<ToyModel> toy;       ///< stated times in place of all that stands above
    std::int64_t nextTokenModules = 0; ///< DeepSeek-V3's multi-token prediction (arXiv 2412.19437, section 2.2)

    std::vector<LayerKind> kinds{LayerKind{}}; ///< distinct ones, in the order in which layers need them
    std::vector<std::uint32_t> kindByLayer;    ///< index into `kinds`; empty when all layers are of the first

    std::size_t kindIndex(std::int64_t layer) const;
    const LayerKind& kindOf(std::int64_t layer) const { return kinds[kindIndex(layer)]; }
    std::int64_t layersOf(std::size_t kind) const;
    /// A multi-token prediction module has a layer like the model's last.
    const LayerKind& nextTokenKind() const { return kindOf(layers - 1); }

    std::int64_t valueDim() const { return latent ? latent->valueDim : headValueDim > 0 ? headValueDim
                                                                                        : headDim; }
    /// The model with the sizes of one kind of its layers.
    Architecture ofKind(const LayerKind& kind) const;
    /// Elements a token of what layers pass on.
    double passedWidth() const { return double(hidden) * double(streams ? streams->count : 1); }
    /// Width of what routed experts read.
    std::int64_t expertWidth() const { return experts && experts->latent > 0 ? experts->latent : hidden; }

    /// In elements. `parameters` leaves multi-token prediction out, as published counts do (DeepSeek-V3: 671 B, and 14 B
    /// more with it); a module shares embedding and output matrix with the model, so they don't count again.
    double layerParameters(const LayerKind& kind) const;
    double activeLayerParameters(const LayerKind& kind) const; ///< with the experts of one token
    double embeddingParameters() const;                        ///< token and position tables, projections, embedding norm
    double headParameters() const;                             ///< final norm and, when not tied, the output matrix
    double parameters() const;                                 ///< all of it but the vision tower
    double activeParameters() const;                           ///< what one token meets, embedding and head whole
    double nextTokenParameters() const;                        ///< of all multi-token prediction modules
};

class ArchitectureTable; // core/model/architecture_table.hpp

/// Reads a Hugging Face `config.json` by the row of its `model_type` in `table`. Problems stand below `pointer`: unknown types, missing
/// fields, fields that ask for layers which are not known, fields that change the structure and that the row doesn't read. Warnings say
/// what was left out (a vision part) or taken for granted (a type that only its fields tell); with no more than those there is a model.
std::optional<Architecture> importArchitecture(const Json& config, const std::string& pointer, Problems& problems, const ArchitectureTable& table);
/// Reads by the table that is shipped, resources/catalog/architectures.json.
std::optional<Architecture> importArchitecture(const Json& config, const std::string& pointer, Problems& problems);

} // namespace orrery
