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
    return total + heads * number(latent.valueDim) * h;
}

double headAttentionParameters(const Architecture& a) {
    const double h = number(a.hidden);
    const double query = number(a.heads * a.headDim);
    const double key = number(a.kvHeads * a.headDim);
    double total = h * (query + 2 * key) + query * h;
    if (a.qkvBias) total += query + 2 * key;
    if (a.qkNorm == QkNorm::per_head) total += 2 * normParameters(a, number(a.headDim));
    if (a.qkNorm == QkNorm::whole) total += normParameters(a, query) + normParameters(a, key);
    if (a.attentionSinks) total += number(a.heads);
    return total;
}

double attentionParameters(const Architecture& a) {
    double total = a.latent ? latentAttentionParameters(a, *a.latent) : headAttentionParameters(a);
    if (a.attentionOutputBias) total += number(a.hidden);
    return total;
}

double mlpParameters(const Architecture& a, std::int64_t width, bool bias) {
    const double h = number(a.hidden), f = number(width);
    const double inner = a.gatedMlp ? 2 * f : f;
    double total = h * inner + f * h;
    if (bias) total += inner + h;
    return total;
}

/// With `visited` of the routed experts.
double expertParameters(const Architecture& a, const Experts& experts, std::int64_t visited) {
    const double h = number(a.hidden), count = number(experts.count);
    double total = number(visited) * mlpParameters(a, experts.ffn, experts.bias) + h * count;
    if (experts.routerBias) total += count;
    if (experts.balancingBias) total += count;
    if (experts.sharedFfn > 0) total += mlpParameters(a, experts.sharedFfn, a.mlpBias);
    if (experts.sharedGate) total += h;
    return total;
}

double layerWith(const Architecture& a, const LayerKind& kind, std::int64_t visited) {
    const int norms = a.normPlacement == NormPlacement::around ? 4 : a.inputNorms;
    const double feedForward = kind.experts ? expertParameters(a, *a.experts, visited) : mlpParameters(a, a.ffn, a.mlpBias);
    return attentionParameters(a) + feedForward + norms * normParameters(a, number(a.hidden));
}

} // namespace

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
    if (embeddingWidth != hidden) total += h * width;
    if (!tiedEmbedding) total += rows * width;
    if (logitBias) total += rows;
    return total;
}

double Architecture::parameters() const {
    double total = embeddingParameters() + headParameters();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) total += number(layersOf(kind)) * layerParameters(kinds[kind]);
    return total;
}

double Architecture::activeParameters() const {
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
