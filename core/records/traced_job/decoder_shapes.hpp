// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/records/traced_job/traced_operators.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A decoder transformer as the shapes of a rank's operators prove it. Counts are of the rank's own part.
struct DecoderShapes {
    std::int64_t hidden = 0;
    std::int64_t layers = 0;             ///< of the rank
    std::int64_t vocabulary = 0;         ///< rows of the embedding on the rank
    std::int64_t heads = 0, kvHeads = 0; ///< on the rank
    std::int64_t headDim = 0;
    std::int64_t ffn = 0;       ///< on the rank
    std::int64_t positions = 0; ///< rows of a learned position table; 0: none
    bool gatedMlp = false;
    bool layerNorm = false;
    bool queryBias = false, outputBias = false, mlpBias = false;
    std::string activation;             ///< "silu", "gelu", "relu"; empty: no operator of such a name
    std::string format;                 ///< of the products of most work: "16", "fp8" or "32" bits; empty: not said
    std::int64_t batch = 0, tokens = 0; ///< of one forward: sequences, and tokens of each
    std::int64_t forwards = 0;          ///< whole ones in the record
    std::int64_t decodes = 0;           ///< forwards of one token a sequence, over a cache
    bool training = false;              ///< there is a backward
    bool recomputed = false;            ///< attention ran again in the backward
    std::string optimizer;              ///< "adam", "sgd"; empty: none was recorded
};

/// What can't be said of the record as a decoder, in words for people: "no attention operator".
struct DecoderProof {
    std::optional<DecoderShapes> shapes;
    std::string missing;
};

/// Finds a decoder in a record's operators: each forward looks up tokens once, every layer attends once and its products fit together.
DecoderProof decoderShapes(const KinetoTrace& trace, const TracedCalls& calls);

/// The model as a config of Hugging Face, for a rank that holds all of it: `tensor` ways cut, `pipeline` stages of equally many layers.
/// `assumed` gets what of it the record does not prove.
BoxedJson decoderConfig(const DecoderShapes& shapes, std::int64_t tensor, std::int64_t pipeline, std::vector<std::string>& assumed);

} // namespace orrery
