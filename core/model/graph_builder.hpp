// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/transformer_graph.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

constexpr double activationBytes = 2;
constexpr double maskBytes = 1;  ///< a dropout mask is one byte an element
constexpr double scoreBytes = 4; ///< router scores are fp32, places in the experts' order 32-bit integers

// FLOP an element of kernels that are not matrix products; only the roofline's intensity axis sees them.
constexpr double normFlops = 8;
constexpr double softmaxFlops = 6;
constexpr double activationFlops = 8;
constexpr double rotaryFlops = 3;

/// Appends operators and tensors to a graph under construction.
class GraphBuilder {
public:
    /// More operators than most layers have, and the embedding or head, so that nothing moves while they are built.
    static constexpr std::size_t sizeOfLayer = 48, sizeOfEnds = 16;

    explicit GraphBuilder(std::string name, std::size_t size = sizeOfLayer) {
        graph_.name = std::move(name);
        graph_.tensors.reserve(size);
        graph_.forward.reserve(size);
    }

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
        (role == TensorRole::replicated ? op.replicatedWeights : op.weights) = shape.n * shape.k;
        if (bias) (role == TensorRole::column ? op.weights : op.replicatedWeights) += shape.n;
        op.saved = {input};
        return op;
    }

    void norm(std::string name, TensorId input, TensorId output, double tokens, double width, bool bias) {
        Operator& op = add(std::move(name), OperatorKind::norm, TensorRole::replicated, {input}, {output});
        op.flops = normFlops * tokens * width;
        op.replicatedWeights = width * (bias ? 2 : 1);
        op.saved = {input};
    }

    std::size_t size() const { return graph_.forward.size(); }
    Operator& at(std::size_t index) { return graph_.forward[index]; }
    /// States that one kernel does what the operators from `first` on do.
    void joinKernel(std::size_t first, StateKernel kernel) {
        for (std::size_t i = first; i < size(); ++i) kernel.flops += graph_.forward[i].flops;
        for (std::size_t i = first; i < size(); ++i) graph_.forward[i].state = kernel;
    }

    /// States the number of key heads where a layer's attention has another one than the model.
    void setKeyHeads(double heads) { graph_.kvHeads = heads; }

    Graph take() { return std::move(graph_); }

private:
    Graph graph_;
};

/// A model's sizes as numbers, for one micro-batch or one step of an engine.
struct Dimensions {
    const Architecture& a;
    TokenShape shape;
    double tokens, hidden, heads;
    const StepShape* step = nullptr; ///< of an engine; null in training

    Dimensions(const Architecture& architecture, const TokenShape& tokenShape, const StepShape* stepShape = nullptr)
        : a(architecture), shape(tokenShape), tokens(tokenShape.tokens()), hidden(double(architecture.hidden)),
          heads(double(architecture.heads)), step(stepShape) {}

    double hiddenBytes() const { return tokens * hidden * activationBytes; }
    /// Gives the bytes of what layers pass on.
    double passedBytes() const { return tokens * a.passedWidth() * activationBytes; }
};

/// A norm over the hidden width, into a new tensor.
inline TensorId addHiddenNorm(GraphBuilder& b, const Dimensions& d, std::string name, std::string output, TensorId input) {
    const TensorId normed = b.tensor(std::move(output), d.hiddenBytes(), TensorRole::replicated);
    b.norm(std::move(name), input, normed, d.tokens, d.hidden, d.a.normBias);
    return normed;
}

/// Attention from the normed hidden state to the projected output.
TensorId addAttention(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input);

/// Queries, keys and values of every head.
struct HeadTensors {
    TensorId query, key, value;
};
HeadTensors addHeads(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input);

/// Queries of so many columns by way of a narrow product and a norm, which every tensor rank holds.
void addNarrowQuery(GraphBuilder& b, const Dimensions& d, TensorId input, TensorId query, double width);
/// Training's core over heads that are there, each query meeting so many keys when no causal mask halves them.
TensorId addAttentionCore(GraphBuilder& b, const Dimensions& d, const HeadTensors& heads, double keys);

/// DeepSeek-V4's attention, from the normed hidden state to the projected output (compressed_graph.cpp).
TensorId addCompressedAttention(GraphBuilder& b, const Dimensions& d, const CompressedAttention& compressed, const LayerKind& kind, TensorId input);
/// Its cores alone, for a step's groups: what they read is there.
void addCompressedCores(GraphBuilder& b, const Dimensions& d, const LayerKind& kind);

/// Latent attention's queries, their parts with position not yet rotated.
TensorId addLatentQuery(GraphBuilder& b, const Dimensions& d, const LatentAttention& latent, TensorId input);
/// Its normed latent of keys and values, and the key part with position that all heads share.
struct LatentTensors {
    TensorId keyValue, sharedKey;
};
LatentTensors addLatentKeyValue(GraphBuilder& b, const Dimensions& d, const LatentAttention& latent, TensorId input);

/// (query, key) pairs by the FLOP rule of a sequence of so many tokens: length² where nothing is out of reach.
double countedPairs(const LayerKind& kind, double length);

/// The cores of an engine's step, one a group, from the normed hidden state to what the output projection reads.
TensorId addStepAttention(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input);

/// Operators that work on one group of an engine's step: those of a state's scan, and the indexer's scores.
inline constexpr std::string_view stateScanName = "state.scan", indexerScoresName = "index.scores";

/// A layer's mixer that keeps a state, from the normed hidden state to the projected output (state_graph.cpp).
TensorId addStateMixer(GraphBuilder& b, const Dimensions& d, TensorId input);
/// Its scan alone: chunk by chunk where tokens come many at once, one update a token where a group decodes. Gives the heads' results.
TensorId addStateScan(GraphBuilder& b, const Dimensions& d, TensorId input);

/// What picks the keys of sparse attention (indexer_graph.cpp): its products and the scores of all keys.
void addIndexer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input);
void addIndexerScores(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId query);
/// Bytes that an indexer's cache holds of a token: a key in 8 bit with an fp32 scale for 128 elements, as DeepSeek's kernels keep it.
double indexedKeyBytes(const Indexer& indexer);

/// The MLP, or router and experts. Gives the branches whose sum it is: the routed experts and the shared one are two.
std::vector<TensorId> addFeedForward(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input);

/// What stands beside a layer's blocks (stream_graph.cpp). Streams: a block reads one mixture of them, from which `mixed` gives the block's input, and
/// what it gives is mixed in again. `site`: "attention" or "mlp".
struct StreamMixture {
    TensorId blockInput, weights;
};
StreamMixture addStreamsIn(GraphBuilder& b, const Dimensions& d, const std::string& site, TensorId streams);
TensorId addStreamsOut(GraphBuilder& b, const Dimensions& d, const std::string& site, TensorId streams, TensorId weights, std::vector<TensorId> branches);
/// AltUp: all streams as they are guessed to come out, the one that the layer computes, and what it corrects of the others.
struct StreamPrediction {
    TensorId streams, computed, weights;
};
StreamPrediction addPrediction(GraphBuilder& b, const Dimensions& d, TensorId streams);
TensorId addCorrection(GraphBuilder& b, const Dimensions& d, TensorId predicted, TensorId weights, TensorId computed);
/// One stream after the last layer, and all of them before the first.
TensorId addStreamsEnd(GraphBuilder& b, const Dimensions& d, TensorId streams, const std::string& name);
TensorId addStreamsBegin(GraphBuilder& b, const Dimensions& d, TensorId embedded, const std::string& name);
/// The inputs of all layers from the tokens and their embedding.
TensorId addLayerInputs(GraphBuilder& b, const Dimensions& d, TensorId ids, TensorId embedded);
/// What a layer's own input adds to it.
TensorId addLayerInput(GraphBuilder& b, const Dimensions& d, TensorId hidden);
/// A narrow product beside attention (LAUREL).
TensorId addNarrowResidual(GraphBuilder& b, const Dimensions& d, TensorId input);

/// A vision tower over so many images, from their pixels to the language model's width (vision_graph.cpp). Gives what the language model reads.
std::vector<TensorId> addVisionTower(GraphBuilder& b, const VisionTower& tower, const ImageParts& image, double images);

/// The layer from its input to its output.
TensorId addLayer(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input);

/// Final norm, logits and loss. `ownsWeights`: false where another piece of the model holds the output matrix.
void addHead(GraphBuilder& b, const Dimensions& d, TensorId input, bool ownsWeights);

} // namespace orrery
