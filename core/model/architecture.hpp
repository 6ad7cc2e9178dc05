#pragma once

#include "core/base/json.hpp"
#include "core/base/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace orrery {

enum class NormKind { layer_norm, rms_norm };
enum class PositionKind { none, learned, rotary, alibi };
enum class ActivationKind { gelu, relu, silu };

/// A dense decoder transformer, read from a Hugging Face config. Counts are of the whole, unsharded model.
struct Architecture {
    std::string modelType; ///< Hugging Face's `model_type`
    std::int64_t layers = 0;
    std::int64_t hidden = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t ffn = 0;
    std::int64_t vocabulary = 0;
    std::int64_t maxPositions = 0; ///< 0 when the config names none
    std::int64_t embeddingWidth = 0; ///< OPT's word_embed_proj_dim; equals `hidden` otherwise
    std::int64_t slidingWindow = 0;  ///< 0: full attention
    NormKind norm = NormKind::layer_norm;
    PositionKind positions = PositionKind::none;
    std::int64_t positionRows = 0; ///< rows of a learned position table that positions read (OPT stores two more)
    ActivationKind activation = ActivationKind::gelu;
    bool gatedMlp = false;
    bool tiedEmbedding = false;
    bool qkvBias = false;
    bool attentionOutputBias = false;
    bool mlpBias = false;
    bool normBias = false;
    bool parallelAttention = false; ///< attention and MLP read the same normed input and are added together
    int normsPerLayer = 2;
    bool finalNorm = true;
    bool embeddingNorm = false; ///< BLOOM's norm after the embedding
    bool logitBias = false;
    double attentionDropout = 0;
    double hiddenDropout = 0;

    /// Parameters of one transformer layer, of the embeddings and of the head, in elements.
    double layerParameters() const;
    double embeddingParameters() const; ///< token and position tables, projections, embedding norm
    double headParameters() const;      ///< final norm and, when not tied, the output matrix
    double parameters() const;          ///< all of it
};

/// Reads a Hugging Face `config.json`. Unknown architectures and missing fields become problems below `pointer`.
std::optional<Architecture> readArchitecture(const Json& config, const std::string& pointer, Problems& problems);

} // namespace orrery
