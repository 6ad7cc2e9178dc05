// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/transformer_graph.hpp"

#include "core/model/graph_builder.hpp"

#include <utility>

namespace orrery {
namespace {

/// Dropout of a branch, where the model has one, then the addition to the residual stream.
TensorId addResidual(GraphBuilder& b, const Dimensions& d, const std::string& name, std::vector<TensorId> branches,
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

/// The norm after a branch, where the model has one: of the branches' sum.
std::vector<TensorId> normedAfter(GraphBuilder& b, const Dimensions& d, const std::string& name, std::vector<TensorId> branches) {
    if (d.a.normPlacement == NormPlacement::before) return branches;
    TensorId branch = branches.front();
    if (branches.size() > 1) {
        branch = b.tensor(name + "_branches", d.hiddenBytes(), TensorRole::replicated);
        b.add(name + ".branches", OperatorKind::residual, TensorRole::replicated, branches, {branch}).flops =
            double(branches.size() - 1) * d.tokens * d.hidden;
    }
    return {addHiddenNorm(b, d, name + ".post_norm", name + "_post_normed", branch)};
}

TensorId normedBefore(GraphBuilder& b, const Dimensions& d, const std::string& name, TensorId input) {
    if (d.a.normPlacement == NormPlacement::after) return input;
    return addHiddenNorm(b, d, name + ".norm", name + "_normed", input);
}

/// Attention, the mixer that keeps a state, or both side by side.
std::vector<TensorId> addMixer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId normed) {
    std::vector<TensorId> branches;
    if (kind.attends()) branches.push_back(addAttention(b, d, kind, normed));
    if (kind.keepsState()) branches.push_back(addStateMixer(b, d, normed));
    return branches;
}

TensorId addParallelLayer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    const TensorId normed = addHiddenNorm(b, d, "attention.norm", "attention_normed", input);
    TensorId mlpInput = normed;
    if (d.a.inputNorms == 2) mlpInput = addHiddenNorm(b, d, "mlp.norm", "mlp_normed", input);
    std::vector<TensorId> branches = addMixer(b, d, kind, normed);
    for (TensorId branch : addFeedForward(b, d, kind, mlpInput)) branches.push_back(branch);
    return addResidual(b, d, "layer", std::move(branches), input);
}

TensorId addEmbedding(GraphBuilder& b, const Dimensions& d, TensorId ids, bool ownsWeights) {
    const TensorId x = b.tensor("embedded", d.hiddenBytes(), TensorRole::replicated);
    Operator& lookup = b.add("embedding.tokens", OperatorKind::embedding, TensorRole::vocabulary, {ids}, {x});
    if (ownsWeights) lookup.weights = double(d.a.vocabulary) * double(d.a.embeddingWidth);
    lookup.saved = {ids};
    return x;
}

/// What a vision tower makes of a micro-batch's images takes the places that their tokens hold among its own.
TensorId addImages(GraphBuilder& b, const Dimensions& d, TensorId embedded) {
    const ImageLoad& load = d.shape.images;
    if (!d.a.vision || load.count == 0) return embedded;
    const ImageParts image = imageParts(*d.a.vision, load.width, load.height);
    const double images = d.shape.sequences * double(load.count);
    std::vector<TensorId> parts = addVisionTower(b, *d.a.vision, image, images);
    const TensorId placed = b.tensor("embedded_with_images", d.hiddenBytes(), TensorRole::replicated);
    const double moved = double(parts.size()) * images * image.tokens * d.hidden;
    parts.push_back(embedded);
    b.add("embedding.images", OperatorKind::residual, TensorRole::replicated, std::move(parts), {placed}).flops = moved;
    return placed;
}

Graph buildEmbedding(const Dimensions& d) {
    GraphBuilder b("embedding", GraphBuilder::sizeOfEnds);
    const TensorId ids = b.tensor("token_ids", d.tokens * 8, TensorRole::replicated);
    TensorId x = addEmbedding(b, d, ids, true);
    if (d.a.embeddingWidth != d.a.hidden) {
        const TensorId projected = b.tensor("projected", d.hiddenBytes(), TensorRole::replicated);
        b.gemm("embedding.projection", TensorRole::replicated, x, {projected}, {d.tokens, d.hidden, double(d.a.embeddingWidth)}, false);
        x = projected;
    }
    if (d.a.positions == PositionKind::learned) {
        const TensorId positioned = b.tensor("positioned", d.hiddenBytes(), TensorRole::replicated);
        Operator& add = b.add("embedding.positions", OperatorKind::residual, TensorRole::replicated, {x}, {positioned});
        add.flops = d.tokens * d.hidden;
        add.replicatedWeights = double(d.a.positionRows) * d.hidden;
        x = positioned;
    }
    if (d.a.embeddingNorm) x = addHiddenNorm(b, d, "embedding.norm", "embedding_normed", x);
    x = addImages(b, d, x);
    if (d.a.layerInputs) addLayerInputs(b, d, ids, x);
    if (d.a.streams) x = addStreamsBegin(b, d, x, "embedding");
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

Graph buildLayer(const Dimensions& d, const LayerKind& kind) {
    GraphBuilder b("layer");
    addLayer(b, d, kind, b.tensor("layer_input", d.passedBytes(), TensorRole::replicated));
    return b.take();
}

Graph buildHead(const Dimensions& d) {
    GraphBuilder b("head", GraphBuilder::sizeOfEnds);
    addHead(b, d, b.tensor("final_hidden", d.passedBytes(), TensorRole::replicated), !d.a.tiedEmbedding);
    return b.take();
}

/// DeepSeek-V3's module (arXiv 2412.19437, equations 21 to 25): the hidden state and the embedding of the token after it, each
/// normed, side by side through one projection, then a layer and the model's own output matrix. Embedding and output matrix are
/// the model's: work here, no weights of their own. An engine that drafts with it makes logits of all its tokens.
Graph buildNextToken(const Dimensions& d) {
    GraphBuilder b("next_token");
    const TensorId hidden = b.tensor("previous_hidden", d.hiddenBytes(), TensorRole::replicated);
    const TensorId embedded = addEmbedding(b, d, b.tensor("next_token_ids", d.tokens * 8, TensorRole::replicated), false);
    const TensorId normedHidden = addHiddenNorm(b, d, "next_token.hidden_norm", "hidden_normed", hidden);
    const TensorId normedEmbedding = addHiddenNorm(b, d, "next_token.embedding_norm", "embedding_normed", embedded);
    const TensorId both = b.tensor("hidden_and_embedding", 2 * d.hiddenBytes(), TensorRole::replicated);
    b.add("next_token.concatenation", OperatorKind::permute, TensorRole::replicated, {normedHidden, normedEmbedding}, {both});
    TensorId projected = b.tensor("next_token_projected", d.hiddenBytes(), TensorRole::replicated);
    b.gemm("next_token.projection", TensorRole::replicated, both, {projected}, {d.tokens, d.hidden, 2 * d.hidden}, false);
    if (d.a.streams) projected = addStreamsBegin(b, d, projected, "next_token");
    addHead(b, d, addLayer(b, d, d.a.nextTokenKind(), projected), false);
    return b.take();
}

} // namespace

namespace {

/// What a layer's mixer adds to its input.
std::vector<TensorId> mixedBranches(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    const TensorId normed = normedBefore(b, d, "attention", input);
    std::vector<TensorId> branches = normedAfter(b, d, "attention", addMixer(b, d, kind, normed));
    if (d.a.residualRank > 0) branches.push_back(addNarrowResidual(b, d, normed));
    return branches;
}

std::vector<TensorId> feedForwardBranches(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    return normedAfter(b, d, "mlp", addFeedForward(b, d, kind, normedBefore(b, d, "mlp", input)));
}

TensorId addBlocks(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    TensorId middle = input;
    if (kind.mixer != MixerKind::none) middle = addResidual(b, d, "attention", mixedBranches(b, d, kind, input), input);
    return kind.feedForward ? addResidual(b, d, "mlp", feedForwardBranches(b, d, kind, middle), middle) : middle;
}

/// A layer whose blocks read and write mixtures of several streams.
TensorId addStreamedLayer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId streams) {
    if (d.a.streams->rule == ResidualStreams::Rule::alternating) {
        const StreamPrediction predicted = addPrediction(b, d, streams);
        const TensorId computed = addBlocks(b, d, kind, predicted.computed);
        return addCorrection(b, d, predicted.streams, predicted.weights, computed);
    }
    if (kind.mixer != MixerKind::none) {
        const StreamMixture in = addStreamsIn(b, d, "attention", streams);
        streams = addStreamsOut(b, d, "attention", streams, in.weights, mixedBranches(b, d, kind, in.blockInput));
    }
    if (!kind.feedForward) return streams;
    const StreamMixture in = addStreamsIn(b, d, "mlp", streams);
    return addStreamsOut(b, d, "mlp", streams, in.weights, feedForwardBranches(b, d, kind, in.blockInput));
}

/// `d` has the sizes of the kind.
TensorId addSizedLayer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    if (d.a.parallelAttention) return addParallelLayer(b, d, kind, input);
    const TensorId output = d.a.streams ? addStreamedLayer(b, d, kind, input) : addBlocks(b, d, kind, input);
    if (!d.a.layerInputs) return output;
    const TensorId sum = b.tensor("layer_output", d.passedBytes(), TensorRole::replicated), own = addLayerInput(b, d, output);
    b.add("layer_input.residual", OperatorKind::residual, TensorRole::replicated, {own, output}, {sum}).flops = d.tokens * d.hidden;
    return sum;
}

} // namespace

TensorId addLayer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    if (!kind.ownSizes()) return addSizedLayer(b, d, kind, input);
    const Architecture own = d.a.ofKind(kind);
    b.setKeyHeads(double(own.kvHeads));
    return addSizedLayer(b, Dimensions(own, d.shape, d.step), kind, input);
}

void addHead(GraphBuilder& b, const Dimensions& d, TensorId x, bool ownsWeights) {
    const double vocabulary = double(d.a.vocabulary);
    const double width = double(d.a.embeddingWidth);
    if (d.a.streams) x = addStreamsEnd(b, d, x, "head");
    if (d.a.finalNorm) x = addHiddenNorm(b, d, "head.norm", "final_normed", x);
    if (!d.a.outputMatrix) return;
    if (d.a.embeddingWidth != d.a.hidden) {
        const TensorId narrow = b.tensor("head_projected", d.tokens * width * activationBytes, TensorRole::replicated);
        b.gemm("head.projection", TensorRole::replicated, x, {narrow}, {d.tokens, width, d.hidden}, false);
        x = narrow;
    }
    TensorId logits = b.tensor("logits", d.tokens * vocabulary * activationBytes, TensorRole::heads);
    Operator& output = b.gemm("head.logits", TensorRole::column, x, {logits}, {d.tokens, vocabulary, width}, d.a.logitBias);
    // A tied output matrix is the embedding's: work here, no weights of its own.
    if (!ownsWeights) output.weights -= output.shape.n * output.shape.k;
    if (d.a.logitSoftcap) {
        const TensorId capped = b.tensor("capped_logits", d.tokens * vocabulary * activationBytes, TensorRole::heads);
        Operator& cap = b.add("head.softcap", OperatorKind::activation, TensorRole::heads, {logits}, {capped});
        cap.flops = activationFlops * d.tokens * vocabulary;
        cap.saved = {capped};
        logits = capped;
    }
    if (d.step) return; // who samples needs no loss
    const TensorId probabilities = b.tensor("loss_probabilities", d.tokens * vocabulary * 4, TensorRole::heads);
    Operator& loss = b.add("head.loss", OperatorKind::cross_entropy, TensorRole::vocabulary, {logits}, {probabilities});
    loss.flops = softmaxFlops * d.tokens * vocabulary;
    loss.saved = {probabilities};
}

ModelPieces buildModelPieces(const Architecture& architecture, const TokenShape& shape) {
    if (architecture.toy) return buildToyPieces(architecture);
    const Dimensions d(architecture, shape);
    ModelPieces pieces{buildEmbedding(d), {}, buildHead(d), std::nullopt, architecture.kindByLayer};
    for (const LayerKind& kind : architecture.kinds) pieces.layers.push_back(buildLayer(d, kind));
    if (architecture.nextTokenModules > 0) pieces.nextToken = buildNextToken(d);
    return pieces;
}

ModelPieces buildStepPieces(const Architecture& architecture, const StepShape& step) {
    Architecture running = architecture;
    running.attentionDropout = running.hiddenDropout = 0;
    const Dimensions d(running, {1, step.tokens()}, &step), last(running, {1, step.logits()}, &step);
    ModelPieces pieces{buildEmbedding(d), {}, buildHead(last), std::nullopt, running.kindByLayer};
    for (const LayerKind& kind : running.kinds) pieces.layers.push_back(buildLayer(d, kind));
    if (running.nextTokenModules > 0) pieces.nextToken = buildNextToken(d);
    return pieces;
}

ModelGraphs buildModelGraphs(const Architecture& architecture, const TokenShape& shape) {
    if (architecture.toy) {
        ModelPieces pieces = buildToyPieces(architecture);
        return {std::move(pieces.embedding), std::move(pieces.layers.front()), std::move(pieces.head)};
    }
    const Dimensions d(architecture, shape);
    return {buildEmbedding(d), buildLayer(d, architecture.kinds.front()), buildHead(d)};
}

} // namespace orrery
