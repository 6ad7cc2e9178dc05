// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a layer's attention and MLP: residual streams that are mixed before and after them (hyper-connections, AltUp), inputs of each
// layer's own, and a narrow product that learns what is added (LAUREL). All of it stands on every tensor rank.
#include "core/model/graph_builder.hpp"

namespace orrery {
namespace {

constexpr double mixedBytes = 4;   ///< mixtures are computed in fp32
constexpr double roundFlops = 4;   ///< an element of a mixture in a round: sums and quotients of rows and columns
constexpr double mixtureFlops = 2; ///< a stream's element in a mixture

double streamsOf(const Dimensions& d) { return double(d.a.streams->count); }

TensorId replicated(GraphBuilder& b, const std::string& name, double bytes) { return b.tensor(name, bytes, TensorRole::replicated); }

/// Mixes what it reads, element by element; gradients of it come by way of what it read.
Operator& addMix(GraphBuilder& b, std::string name, std::vector<TensorId> inputs, TensorId output, double flops) {
    std::vector<TensorId> saved = inputs;
    Operator& op = b.add(std::move(name), OperatorKind::activation, TensorRole::replicated, std::move(inputs), {output});
    op.flops = flops;
    op.saved = std::move(saved);
    return op;
}

} // namespace

StreamMixture addStreamsIn(GraphBuilder& b, const Dimensions& d, const std::string& site, TensorId streams) {
    const double n = streamsOf(d), mixtures = d.a.streams->mixtures();
    const TensorId told = replicated(b, site + "_mixture_logits", d.tokens * mixtures * mixedBytes);
    Operator& tell = b.gemm(site + ".mixtures", TensorRole::replicated, streams, {told}, {d.tokens, mixtures, n * d.hidden}, true);
    tell.operandBytes = 4;
    tell.replicatedWeights += 3; // a scale for each of its parts
    const TensorId weights = replicated(b, site + "_mixtures", d.tokens * mixtures * mixedBytes), block = replicated(b, site + "_block_input", d.hiddenBytes());
    Operator& mix = b.add(site + ".streams_in", OperatorKind::activation, TensorRole::replicated, {streams, told}, {block, weights});
    mix.flops = mixtureFlops * d.tokens * n * d.hidden + roundFlops * double(d.a.streams->rounds) * d.tokens * n * n;
    mix.saved = {streams, told};
    mix.shape = {d.tokens, n, d.hidden};
    return {block, weights};
}

TensorId addStreamsOut(GraphBuilder& b, const Dimensions& d, const std::string& site, TensorId streams, TensorId weights, std::vector<TensorId> branches) {
    const double n = streamsOf(d);
    const TensorId output = replicated(b, site + "_streams", d.passedBytes());
    const double added = double(branches.size() - 1) * d.tokens * d.hidden;
    std::vector<TensorId> inputs = std::move(branches);
    inputs.push_back(streams);
    inputs.push_back(weights);
    addMix(b, site + ".streams_out", std::move(inputs), output, mixtureFlops * d.tokens * n * (n + 1) * d.hidden + added).shape = {d.tokens, n, d.hidden};
    return output;
}

StreamPrediction addPrediction(GraphBuilder& b, const Dimensions& d, TensorId streams) {
    const double n = streamsOf(d);
    const TensorId told = replicated(b, "stream_weights", d.tokens * (n * n + n) * mixedBytes);
    Operator& tell = b.gemm("altup.router", TensorRole::replicated, streams, {told}, {d.tokens, n, d.hidden}, false);
    tell.replicatedWeights += 2 * d.hidden + n * n * n + n * n; // a norm, a scale of what comes out, and what makes both mixtures of so few numbers
    tell.flops += 2 * d.tokens * (n * n * n + n * n);
    const TensorId predicted = replicated(b, "predicted_streams", d.passedBytes()), computed = replicated(b, "computed_stream", d.hiddenBytes());
    addMix(b, "altup.predict", {streams, told}, predicted, mixtureFlops * d.tokens * n * n * d.hidden).outputs.push_back(computed);
    return {predicted, computed, told};
}

TensorId addCorrection(GraphBuilder& b, const Dimensions& d, TensorId predicted, TensorId weights, TensorId computed) {
    const TensorId corrected = replicated(b, "corrected_streams", d.passedBytes());
    addMix(b, "altup.correct", {predicted, weights, computed}, corrected, 2 * mixtureFlops * d.tokens * streamsOf(d) * d.hidden);
    return corrected;
}

TensorId addStreamsEnd(GraphBuilder& b, const Dimensions& d, TensorId streams, const std::string& name) {
    const double n = streamsOf(d);
    const TensorId output = replicated(b, "single_stream", d.hiddenBytes());
    if (d.a.streams->rule == ResidualStreams::Rule::alternating) {
        const TensorId taken = replicated(b, "projected_streams", (n - 1) * d.hiddenBytes());
        Operator& back = b.gemm(name + ".streams_projection", TensorRole::replicated, streams, {taken}, {d.tokens * (n - 1), d.hidden, d.hidden}, false);
        back.replicatedWeights *= n - 1;
        addMix(b, name + ".streams_end", {streams, taken}, output, d.tokens * n * d.hidden);
        return output;
    }
    const TensorId told = replicated(b, "end_mixture", d.tokens * n * mixedBytes);
    Operator& tell = b.gemm(name + ".mixture", TensorRole::replicated, streams, {told}, {d.tokens, n, n * d.hidden}, true);
    tell.operandBytes = 4;
    tell.replicatedWeights += 1;
    addMix(b, name + ".streams_end", {streams, told}, output, mixtureFlops * d.tokens * n * d.hidden);
    return output;
}

TensorId addStreamsBegin(GraphBuilder& b, const Dimensions& d, TensorId embedded, const std::string& name) {
    const double n = streamsOf(d);
    std::vector<TensorId> inputs{embedded};
    if (d.a.streams->rule == ResidualStreams::Rule::alternating) {
        const TensorId others = replicated(b, "other_streams", (n - 1) * d.hiddenBytes());
        Operator& project = b.gemm(name + ".streams_projection", TensorRole::replicated, embedded, {others}, {d.tokens * (n - 1), d.hidden, d.hidden}, false);
        project.replicatedWeights *= n - 1;
        inputs.push_back(others);
    }
    const TensorId streams = replicated(b, "streams", d.passedBytes());
    b.add(name + ".streams", OperatorKind::permute, TensorRole::replicated, std::move(inputs), {streams});
    return streams;
}

TensorId addLayerInputs(GraphBuilder& b, const Dimensions& d, TensorId ids, TensorId embedded) {
    const double width = double(d.a.layerInputs->width), all = double(d.a.layers) * width, bytes = d.tokens * all * activationBytes;
    const TensorId looked = replicated(b, "layer_input_rows", bytes);
    Operator& lookup = b.add("embedding.layer_inputs", OperatorKind::embedding, TensorRole::vocabulary, {ids}, {looked});
    lookup.weights = double(d.a.layerInputs->rows) * all;
    lookup.saved = {ids};
    const TensorId projected = replicated(b, "projected_layer_inputs", bytes);
    b.gemm("embedding.layer_input_projection", TensorRole::replicated, embedded, {projected}, {d.tokens, all, d.hidden}, false);
    const TensorId normed = replicated(b, "normed_layer_inputs", bytes);
    Operator& norm = b.add("embedding.layer_input_norm", OperatorKind::norm, TensorRole::replicated, {projected}, {normed});
    norm.flops = normFlops * d.tokens * all;
    norm.replicatedWeights = width;
    norm.saved = {projected};
    const TensorId inputs = replicated(b, "layer_inputs", bytes);
    b.add("embedding.layer_input_sum", OperatorKind::residual, TensorRole::replicated, {normed, looked}, {inputs}).flops = d.tokens * all;
    return inputs;
}

TensorId addLayerInput(GraphBuilder& b, const Dimensions& d, TensorId hidden) {
    const double width = double(d.a.layerInputs->width), bytes = d.tokens * width * activationBytes;
    const TensorId gate = replicated(b, "layer_gate", bytes), own = replicated(b, "layer_own_input", bytes), gated = replicated(b, "gated_layer_input", bytes);
    b.gemm("layer_input.gate", TensorRole::replicated, hidden, {gate}, {d.tokens, width, d.hidden}, false);
    addMix(b, "layer_input.multiply", {gate, own}, gated, (activationFlops + 1) * d.tokens * width);
    const TensorId wide = replicated(b, "layer_input_output", d.hiddenBytes());
    b.gemm("layer_input.projection", TensorRole::replicated, gated, {wide}, {d.tokens, d.hidden, width}, false);
    return addHiddenNorm(b, d, "layer_input.norm", "normed_layer_output", wide);
}

TensorId addNarrowResidual(GraphBuilder& b, const Dimensions& d, TensorId input) {
    const double rank = double(d.a.residualRank);
    const TensorId narrow = replicated(b, "narrow_residual", d.tokens * rank * activationBytes), wide = replicated(b, "learned_residual", d.hiddenBytes());
    b.gemm("laurel.down", TensorRole::replicated, input, {narrow}, {d.tokens, rank, d.hidden}, false);
    b.gemm("laurel.up", TensorRole::replicated, narrow, {wide}, {d.tokens, d.hidden, rank}, false);
    return addHiddenNorm(b, d, "laurel.norm", "normed_residual", wide);
}

} // namespace orrery
