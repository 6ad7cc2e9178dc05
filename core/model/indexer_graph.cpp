// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek-V3.2's lightning indexer (DeepSeek-V3.2-Exp, section 2.1): small heads score every earlier key, and the best are what attention meets.
// Its products stand on every tensor rank: a choice that is shared out would have to be gathered for each token.
#include "core/model/graph_builder.hpp"

#include <cmath>

namespace orrery {
namespace {

constexpr double indexElementBytes = 1;
constexpr double pageOfKeys = 64; ///< tokens
constexpr double indexScaleBytes = 4, elementsOfScale = 128;

/// One score of every key for every query: the heads' scores are added up on the chip.
void addScores(GraphBuilder& b, const Dimensions& d, TensorId query, double sequences, double tokens, double keys, double pairs, double keyBytes) {
    const Indexer& indexer = *d.a.indexer;
    const double heads = double(indexer.heads), dim = double(indexer.dim);
    const TensorId given = query >= 0 ? query : b.tensor("index_query", sequences * tokens * heads * dim * activationBytes, TensorRole::replicated);
    const TensorId known = b.tensor("index_keys", sequences * keys * keyBytes, TensorRole::replicated);
    const TensorId scores = b.tensor("index_scores", sequences * pairs * scoreBytes, TensorRole::replicated);
    Operator& score = b.add(std::string(indexerScoresName), OperatorKind::batched_gemm, TensorRole::replicated, {given, known}, {scores});
    // Its kernel takes whole pages of keys as they lie in the cache, in 8 bit (DeepGEMM's fp8_mqa_logits and fp8_paged_mqa_logits).
    score.shape = {tokens * heads, d.step ? std::ceil(keys / pageOfKeys) * pageOfKeys : keys, dim, sequences};
    if (d.step) score.format = MatrixFormat::fp8;
    score.flops = 2 * sequences * pairs * heads * dim;
    score.saved = {given};
}

} // namespace

double indexedKeyBytes(const Indexer& indexer) {
    const double dim = double(indexer.dim);
    return dim * indexElementBytes + dim / elementsOfScale * indexScaleBytes;
}

void addIndexerScores(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId query) {
    const double tokensOfKey = kind.compression > 0 ? double(kind.compression) : 1;
    if (!d.step) {
        const double documents = d.shape.sequences * d.shape.documents(), length = d.shape.length / d.shape.documents();
        addScores(b, d, query, documents, length, length / tokensOfKey, length * length / tokensOfKey, double(d.a.indexer->dim) * activationBytes);
        return;
    }
    // Rules count a prompt with full s², as they do attention; its chunks share it out.
    for (const AttentionGroup& group : d.step->groups) {
        const double length = group.context + group.tokens;
        const double pairs = group.mode == AttentionMode::decode ? group.tokens * length : length * length - group.context * group.context;
        addScores(b, d, d.step->groups.size() == 1 ? query : -1, group.sequences, group.tokens, length / tokensOfKey, pairs / tokensOfKey, indexedKeyBytes(*d.a.indexer));
    }
}

void addIndexer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    if (!kind.indexer || !d.a.indexer) return;
    const Indexer& indexer = *d.a.indexer;
    const double heads = double(indexer.heads), dim = double(indexer.dim);
    const double rank = d.a.latent && d.a.latent->queryRank > 0 ? double(d.a.latent->queryRank) : d.hidden;
    // Queries come from attention's own latent; that it is made once more here would be wrong, so it is read as given.
    const TensorId from = rank == d.hidden ? input : b.tensor("index_latent", d.tokens * rank * activationBytes, TensorRole::replicated);
    const TensorId query = b.tensor("index_query", d.tokens * heads * dim * activationBytes, TensorRole::replicated);
    b.gemm("index.q", TensorRole::replicated, from, {query}, {d.tokens, heads * dim, rank}, false);
    const TensorId key = b.tensor("index_key", d.tokens * dim * activationBytes, TensorRole::replicated);
    const TensorId weights = b.tensor("index_weights", d.tokens * heads * activationBytes, TensorRole::replicated);
    b.gemm("index.k", TensorRole::replicated, input, {key, weights}, {d.tokens, dim + heads, d.hidden}, false);
    const TensorId normed = b.tensor("index_normed_key", d.tokens * dim * activationBytes, TensorRole::replicated);
    b.norm("index.norm", key, normed, d.tokens, dim, true);
    addIndexerScores(b, d, kind, query);
}

} // namespace orrery
