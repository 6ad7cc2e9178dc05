// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph_builder.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Keys a query meets on average when no causal mask halves them. A window of w lets a query see itself and the w−1 keys before
/// it; without the mask also the w−1 after it: 2w−1 diagonals, cut off at the corners, which is s² at w = s. The causal half of
/// it is then as exact as s²/2 is.
double keysPerQuery(const LayerKind& kind, double length) {
    const double span = double(kind.span);
    if (kind.reach == AttentionReach::all || span >= length) return length;
    // Picked keys are as many as a window's.
    if (kind.reach != AttentionReach::chunk) return 2 * span - 1 - span * (span - 1) / length;
    const double whole = std::floor(length / span);
    const double rest = length - whole * span;
    return (whole * span * span + rest * rest) / length;
}

struct CoreShape {
    double keys = 0;                   ///< a query
    double queryDim = 0, valueDim = 0; ///< of a head
};

/// Scores, mask, softmax, dropout and context as separate kernels: what the fusion pass turns into flash attention.
void addCore(GraphBuilder& b, const Dimensions& d, const CoreShape& core, TensorId q, TensorId k, TensorId v, TensorId context) {
    const double documents = d.shape.sequences * d.shape.documents();
    const double length = d.shape.length / d.shape.documents();
    const double batch = documents * d.heads;
    const double matrix = batch * length * core.keys;
    const OperatorShape scoresShape{length, core.keys, core.queryDim, batch};
    const OperatorShape contextShape{length, core.valueDim, core.keys, batch};
    const auto matrixTensor = [&](const char* name) {
        return b.tensor(name, matrix * activationBytes, TensorRole::heads);
    };

    const TensorId scores = matrixTensor("scores");
    Operator& scoring = b.add("attention.scores", OperatorKind::batched_gemm, TensorRole::heads, {q, k}, {scores});
    scoring.shape = scoresShape;
    scoring.flops = 2 * matrix * core.queryDim;
    scoring.saved = {q, k};
    scoring.sequences = documents;
    scoring.headsPerKey = std::max(1.0, d.heads / std::max(1.0, double(d.a.kvHeads)));
    scoring.valueWidth = core.valueDim;
    scoring.keysAreValues = d.a.compressed.has_value();

    const TensorId masked = matrixTensor("masked_scores");
    b.add("attention.mask", OperatorKind::softmax, TensorRole::heads, {scores}, {masked}).flops = 2 * matrix;

    const TensorId probabilities = matrixTensor("probabilities");
    Operator& softmax = b.add("attention.softmax", OperatorKind::softmax, TensorRole::heads, {masked}, {probabilities});
    softmax.flops = softmaxFlops * matrix;
    softmax.saved = {probabilities};

    TensorId weights = probabilities;
    if (d.a.attentionDropout > 0) {
        const TensorId mask = b.tensor("attention_mask", matrix * maskBytes, TensorRole::heads);
        weights = matrixTensor("dropped_probabilities");
        Operator& dropout =
            b.add("attention.probability_dropout", OperatorKind::dropout, TensorRole::heads, {probabilities}, {weights, mask});
        dropout.flops = 2 * matrix;
        dropout.saved = {mask};
    }

    Operator& weighing = b.add("attention.context", OperatorKind::batched_gemm, TensorRole::heads, {weights, v}, {context});
    weighing.shape = contextShape;
    weighing.flops = 2 * matrix * core.valueDim;
    weighing.saved = {weights, v};
}

/// Norms queries and keys, where the layer does: each head by itself, or the whole width.
void addQkNorm(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, HeadTensors& t, double queryWidth, double keyWidth) {
    if (d.a.qkNorm == QkNorm::none || (d.a.qkNorm == QkNorm::unweighted && !kind.rotary)) return;
    const TensorId query = b.tensor("normed_query", d.tokens * queryWidth * activationBytes, TensorRole::heads);
    const TensorId key = b.tensor("normed_key", d.tokens * keyWidth * activationBytes, TensorRole::kv_heads);
    Operator& norm = b.add("attention.qk_norm", OperatorKind::norm, TensorRole::heads, {t.query, t.key}, {query, key});
    norm.flops = normFlops * d.tokens * (queryWidth + keyWidth);
    norm.kernels = 2;
    norm.saved = {t.query, t.key};
    const double vectors = d.a.normBias ? 2 : 1;
    if (d.a.qkNorm == QkNorm::per_head) norm.replicatedWeights = vectors * 2 * double(d.a.headDim);
    if (d.a.qkNorm == QkNorm::whole) norm.replicatedWeights = vectors * (queryWidth + keyWidth);
    t.query = query;
    t.key = key;
}

/// Queries of heads whose keys and values are an earlier layer's.
HeadTensors addQueriesAlone(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    const double width = d.heads * double(d.a.headDim);
    const auto queryTensor = [&](const char* name) { return b.tensor(name, d.tokens * width * activationBytes, TensorRole::heads); };
    HeadTensors t{};
    t.query = queryTensor("query");
    Operator& projection = b.gemm("attention.q", TensorRole::column, input, {t.query}, {d.tokens, width, d.hidden}, d.a.qkvBias);
    if (d.a.attentionSinks) projection.weights += d.heads;
    if (d.a.qkNorm != QkNorm::none) {
        const TensorId normed = queryTensor("normed_query");
        Operator& norm = b.add("attention.q_norm", OperatorKind::norm, TensorRole::heads, {t.query}, {normed});
        norm.flops = normFlops * d.tokens * width;
        norm.saved = {t.query};
        const double vectors = d.a.normBias ? 2 : 1;
        norm.replicatedWeights = d.a.qkNorm == QkNorm::per_head ? vectors * double(d.a.headDim) : d.a.qkNorm == QkNorm::whole ? vectors * width
                                                                                                                              : 0;
        t.query = normed;
    }
    if (d.a.positions == PositionKind::rotary && kind.rotary) {
        const TensorId rotated = queryTensor("rotated_query");
        b.add("attention.rotary", OperatorKind::rotary, TensorRole::heads, {t.query}, {rotated}).flops = rotaryFlops * d.tokens * width;
        t.query = rotated;
    }
    t.key = b.tensor("earlier_key", d.tokens * double(d.a.kvHeads * d.a.headDim) * activationBytes, TensorRole::kv_heads);
    t.value = kind.keyIsValue ? t.key : b.tensor("earlier_value", d.tokens * double(d.a.kvHeads * d.a.valueDim()) * activationBytes, TensorRole::kv_heads);
    return t;
}

} // namespace

void addNarrowQuery(GraphBuilder& b, const Dimensions& d, TensorId input, TensorId query, double width) {
    const double rank = double(d.a.queryRank);
    const TensorId latent = b.tensor("q_latent", d.tokens * rank * activationBytes, TensorRole::replicated);
    b.gemm("attention.q_down", TensorRole::replicated, input, {latent}, {d.tokens, rank, d.hidden}, false);
    const TensorId normed = b.tensor("normed_q_latent", d.tokens * rank * activationBytes, TensorRole::replicated);
    b.norm("attention.q_norm", latent, normed, d.tokens, rank, d.a.normBias);
    Operator& up = b.gemm("attention.q_up", TensorRole::column, normed, {query}, {d.tokens, width, rank}, d.a.qkvBias);
    if (d.a.attentionSinks) up.weights += d.heads;
}

HeadTensors addHeads(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    const double queryWidth = double(d.a.heads * d.a.headDim);
    const double keyWidth = double(d.a.kvHeads * d.a.headDim), valueWidth = double(d.a.kvHeads * d.a.valueDim());
    const auto queryTensor = [&](const char* name) {
        return b.tensor(name, d.tokens * queryWidth * activationBytes, TensorRole::heads);
    };
    const auto keyTensor = [&](const char* name) {
        return b.tensor(name, d.tokens * keyWidth * activationBytes, TensorRole::kv_heads);
    };
    if (kind.cacheShared) return addQueriesAlone(b, d, kind, input);
    HeadTensors t{};
    t.query = queryTensor("query");
    t.key = keyTensor("key");
    t.value = kind.keyIsValue ? t.key : b.tensor("value", d.tokens * valueWidth * activationBytes, TensorRole::kv_heads);
    if (d.a.queryRank > 0) {
        addNarrowQuery(b, d, input, t.query, queryWidth);
        b.gemm("attention.k", TensorRole::column, input, {t.key}, {d.tokens, keyWidth, d.hidden}, d.a.qkvBias);
        if (!kind.keyIsValue) b.gemm("attention.v", TensorRole::column, input, {t.value}, {d.tokens, valueWidth, d.hidden}, d.a.qkvBias);
    } else {
        std::vector<TensorId> made{t.query, t.key};
        if (!kind.keyIsValue) made.push_back(t.value);
        Operator& projection = b.gemm("attention.qkv", TensorRole::column, input, std::move(made),
                                      {d.tokens, queryWidth + keyWidth + (kind.keyIsValue ? 0 : valueWidth), d.hidden}, d.a.qkvBias);
        // A head's sink is held where the head is; it stands with the projection because the core may be fused away.
        if (d.a.attentionSinks) projection.weights += d.heads;
    }
    addQkNorm(b, d, kind, t, queryWidth, keyWidth);
    if (d.a.positions == PositionKind::rotary && kind.rotary) {
        const TensorId query = queryTensor("rotated_query");
        const TensorId key = keyTensor("rotated_key");
        b.add("attention.rotary", OperatorKind::rotary, TensorRole::heads, {t.query, t.key}, {query, key}).flops =
            rotaryFlops * d.tokens * (queryWidth + keyWidth);
        t.query = query;
        t.key = key;
    }
    return t;
}

namespace {

/// A product down to a latent that every tensor rank holds, and the latent's norm.
TensorId addLatent(GraphBuilder& b, const Dimensions& d, const std::string& name, TensorId input, double rank, double besides,
                   TensorId besidesTensor) {
    const TensorId latent = b.tensor(name + "_latent", d.tokens * rank * activationBytes, TensorRole::replicated);
    std::vector<TensorId> outputs{latent};
    if (besides > 0) outputs.push_back(besidesTensor);
    b.gemm("attention." + name + "_down", TensorRole::replicated, input, std::move(outputs), {d.tokens, rank + besides, d.hidden},
           d.a.qkvBias);
    const TensorId normed = b.tensor("normed_" + name + "_latent", d.tokens * rank * activationBytes, TensorRole::replicated);
    b.norm("attention." + name + "_norm", latent, normed, d.tokens, rank, d.a.normBias);
    return normed;
}

} // namespace

TensorId addLatentQuery(GraphBuilder& b, const Dimensions& d, const LatentAttention& latent, TensorId input) {
    const double queryWidth = d.heads * double(latent.plainDim) + d.heads * double(latent.rotaryDim);
    TensorId queryInput = input;
    double queryInputWidth = d.hidden;
    if (latent.queryRank > 0) {
        queryInputWidth = double(latent.queryRank);
        queryInput = addLatent(b, d, "q", input, queryInputWidth, 0, -1);
    }
    const TensorId query = b.tensor("query", d.tokens * queryWidth * activationBytes, TensorRole::heads);
    b.gemm("attention.q_up", TensorRole::column, queryInput, {query}, {d.tokens, queryWidth, queryInputWidth}, false);
    return query;
}

LatentTensors addLatentKeyValue(GraphBuilder& b, const Dimensions& d, const LatentAttention& latent, TensorId input) {
    const double rotary = double(latent.rotaryDim);
    const TensorId sharedKey = b.tensor("shared_key", d.tokens * rotary * activationBytes, TensorRole::replicated);
    return {addLatent(b, d, "kv", input, double(latent.keyValueRank), rotary, sharedKey), sharedKey};
}

namespace {

/// Multi-head latent attention as training computes it: keys and values of every head are made from the latent.
HeadTensors addLatentHeads(GraphBuilder& b, const Dimensions& d, const LatentAttention& latent, TensorId input) {
    const double plain = d.heads * double(latent.plainDim), value = d.heads * double(latent.valueDim);
    const double rotary = double(latent.rotaryDim), queryWidth = plain + d.heads * rotary;
    const auto headTensor = [&](const char* name, double width) {
        return b.tensor(name, d.tokens * width * activationBytes, TensorRole::heads);
    };
    HeadTensors t{};
    t.query = addLatentQuery(b, d, latent, input);
    const auto [keyValue, sharedKey] = addLatentKeyValue(b, d, latent, input);
    const TensorId plainKey = headTensor("plain_key", plain);
    t.value = headTensor("value", value);
    b.gemm("attention.kv_up", TensorRole::column, keyValue, {plainKey, t.value},
           {d.tokens, plain + value, double(latent.keyValueRank)}, false);

    // Rotates the parts with position and lays the shared one beside each head's plain key.
    const TensorId query = headTensor("rotated_query", queryWidth);
    t.key = headTensor("key", queryWidth);
    b.add("attention.rotary", OperatorKind::rotary, TensorRole::heads, {t.query, plainKey, sharedKey}, {query, t.key}).flops =
        rotaryFlops * d.tokens * (d.heads + 1) * rotary;
    t.query = query;
    return t;
}

TensorId addTrainingAttention(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    const HeadTensors t = d.a.latent ? addLatentHeads(b, d, *d.a.latent, input) : addHeads(b, d, kind, input);
    const double valueWidth = d.heads * double(d.a.valueDim());
    const TensorId context = b.tensor("context", d.tokens * valueWidth * activationBytes, TensorRole::heads);
    const CoreShape core{keysPerQuery(kind, d.shape.length / d.shape.documents()), double(d.a.headDim), double(d.a.valueDim())};
    addCore(b, d, core, t.query, t.key, t.value, context);
    return context;
}

} // namespace

TensorId addAttentionCore(GraphBuilder& b, const Dimensions& d, const HeadTensors& t, double keys) {
    const TensorId context = b.tensor("context", d.tokens * d.heads * double(d.a.valueDim()) * activationBytes, TensorRole::heads);
    addCore(b, d, {keys, double(d.a.headDim), double(d.a.valueDim())}, t.query, t.key, t.value, context);
    return context;
}

double countedPairs(const LayerKind& kind, double length) { return length * keysPerQuery(kind, length); }

namespace {

/// A sigmoid of the hidden state scales what every head gives.
TensorId addOutputGate(GraphBuilder& b, const Dimensions& d, TensorId input, TensorId context, double width) {
    const TensorId gate = b.tensor("attention_gate", d.tokens * width * activationBytes, TensorRole::heads);
    b.gemm("attention.gate_projection", TensorRole::column, input, {gate}, {d.tokens, width, d.hidden}, d.a.qkvBias);
    const TensorId gated = b.tensor("gated_context", d.tokens * width * activationBytes, TensorRole::heads);
    Operator& multiply = b.add("attention.gate", OperatorKind::activation, TensorRole::heads, {context, gate}, {gated});
    multiply.flops = activationFlops * d.tokens * width;
    multiply.saved = {context, gate};
    return gated;
}

} // namespace

TensorId addAttention(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    if (d.a.compressed) return addCompressedAttention(b, d, *d.a.compressed, kind, input);
    if (kind.reach == AttentionReach::selected && kind.indexer) addIndexer(b, d, kind, input);
    TensorId context = d.step ? addStepAttention(b, d, kind, input) : addTrainingAttention(b, d, kind, input);
    const double valueWidth = d.heads * double(d.a.valueDim());
    if (d.a.outputGate) context = addOutputGate(b, d, input, context, valueWidth);
    const TensorId output = b.tensor("attention_output", d.hiddenBytes(), TensorRole::replicated);
    b.gemm("attention.output", TensorRole::row, context, {output}, {d.tokens, d.hidden, valueWidth}, d.a.attentionOutputBias);
    return output;
}

} // namespace orrery
