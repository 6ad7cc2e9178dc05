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
    const double h = number(a.hidden);
    const double query = number(a.heads * a.headDim), context = number(a.heads * a.valueDim());
    const double key = number(a.kvHeads * a.headDim), value = kind.keyIsValue ? 0 : number(a.kvHeads * a.valueDim());
    const double gate = a.outputGate ? context : 0;
    double total = h * (query + key + value + gate) + context * h;
    if (a.qkvBias) total += query + key + value + gate;
    if (a.qkNorm == QkNorm::per_head) total += 2 * normParameters(a, number(a.headDim));
    if (a.qkNorm == QkNorm::whole) total += normParameters(a, query) + normParameters(a, key);
    if (a.attentionSinks || kind.sinks) total += number(a.heads);
    return total;
}

/// Queries of the small heads (from the queries' latent where there is one), the shared key with its norm, and the heads' weights.
double indexerParameters(const Architecture& a, const Indexer& indexer) {
    const double from = a.latent && a.latent->queryRank > 0 ? number(a.latent->queryRank) : number(a.hidden);
    const double dim = number(indexer.dim), heads = number(indexer.heads);
    return from * heads * dim + number(a.hidden) * (dim + heads) + 2 * dim;
}

double attentionParameters(const Architecture& a, const LayerKind& kind) {
    double total = a.latent ? latentAttentionParameters(a, *a.latent) : headAttentionParameters(a, kind);
    if (a.attentionOutputBias) total += number(a.hidden);
    if (kind.reach == AttentionReach::selected && kind.indexer && a.indexer) total += indexerParameters(a, *a.indexer);
    return total;
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
    double total = number(visited) * widthParameters(a, number(a.expertWidth()), experts.ffn, experts.bias) + h * count;
    if (experts.latent > 0) total += 2 * h * number(experts.latent);
    if (experts.routerBias) total += count;
    if (experts.balancingBias) total += count;
    if (experts.sharedFfn > 0) total += mlpParameters(a, experts.sharedFfn, a.mlpBias);
    if (experts.sharedGate) total += h;
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
    return mixerParameters(a, kind) + feedForward + norms * normParameters(a, number(a.hidden));
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
    const double inputs = convolved() * double(kernel > 0 ? kernel - 1 : 0);
    return stateBytes * double(heads) * double(keyDim) * double(valueDim) + inputBytes * inputs;
}

bool LayerKind::mixesAs(const LayerKind& other) const {
    return reach == other.reach && span == other.span && mixer == other.mixer && indexer == other.indexer && kvHeads == other.kvHeads && headDim == other.headDim &&
           keyIsValue == other.keyIsValue;
}

Architecture Architecture::ofKind(const LayerKind& kind) const {
    Architecture own = *this;
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
    return total;
}

double Architecture::headParameters() const {
    const double h = number(hidden);
    const double width = number(embeddingWidth);
    const double rows = number(vocabulary);
    double total = finalNorm ? normParameters(*this, h) : 0;
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
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) total += number(layersOf(kind)) * activeLayerParameters(kinds[kind]);
    return total;
}

double Architecture::nextTokenParameters() const {
    // Norms of the hidden state and of the next token's embedding, the projection of both, a layer, and a final norm.
    const double h = number(hidden);
    const double module = 3 * normParameters(*this, h) + 2 * h * h + layerParameters(nextTokenKind());
    return number(nextTokenModules) * module;
}

} // namespace orrery
