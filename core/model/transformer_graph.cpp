#include "core/model/transformer_graph.hpp"

#include <set>
#include <utility>

namespace orrery {
namespace {

constexpr double activationBytes = 2;
constexpr double maskBytes = 1; ///< a dropout mask is one byte an element

// FLOP an element of kernels that are not matrix products; only the roofline's intensity axis sees them.
constexpr double normFlops = 8;
constexpr double softmaxFlops = 6;
constexpr double activationFlops = 8;
constexpr double rotaryFlops = 3;

class Builder {
public:
    explicit Builder(std::string name) { graph_.name = std::move(name); }

    TensorId tensor(std::string name, double bytes, TensorRole role) {
        graph_.tensors.push_back({std::move(name), bytes, role});
        return static_cast<TensorId>(graph_.tensors.size()) - 1;
    }

    Operator& add(std::string name, OperatorKind kind, TensorRole role, std::vector<TensorId> inputs,
                  std::vector<TensorId> outputs) {
        Operator op;
        op.name = std::move(name);
        op.kind = kind;
        op.role = role;
        op.inputs = std::move(inputs);
        op.outputs = std::move(outputs);
        graph_.forward.push_back(std::move(op));
        return graph_.forward.back();
    }

    Operator& gemm(std::string name, TensorRole role, TensorId input, std::vector<TensorId> outputs, OperatorShape shape,
                   bool bias) {
        Operator& op = add(std::move(name), OperatorKind::gemm, role, {input}, std::move(outputs));
        op.shape = shape;
        op.flops = 2 * shape.m * shape.n * shape.k;
        op.weights = shape.n * shape.k;
        if (bias) (role == TensorRole::row ? op.replicatedWeights : op.weights) += shape.n;
        op.saved = {input};
        return op;
    }

    void norm(std::string name, TensorId input, TensorId output, double tokens, double width, bool bias) {
        Operator& op = add(std::move(name), OperatorKind::norm, TensorRole::replicated, {input}, {output});
        op.flops = normFlops * tokens * width;
        op.replicatedWeights = width * (bias ? 2 : 1);
        op.saved = {input};
    }

    Graph take() { return std::move(graph_); }

private:
    Graph graph_;
};

struct Dimensions {
    const Architecture& a;
    TokenShape shape;
    double tokens, hidden, ffn, attentionWidth, kvWidth;

    Dimensions(const Architecture& architecture, const TokenShape& tokenShape)
        : a(architecture), shape(tokenShape), tokens(tokenShape.tokens()), hidden(double(architecture.hidden)),
          ffn(double(architecture.ffn)), attentionWidth(double(architecture.heads * architecture.headDim)),
          kvWidth(double(architecture.kvHeads * architecture.headDim)) {}

    double hiddenBytes() const { return tokens * hidden * activationBytes; }
};

/// Scores, mask, softmax, dropout and context as separate kernels: what the fusion pass turns into flash attention.
void addAttentionCore(Builder& b, const Dimensions& d, TensorId q, TensorId k, TensorId v, TensorId context) {
    const double heads = double(d.a.heads);
    const double matrix = d.shape.sequences * heads * d.shape.length * d.shape.length;
    const OperatorShape scoresShape{d.shape.length, d.shape.length, double(d.a.headDim), d.shape.sequences * heads};
    const OperatorShape contextShape{d.shape.length, double(d.a.headDim), d.shape.length, d.shape.sequences * heads};
    const auto matrixTensor = [&](const char* name) {
        return b.tensor(name, matrix * activationBytes, TensorRole::heads);
    };

    const TensorId scores = matrixTensor("scores");
    Operator& scoring = b.add("attention.scores", OperatorKind::batched_gemm, TensorRole::heads, {q, k}, {scores});
    scoring.shape = scoresShape;
    scoring.flops = 2 * matrix * double(d.a.headDim);
    scoring.saved = {q, k};

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
    weighing.flops = 2 * matrix * double(d.a.headDim);
    weighing.saved = {weights, v};
}

TensorId addAttention(Builder& b, const Dimensions& d, TensorId input) {
    const auto headTensor = [&](const char* name) {
        return b.tensor(name, d.tokens * d.attentionWidth * activationBytes, TensorRole::heads);
    };
    const auto kvTensor = [&](const char* name) {
        return b.tensor(name, d.tokens * d.kvWidth * activationBytes, TensorRole::kv_heads);
    };
    TensorId q = headTensor("query");
    TensorId k = kvTensor("key");
    const TensorId v = kvTensor("value");
    b.gemm("attention.qkv", TensorRole::column, input, {q, k, v},
           {d.tokens, d.attentionWidth + 2 * d.kvWidth, d.hidden}, d.a.qkvBias);
    if (d.a.positions == PositionKind::rotary) {
        const TensorId rotatedQ = headTensor("rotated_query");
        const TensorId rotatedK = kvTensor("rotated_key");
        b.add("attention.rotary", OperatorKind::rotary, TensorRole::heads, {q, k}, {rotatedQ, rotatedK}).flops =
            rotaryFlops * d.tokens * (d.attentionWidth + d.kvWidth);
        q = rotatedQ;
        k = rotatedK;
    }
    const TensorId context = headTensor("context");
    addAttentionCore(b, d, q, k, v, context);
    const TensorId output = b.tensor("attention_output", d.hiddenBytes(), TensorRole::replicated);
    b.gemm("attention.output", TensorRole::row, context, {output}, {d.tokens, d.hidden, d.attentionWidth},
           d.a.attentionOutputBias);
    return output;
}

TensorId addMlp(Builder& b, const Dimensions& d, TensorId input) {
    const auto wide = [&](const char* name) {
        return b.tensor(name, d.tokens * d.ffn * activationBytes, TensorRole::heads);
    };
    TensorId activated;
    if (d.a.gatedMlp) {
        const TensorId gate = wide("gate");
        const TensorId up = wide("up");
        b.gemm("mlp.gate_up", TensorRole::column, input, {gate, up}, {d.tokens, 2 * d.ffn, d.hidden}, d.a.mlpBias);
        const TensorId curved = wide("activated_gate");
        Operator& act = b.add("mlp.activation", OperatorKind::activation, TensorRole::heads, {gate}, {curved});
        act.flops = activationFlops * d.tokens * d.ffn;
        act.saved = {gate};
        activated = wide("gated");
        Operator& multiply = b.add("mlp.multiply", OperatorKind::activation, TensorRole::heads, {curved, up}, {activated});
        multiply.flops = d.tokens * d.ffn;
        multiply.saved = {curved, up};
    } else {
        const TensorId up = wide("up");
        b.gemm("mlp.up", TensorRole::column, input, {up}, {d.tokens, d.ffn, d.hidden}, d.a.mlpBias);
        activated = wide("activated");
        Operator& act = b.add("mlp.activation", OperatorKind::activation, TensorRole::heads, {up}, {activated});
        act.flops = activationFlops * d.tokens * d.ffn;
        act.saved = {up};
    }
    const TensorId output = b.tensor("mlp_output", d.hiddenBytes(), TensorRole::replicated);
    b.gemm("mlp.down", TensorRole::row, activated, {output}, {d.tokens, d.hidden, d.ffn}, d.a.mlpBias);
    return output;
}

/// Dropout of a branch, where the model has one, then the addition to the residual stream.
TensorId addResidual(Builder& b, const Dimensions& d, const std::string& name, std::vector<TensorId> branches,
                     TensorId residual) {
    if (d.a.hiddenDropout > 0) {
        for (TensorId& branch : branches) {
            const TensorId mask = b.tensor(name + "_mask", d.tokens * d.hidden * maskBytes, TensorRole::replicated);
            const TensorId dropped = b.tensor(name + "_dropped", d.hiddenBytes(), TensorRole::replicated);
            Operator& dropout =
                b.add(name + ".dropout", OperatorKind::dropout, TensorRole::replicated, {branch}, {dropped, mask});
            dropout.flops = 2 * d.tokens * d.hidden;
            dropout.saved = {mask};
            branch = dropped;
        }
    }
    const TensorId sum = b.tensor(name + "_residual", d.hiddenBytes(), TensorRole::replicated);
    const double additions = double(branches.size());
    std::vector<TensorId> inputs = std::move(branches);
    inputs.push_back(residual);
    b.add(name + ".residual", OperatorKind::residual, TensorRole::replicated, std::move(inputs), {sum}).flops =
        additions * d.tokens * d.hidden;
    return sum;
}

Graph buildEmbedding(const Dimensions& d) {
    Builder b("embedding");
    const TensorId ids = b.tensor("token_ids", d.tokens * 8, TensorRole::replicated);
    TensorId x = b.tensor("embedded", d.hiddenBytes(), TensorRole::replicated);
    Operator& lookup = b.add("embedding.tokens", OperatorKind::embedding, TensorRole::vocabulary, {ids}, {x});
    lookup.weights = double(d.a.vocabulary) * double(d.a.embeddingWidth);
    lookup.saved = {ids};
    if (d.a.embeddingWidth != d.a.hidden) {
        const TensorId projected = b.tensor("projected", d.hiddenBytes(), TensorRole::replicated);
        Operator& projection = b.add("embedding.projection", OperatorKind::gemm, TensorRole::replicated, {x}, {projected});
        projection.shape = {d.tokens, d.hidden, double(d.a.embeddingWidth)};
        projection.flops = 2 * d.tokens * d.hidden * double(d.a.embeddingWidth);
        projection.replicatedWeights = d.hidden * double(d.a.embeddingWidth);
        projection.saved = {x};
        x = projected;
    }
    if (d.a.positions == PositionKind::learned) {
        const TensorId positioned = b.tensor("positioned", d.hiddenBytes(), TensorRole::replicated);
        Operator& add = b.add("embedding.positions", OperatorKind::residual, TensorRole::replicated, {x}, {positioned});
        add.flops = d.tokens * d.hidden;
        add.replicatedWeights = double(d.a.positionRows) * d.hidden;
        x = positioned;
    }
    if (d.a.embeddingNorm) {
        const TensorId normed = b.tensor("embedding_normed", d.hiddenBytes(), TensorRole::replicated);
        b.norm("embedding.norm", x, normed, d.tokens, d.hidden, d.a.normBias);
        x = normed;
    }
    if (d.a.hiddenDropout > 0) {
        const TensorId mask = b.tensor("embedding_mask", d.tokens * d.hidden * maskBytes, TensorRole::replicated);
        const TensorId dropped = b.tensor("embedding_dropped", d.hiddenBytes(), TensorRole::replicated);
        Operator& dropout =
            b.add("embedding.dropout", OperatorKind::dropout, TensorRole::replicated, {x}, {dropped, mask});
        dropout.flops = 2 * d.tokens * d.hidden;
        dropout.saved = {mask};
    }
    return b.take();
}

Graph buildLayer(const Dimensions& d) {
    Builder b("layer");
    const TensorId x = b.tensor("layer_input", d.hiddenBytes(), TensorRole::replicated);
    const TensorId normed = b.tensor("attention_normed", d.hiddenBytes(), TensorRole::replicated);
    b.norm("attention.norm", x, normed, d.tokens, d.hidden, d.a.normBias);

    if (d.a.parallelAttention) {
        TensorId mlpInput = normed;
        if (d.a.normsPerLayer == 2) {
            mlpInput = b.tensor("mlp_normed", d.hiddenBytes(), TensorRole::replicated);
            b.norm("mlp.norm", x, mlpInput, d.tokens, d.hidden, d.a.normBias);
        }
        const TensorId attention = addAttention(b, d, normed);
        const TensorId mlp = addMlp(b, d, mlpInput);
        addResidual(b, d, "layer", {attention, mlp}, x);
        return b.take();
    }

    const TensorId attention = addAttention(b, d, normed);
    const TensorId middle = addResidual(b, d, "attention", {attention}, x);
    const TensorId mlpNormed = b.tensor("mlp_normed", d.hiddenBytes(), TensorRole::replicated);
    b.norm("mlp.norm", middle, mlpNormed, d.tokens, d.hidden, d.a.normBias);
    const TensorId mlp = addMlp(b, d, mlpNormed);
    addResidual(b, d, "mlp", {mlp}, middle);
    return b.take();
}

Graph buildHead(const Dimensions& d) {
    Builder b("head");
    const double vocabulary = double(d.a.vocabulary);
    TensorId x = b.tensor("final_hidden", d.hiddenBytes(), TensorRole::replicated);
    if (d.a.finalNorm) {
        const TensorId normed = b.tensor("final_normed", d.hiddenBytes(), TensorRole::replicated);
        b.norm("head.norm", x, normed, d.tokens, d.hidden, d.a.normBias);
        x = normed;
    }
    if (d.a.embeddingWidth != d.a.hidden) {
        const double width = double(d.a.embeddingWidth);
        const TensorId narrow = b.tensor("head_projected", d.tokens * width * activationBytes, TensorRole::replicated);
        Operator& projection = b.add("head.projection", OperatorKind::gemm, TensorRole::replicated, {x}, {narrow});
        projection.shape = {d.tokens, width, d.hidden};
        projection.flops = 2 * d.tokens * width * d.hidden;
        projection.replicatedWeights = width * d.hidden;
        projection.saved = {x};
        x = narrow;
    }
    const TensorId logits = b.tensor("logits", d.tokens * vocabulary * activationBytes, TensorRole::heads);
    Operator& output = b.gemm("head.logits", TensorRole::column, x, {logits},
                              {d.tokens, vocabulary, double(d.a.embeddingWidth)}, d.a.logitBias);
    // A tied output matrix is the embedding's: work here, no weights of its own.
    if (d.a.tiedEmbedding) output.weights -= output.shape.n * output.shape.k;
    const TensorId probabilities = b.tensor("loss_probabilities", d.tokens * vocabulary * 4, TensorRole::heads);
    Operator& loss = b.add("head.loss", OperatorKind::cross_entropy, TensorRole::vocabulary, {logits}, {probabilities});
    loss.flops = softmaxFlops * d.tokens * vocabulary;
    loss.saved = {probabilities};
    return b.take();
}

double tensorBytes(const Graph& graph, const std::vector<TensorId>& ids) {
    double bytes = 0;
    for (TensorId id : ids) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

void settle(const Graph& graph, Operator& op, double gradientBytes) {
    const OperatorShape& s = op.shape;
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm: {
        const bool weightGradient = op.name.ends_with(".wgrad");
        op.bytesRead = activationBytes * s.batch * (s.m * s.k + s.k * s.n);
        op.bytesWritten = s.batch * s.m * s.n * (weightGradient ? gradientBytes : activationBytes);
        if (weightGradient) op.bytesRead += op.bytesWritten; // accumulated in place
        break;
    }
    case OperatorKind::embedding:
        // One row of the table a token, not the table.
        op.bytesRead = op.bytesWritten = tensorBytes(graph, op.phase == Phase::backward ? op.inputs : op.outputs);
        break;
    default:
        op.bytesRead = tensorBytes(graph, op.inputs);
        op.bytesWritten = tensorBytes(graph, op.outputs);
        break;
    }
}

} // namespace

ModelGraphs buildModelGraphs(const Architecture& architecture, const TokenShape& shape) {
    const Dimensions d(architecture, shape);
    return {buildEmbedding(d), buildLayer(d), buildHead(d)};
}

void settleTraffic(Graph& graph, double gradientBytes) {
    for (Operator& op : graph.forward) settle(graph, op, gradientBytes);
    for (Operator& op : graph.backward) settle(graph, op, gradientBytes);
}

double savedBytes(const Graph& graph) {
    std::set<TensorId> saved;
    for (const Operator& op : graph.forward) saved.insert(op.saved.begin(), op.saved.end());
    double bytes = 0;
    for (TensorId id : saved) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

} // namespace orrery
