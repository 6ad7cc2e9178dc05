// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/architecture.hpp"

#include <algorithm>

namespace orrery {
namespace {

double number(std::int64_t count) { return static_cast<double>(count); }

double normParameters(const Architecture& a, double width) { return a.normBias ? 2 * width : width; }

double latentAttentionParameters(const Architecture& a, const LatentAttention& latent) {
    const double h = number(a.hidden), heads = number(a.heads);
    const double queryRank = number(latent.queryRank), keyValueRank = number(latent.keyValueRank);
    const double query = heads * number(latent.plainDim + latent.rotaryDim);
    double total = queryRank > 0 ? h * queryRank + normParameters(a, queryRank) + queryRank * query : h * query;
    total += h * (keyValueRank + number(latent.rotaryDim)) + normParameters(a, keyValueRank);
    total += keyValueRank * heads * number(latent.plainDim + latent.valueDim);
    if (a.qkvBias) total += queryRank + keyValueRank + number(latent.rotaryDim);
    if (a.outputGate) total += h * heads * number(latent.valueDim);
    return total + heads * number(latent.valueDim) * h;
}

double headAttentionParameters(const Architecture& a, const LayerKind& kind) {
    const double h = number(a.hidden), rank = number(a.queryRank);
    const double query = number(a.heads * a.headDim), context = number(a.heads * a.valueDim());
    const double key = kind.cacheShared ? 0 : number(a.kvHeads * a.headDim), value = kind.keyIsValue || kind.cacheShared ? 0 : number(a.kvHeads * a.valueDim());
    const double gate = a.outputGate ? context : 0;
    double total = h * (query + key + value + gate) + context * h;
    if (rank > 0) total += h * rank + normParameters(a, rank) + (rank - h) * query;
    if (a.qkvBias) total += query + key + value + gate;
    if (a.qkNorm == QkNorm::per_head) total += (kind.cacheShared ? 1 : 2) * normParameters(a, number(a.headDim));
    if (a.qkNorm == QkNorm::whole) total += normParameters(a, query) + normParameters(a, key);
    if (a.attentionSinks || kind.sinks) total += number(a.heads);
    return total;
}

/// What lays the keys of `ratio` tokens into one of `dim`: what is laid together and how much of each, both twice as wide where neighbours overlap; a
/// learned place of each token among them, and a norm.
double compressorParameters(const Architecture& a, const LayerKind& kind, double dim) {
    const double width = (kind.overlaps() ? 2 : 1) * dim;
    return 2 * number(a.hidden) * width + number(kind.compression) * width + normParameters(a, dim);
}

double compressedAttentionParameters(const Architecture& a, const CompressedAttention& c, const LayerKind& kind) {
    const double h = number(a.hidden), rank = number(a.queryRank), width = number(a.heads * a.headDim), key = number(a.headDim), given = number(c.outputGroups * c.outputRank);
    double total = h * rank + normParameters(a, rank) + rank * width + h * key + normParameters(a, key) + width * number(c.outputRank) + given * h;
    if (a.attentionSinks) total += number(a.heads);
    if (kind.compression > 0) total += compressorParameters(a, kind, key);
    if (kind.compression > 0 && kind.hasIndexer())
        total += compressorParameters(a, kind, number(a.indexer->dim)) + rank * number(a.indexer->heads * a.indexer->dim) + h * number(a.indexer->heads);
    return total;
}

/// Queries of the small heads (from the queries' latent where there is one), the shared key with its norm, and the heads' weights.
double indexerParameters(const Architecture& a, const Indexer& indexer) {
    const double from = a.latent && a.latent->queryRank > 0 ? number(a.latent->queryRank) : number(a.hidden);
    const double dim = number(indexer.dim), heads = number(indexer.heads);
    return from * heads * dim + number(a.hidden) * (dim + heads) + 2 * dim;
}

double attentionParameters(const Architecture& a, const LayerKind& kind) {
    if (a.compressed) return compressedAttentionParameters(a, *a.compressed, kind);
    double total = a.latent ? latentAttentionParameters(a, *a.latent) : headAttentionParameters(a, kind);
    if (a.attentionOutputBias) total += number(a.hidden);
    if (kind.reach == AttentionReach::selected && kind.indexer && a.indexer) total += indexerParameters(a, *a.indexer);
    return total;
}

/// What RWKV-7's products from the hidden state leave out: how much of the token before goes into each of the seven that read one; decays, learning
/// rates, values of the first layer and gates through narrow products, all but the last with a bias; three vectors of the keys' width, and a norm.
double rwkv7Parameters(const Architecture& a, const StateMixer& s) {
    const double h = number(a.hidden), keys = s.keyWidth(), values = s.valueWidth();
    const auto narrow = [&](std::int64_t rank, double width, bool bias) { return number(rank) * (h + width) + (bias ? width : 0); };
    return 7 * h + narrow(s.decayRank, keys, true) + narrow(s.rateRank, keys, true) + narrow(s.valueRank, values, true) + narrow(s.gateRank, values, false) + 3 * keys + 2 * values;
}

double stateParameters(const Architecture& a, const StateMixer& s) {
    const double h = number(a.hidden), heads = number(s.heads), keys = s.keyWidth(), values = s.valueWidth();
    double total = h * s.projected() + values * h + s.convolved() * (number(s.kernel) + (s.convolutionBias ? 1 : 0));
    if (s.projectionBias) total += s.projected() + h;
    switch (s.rule) {
    case StateRule::gated_delta: total += 2 * heads; break;
    case StateRule::key_gated_delta:
        total += heads + keys + (h + keys) * number(s.keyDim);
        if (s.gateRank > 0) total += (h + values) * number(s.gateRank);
        break;
    case StateRule::mamba2: total += 3 * heads; break;
    case StateRule::mamba1:
        total += values * (number(s.gateRank) + 2 * number(s.keyDim)) + number(s.gateRank) * values + values + values * number(s.keyDim) + values;
        if (s.innerNorms) total += number(s.gateRank) + 2 * number(s.keyDim);
        return total;
    case StateRule::lightning: break;
    case StateRule::convolution: return total;
    case StateRule::rwkv7: return total + rwkv7Parameters(a, s);
    }
    const bool ofHead = s.rule == StateRule::gated_delta || s.rule == StateRule::key_gated_delta;
    return s.outputNorm ? total + (ofHead ? number(s.valueDim) : values) : total;
}

/// Parameters of an MLP whose input and output have `outer` elements a token.
double widthParameters(const Architecture& a, double outer, std::int64_t width, bool bias) {
    const double f = number(width);
    const double inner = a.gatedMlp ? 2 * f : f;
    double total = outer * inner + f * outer;
    if (bias) total += inner + outer;
    return total;
}

double mlpParameters(const Architecture& a, std::int64_t width, bool bias) { return widthParameters(a, number(a.hidden), width, bias); }

/// With `visited` of the routed experts.
double expertParameters(const Architecture& a, const Experts& experts, std::int64_t visited) {
    const double h = number(a.hidden), count = number(experts.count);
    double total = number(visited) * widthParameters(a, number(a.expertWidth()), experts.ffn, experts.bias) + h * (count + number(experts.idle));
    if (experts.latent > 0) total += 2 * h * number(experts.latent);
    if (experts.routerBias) total += count + number(experts.idle);
    if (experts.balancingBias) total += count;
    if (experts.sharedFfn > 0) total += mlpParameters(a, experts.sharedFfn, a.mlpBias);
    if (experts.sharedGate) total += h;
    return total;
}

/// What a layer has beside its blocks: the mixtures of its streams, its own input, the narrow product beside attention.
double besideBlocks(const Architecture& a) {
    const double h = number(a.hidden);
    double total = 0;
    if (a.streams) {
        const double n = number(a.streams->count), mixtures = a.streams->mixtures();
        // Numbers from all streams with their bias and three scales before either block; or a norm, what tells the streams' weights, both mixtures, a scale.
        total += a.streams->rule == ResidualStreams::Rule::hyper_connections ? 2 * (mixtures * (n * h + 1) + 3) : 2 * h + h * n + n * n * n + n * n;
    }
    if (a.layerInputs) total += 2 * h * number(a.layerInputs->width) + normParameters(a, h);
    if (a.residualRank > 0) total += 2 * h * number(a.residualRank) + normParameters(a, h);
    return total;
}

/// `a` has the sizes of the kind.
double mixerParameters(const Architecture& a, const LayerKind& kind) {
    double total = kind.attends() ? attentionParameters(a, kind) : 0;
    if (kind.keepsState()) total += stateParameters(a, *a.state);
    return total;
}

double layerWith(const Architecture& model, const LayerKind& kind, std::int64_t visited) {
    const Architecture own = kind.ownSizes() ? model.ofKind(kind) : Architecture{};
    const Architecture& a = kind.ownSizes() ? own : model;
    const int parts = (kind.mixer != MixerKind::none) + kind.feedForward;
    const int norms = a.parallelAttention ? a.inputNorms : a.normPlacement == NormPlacement::around ? 2 * parts
                                                                                                    : parts;
    const double feedForward = !kind.feedForward ? 0 : kind.experts ? expertParameters(a, *a.experts, visited)
                                                                    : mlpParameters(a, a.ffn, a.mlpBias);
    return mixerParameters(a, kind) + feedForward + norms * normParameters(a, number(a.hidden)) + besideBlocks(a);
}

} // namespace

double StateMixer::projected() const {
    switch (rule) {
    case StateRule::gated_delta: return 2 * keyWidth() + 2 * valueWidth() + 2 * double(heads);
    case StateRule::key_gated_delta: return 2 * keyWidth() + valueWidth() + double(heads) + (gateRank > 0 ? 0 : valueWidth());
    case StateRule::mamba2: return 2 * keyWidth() + 2 * valueWidth() + double(heads);
    case StateRule::mamba1: return 2 * valueWidth();
    case StateRule::lightning: return 2 * keyWidth() + 2 * valueWidth();
    case StateRule::convolution: return 3 * valueWidth();
    case StateRule::rwkv7: return 2 * keyWidth() + valueWidth();
    }
    return 0;
}

double StateMixer::convolved() const {
    if (kernel == 0) return 0;
    const bool alone = rule == StateRule::mamba1 || rule == StateRule::convolution;
    return alone ? valueWidth() : 2 * keyWidth() + valueWidth();
}

double StateMixer::keptBytes() const {
    constexpr double stateBytes = 4, inputBytes = 2;
    double inputs = convolved() * double(kernel > 0 ? kernel - 1 : 0);
    if (rule == StateRule::rwkv7) inputs = 2 * valueWidth(); // the token before, of the mixer and of the MLP
    return stateBytes * double(heads) * double(keyDim) * double(valueDim) + inputBytes * inputs;
}

bool LayerKind::mixesAs(const LayerKind& other) const {
    return reach == other.reach && span == other.span && mixer == other.mixer && indexer == other.indexer && kvHeads == other.kvHeads && headDim == other.headDim &&
           keyIsValue == other.keyIsValue && heads == other.heads && cacheShared == other.cacheShared && compression == other.compression && picked == other.picked;
}

Architecture Architecture::ofKind(const LayerKind& kind) const {
    Architecture own = *this;
    if (kind.heads > 0) own.heads = kind.heads;
    if (kind.kvHeads > 0) own.kvHeads = kind.kvHeads;
    if (kind.headDim > 0) own.headDim = kind.headDim;
    if (kind.ffn > 0) own.ffn = kind.ffn;
    own.attentionSinks = attentionSinks || kind.sinks;
    return own;
}

std::size_t Architecture::kindIndex(std::int64_t layer) const {
    return kindByLayer.empty() ? 0 : kindByLayer[static_cast<std::size_t>(layer)];
}

std::int64_t Architecture::layersOf(std::size_t kind) const {
    if (kindByLayer.empty()) return kind == 0 ? layers : 0;
    return std::count(kindByLayer.begin(), kindByLayer.end(), static_cast<std::uint32_t>(kind));
}

double Architecture::layerParameters(const LayerKind& kind) const {
    return layerWith(*this, kind, experts ? experts->count : 0);
}

double Architecture::activeLayerParameters(const LayerKind& kind) const {
    return layerWith(*this, kind, experts ? experts->perToken : 0);
}

double Architecture::embeddingParameters() const {
    const double h = number(hidden);
    const double width = number(embeddingWidth);
    double total = number(vocabulary) * width + number(positionRows) * h;
    if (embeddingWidth != hidden) total += width * h;
    if (embeddingNorm) total += normParameters(*this, h);
    if (layerInputs) total += (number(layerInputs->rows) + h) * number(layers * layerInputs->width) + normParameters(*this, number(layerInputs->width));
    if (streams && streams->rule == ResidualStreams::Rule::alternating) total += number(streams->count - 1) * h * h;
    return total;
}

double Architecture::headParameters() const {
    const double h = number(hidden);
    const double width = number(embeddingWidth);
    const double rows = number(vocabulary);
    double total = finalNorm ? normParameters(*this, h) : 0;
    if (streams) {
        const double n = number(streams->count);
        total += streams->rule == ResidualStreams::Rule::alternating ? (n - 1) * h * h : n * n * h + n + 1;
    }
    if (!outputMatrix) return total;
    if (embeddingWidth != hidden) total += h * width;
    if (!tiedEmbedding) total += rows * width;
    if (logitBias) total += rows;
    return total;
}

double Architecture::parameters() const {
    if (toy) return 0;
    double total = embeddingParameters() + headParameters();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) total += number(layersOf(kind)) * layerParameters(kinds[kind]);
    return total;
}

double Architecture::activeParameters() const {
    if (toy) return 0;
    double total = embeddingParameters() + headParameters();
    if (layerInputs) total -= number(layerInputs->rows - 1) * number(layers * layerInputs->width); // a token meets one row of that table
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) total += number(layersOf(kind)) * activeLayerParameters(kinds[kind]);
    return total;
}

double Architecture::nextTokenParameters() const {
    // Norms of the hidden state and of the next token's embedding, the projection of both, a layer, and a final norm.
    const double h = number(hidden);
    double module = 3 * normParameters(*this, h) + 2 * h * h + layerParameters(nextTokenKind());
    if (streams && streams->rule == ResidualStreams::Rule::hyper_connections) module += number(streams->count) * (number(streams->count) * h + 1) + 1;
    return number(nextTokenModules) * module;
}

} // namespace orrery
