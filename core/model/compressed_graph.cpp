// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph_builder.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {

// Attention of DeepSeek-V4 (its report, section 2.3; transformers, modular_deepseek_v4.py): one head's keys, which are the values too. A query meets
// the keys of its window and, beyond it, one key for every so many tokens: of few tokens each (CSA), an indexer picks some; of many each (HCA), all
// are met. Queries come through a narrow product; what heads find goes back by groups, each through a narrow product of its own.
// Keys stand on every tensor rank: there is one head of them.

namespace {

constexpr double poolFlops = 10; ///< an element of what is laid together: a place added, a softmax, a weighted sum

/// Keys beyond the window that a query meets on average when no causal mask halves them.
double pooledMet(const LayerKind& kind, double length) {
    if (kind.compression == 0) return 0;
    const double all = length / double(kind.compression), most = double(kind.picked);
    // Queries early in a sequence have fewer to pick from, as those of a window have.
    return most == 0 || most >= all ? all : 2 * most - most * most / all;
}

/// Those that the last token of a sequence meets, or a kernel finds in memory for it.
double pooledReached(const LayerKind& kind, double length) {
    if (kind.compression == 0) return 0;
    const double all = std::floor(length / double(kind.compression));
    return kind.picked > 0 ? std::min(all, double(kind.picked)) : all;
}

double pairsOf(const LayerKind& kind, double length) { return length > 0 ? countedPairs(kind, length) + length * pooledMet(kind, length) : 0; }

class CompressedGraph {
public:
    CompressedGraph(GraphBuilder& builder, const Dimensions& dimensions, const LayerKind& layerKind)
        : b(builder), d(dimensions), kind(layerKind), width_(double(dimensions.a.headDim)) {}

    /// Queries, the keys of the own tokens, and those laid together of them.
    HeadTensors addHeads(TensorId input, double rotary) {
        const TensorId query = headTensor("query");
        addNarrowQuery(b, d, input, query, d.heads * width_);
        const TensorId key = b.tensor("key", d.tokens * width_ * activationBytes, TensorRole::replicated);
        b.gemm("attention.kv_down", TensorRole::replicated, input, {key}, {d.tokens, width_, d.hidden}, false);
        const TensorId normedKey = b.tensor("normed_key", d.tokens * width_ * activationBytes, TensorRole::replicated);
        b.norm("attention.kv_norm", key, normedKey, d.tokens, width_, false);
        const TensorId normed = headTensor("normed_query");
        Operator& norm = b.add("attention.q_head_norm", OperatorKind::norm, TensorRole::heads, {query}, {normed});
        norm.flops = normFlops * d.tokens * d.heads * width_;
        norm.saved = {query};
        HeadTensors t{headTensor("rotated_query"), b.tensor("rotated_key", d.tokens * width_ * activationBytes, TensorRole::replicated), -1};
        b.add("attention.rotary", OperatorKind::rotary, TensorRole::heads, {normed, normedKey}, {t.query, t.key}).flops = rotaryFlops * d.tokens * (d.heads + 1) * rotary;
        t.value = kind.compression > 0 ? addPool("compress", input, width_, 0) : t.key;
        return t;
    }

    /// The indexer's queries, from attention's own narrow product, and its keys, laid together as attention's are.
    TensorId addChoice(TensorId input) {
        const Indexer& indexer = *d.a.indexer;
        const double heads = double(indexer.heads), dim = double(indexer.dim), rank = double(d.a.queryRank);
        const TensorId latent = b.tensor("index_latent", d.tokens * rank * activationBytes, TensorRole::replicated);
        const TensorId query = b.tensor("index_query", d.tokens * heads * dim * activationBytes, TensorRole::replicated);
        b.gemm("index.q", TensorRole::replicated, latent, {query}, {d.tokens, heads * dim, rank}, false);
        addPool("index", input, dim, heads);
        return query;
    }

    /// What heads found, taken back to where positions don't matter, and through both products.
    TensorId addOutput(TensorId context, const CompressedAttention& c) {
        const TensorId turned = headTensor("unrotated_context");
        b.add("attention.unrotate", OperatorKind::rotary, TensorRole::heads, {context}, {turned}).flops = rotaryFlops * d.tokens * d.heads * double(c.rotaryDim);
        const double groups = double(c.outputGroups), rank = double(c.outputRank), ofGroup = d.heads * width_ / groups;
        const TensorId narrow = b.tensor("grouped_output", d.tokens * groups * rank * activationBytes, TensorRole::heads);
        Operator& grouped = b.gemm("attention.output_groups", TensorRole::heads, turned, {narrow}, {d.tokens, rank, ofGroup, groups}, false);
        grouped.flops *= groups;
        grouped.weights *= groups;
        const TensorId output = b.tensor("attention_output", d.hiddenBytes(), TensorRole::replicated);
        b.gemm("attention.output", TensorRole::row, narrow, {output}, {d.tokens, d.hidden, groups * rank}, false);
        return output;
    }

    TensorId addTrainingCore(const HeadTensors& t) {
        const double length = d.shape.length / d.shape.documents();
        return addAttentionCore(b, d, t, pairsOf(kind, length) / length);
    }

    /// The cores of a step's groups. Heads that are not there stand for what is.
    TensorId addStepCores(HeadTensors t) {
        const double cached = cacheElementBytes(d.step->cache);
        if (t.query >= 0) {
            const double stored = d.tokens * width_ * (1 + (kind.compression > 0 ? 1 / double(kind.compression) : 0));
            std::vector<TensorId> keys{t.key};
            if (kind.compression > 0) keys.push_back(t.value);
            b.add("attention.store", OperatorKind::permute, TensorRole::replicated, std::move(keys), {b.tensor("stored_keys", stored * cached, TensorRole::replicated)});
        } else {
            t.query = headTensor("query");
            t.key = b.tensor("key", d.tokens * width_ * activationBytes, TensorRole::replicated);
        }
        const TensorId context = headTensor("context");
        const bool alone = d.step->groups.size() == 1;
        for (const AttentionGroup& group : d.step->groups) {
            const double tokens = group.sequences * group.tokens, bytes = tokens * width_ * activationBytes;
            Operator core = coreOf(group);
            core.inputs = {alone ? t.query : b.tensor("group_query", bytes * d.heads, TensorRole::heads)};
            if (core.attentionMode == AttentionMode::prefill) {
                core.inputs.push_back(alone ? t.key : b.tensor("group_key", bytes, TensorRole::replicated));
                if (kind.compression > 0) core.inputs.push_back(b.tensor("pooled_keys", bytes / double(kind.compression), TensorRole::replicated));
            } else {
                core.inputs.push_back(b.tensor("cached_keys", group.sequences * core.shape.n * width_ * cached, TensorRole::replicated));
            }
            core.outputs = {alone ? context : b.tensor("group_context", bytes * d.heads, TensorRole::heads)};
            Operator& added = b.add({}, core.kind, core.role, {}, {});
            added = std::move(core);
        }
        return context;
    }

private:
    TensorId headTensor(const char* name) { return b.tensor(name, d.tokens * d.heads * width_ * activationBytes, TensorRole::heads); }

    /// One key for every `kind.compression` tokens; `besides`: columns of the product that are something else's.
    TensorId addPool(const std::string& name, TensorId input, double dim, double besides) {
        const double wide = (kind.overlaps() ? 2 : 1) * dim, ratio = double(kind.compression);
        const TensorId given = b.tensor(name + "_input", d.tokens * (2 * wide + besides) * activationBytes, TensorRole::replicated);
        b.gemm(name + ".kv_gate", TensorRole::replicated, input, {given}, {d.tokens, 2 * wide + besides, d.hidden}, false);
        const TensorId pooled = b.tensor(name + "_keys", d.tokens / ratio * dim * activationBytes, TensorRole::replicated);
        Operator& pool = b.add(name + ".pool", OperatorKind::activation, TensorRole::replicated, {given}, {pooled});
        pool.flops = poolFlops * d.tokens * wide + normFlops * d.tokens / ratio * dim;
        pool.replicatedWeights = ratio * wide + dim;
        pool.saved = {given};
        return pooled;
    }

    Operator coreOf(const AttentionGroup& group) const {
        Operator core;
        core.name = "attention.core";
        core.kind = OperatorKind::attention;
        core.role = TensorRole::heads;
        core.attentionMode = group.mode == AttentionMode::chunk && group.context <= 0 ? AttentionMode::prefill : group.mode;
        core.cache = d.step->cache;
        core.sequences = group.sequences;
        core.headsPerKey = d.heads;
        core.valueWidth = width_;
        core.keysAreValues = true;
        const double length = group.context + group.tokens, window = double(kind.span), batch = group.sequences * d.heads;
        double pairs = pairsOf(kind, length) - pairsOf(kind, group.context), keys = 0;
        if (core.attentionMode == AttentionMode::decode) {
            keys = std::min(window, length) + pooledReached(kind, length);
            pairs = group.tokens * keys;
        } else if (core.attentionMode == AttentionMode::chunk) {
            keys = std::min(group.context, window - 1) + group.tokens + (kind.compression > 0 ? std::floor(length / double(kind.compression)) : 0);
        } else {
            keys = pairs / group.tokens;
        }
        core.shape = {group.tokens, keys, width_, batch};
        core.flops = 2 * batch * pairs * 2 * width_;
        return core;
    }

    GraphBuilder& b;
    const Dimensions& d;
    const LayerKind& kind;
    double width_; ///< of a head
};

} // namespace

TensorId addCompressedAttention(GraphBuilder& b, const Dimensions& d, const CompressedAttention& compressed, const LayerKind& kind, TensorId input) {
    CompressedGraph graph(b, d, kind);
    const HeadTensors heads = graph.addHeads(input, double(compressed.rotaryDim));
    if (kind.hasIndexer()) addIndexerScores(b, d, kind, graph.addChoice(input));
    return graph.addOutput(d.step ? graph.addStepCores(heads) : graph.addTrainingCore(heads), compressed);
}

void addCompressedCores(GraphBuilder& b, const Dimensions& d, const LayerKind& kind) { CompressedGraph(b, d, kind).addStepCores({-1, -1, -1}); }

// DeepSeek-V3.2's lightning indexer (DeepSeek-V3.2-Exp, section 2.1): small heads score every earlier key, and the best are what attention meets.
// Its products stand on every tensor rank: a choice that is shared out would have to be gathered for each token.

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
