// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/toy_model.hpp"

#include "core/model/graph_builder.hpp"

namespace orrery {
namespace {

/// Embedding and head: something that data comes from and goes to.
Graph buildEnd(const char* name) {
    GraphBuilder b(name, GraphBuilder::sizeOfEnds);
    const TensorId in = b.tensor("in", 0, TensorRole::replicated), out = b.tensor("out", 0, TensorRole::replicated);
    b.add(std::string(name) + ".toy", OperatorKind::rotary, TensorRole::replicated, {in}, {out});
    return b.take();
}

/// What is kept is read by both parts of the backward. Derived, a backward would have a gradient as large as that; here one has no size.
Graph buildToyLayer(const ToyModel& toy) {
    GraphBuilder b("layer");
    const TensorId in = b.tensor("in", 0, TensorRole::replicated), out = b.tensor("out", 0, TensorRole::replicated);
    const TensorId kept = b.tensor("kept", toy.keptBytes, TensorRole::replicated), gradient = b.tensor("gradient", 0, TensorRole::replicated);
    const Operator forward = [&] {
        Operator& op = b.add("layer.toy", OperatorKind::gemm, TensorRole::replicated, {in}, {out, kept});
        op.shape = {1, 1, 1, 1};
        op.saved = {kept};
        return op;
    }();
    Graph graph = b.take();
    for (const bool weightPart : {false, true}) {
        Operator op = forward;
        op.name += weightPart ? ".wgrad" : ".dgrad";
        op.phase = Phase::backward;
        op.weightPart = weightPart;
        op.inputs = {kept};
        op.outputs = {gradient};
        op.saved.clear();
        graph.backward.push_back(std::move(op));
    }
    return graph;
}

} // namespace

Architecture toyArchitecture(const ToyModel& toy, int layers) {
    Architecture a;
    a.modelType = "toy";
    a.layers = layers;
    a.hidden = a.heads = a.kvHeads = a.headDim = a.ffn = a.vocabulary = a.embeddingWidth = 1;
    a.finalNorm = a.outputMatrix = false;
    a.toy = toy;
    return a;
}

ModelPieces buildToyPieces(const Architecture& architecture) {
    return {buildEnd("embedding"), {buildToyLayer(*architecture.toy)}, buildEnd("head"), std::nullopt, {}};
}

double toySeconds(const ToyModel& toy, const Operator& op) {
    if (op.kind != OperatorKind::gemm) return 0;
    if (op.phase != Phase::backward) return toy.forward;
    return op.weightPart ? toy.backwardWeight : toy.backwardInput;
}

} // namespace orrery
