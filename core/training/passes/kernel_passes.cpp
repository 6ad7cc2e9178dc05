// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/loss_kernels.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {
namespace {

Operator* findNamed(std::vector<Operator>& operators, const std::string& name) {
    const auto found = std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.name == name; });
    return found == operators.end() ? nullptr : &*found;
}

void eraseNamed(std::vector<Operator>& operators, const std::string& name) {
    std::erase_if(operators, [&](const Operator& op) { return op.name == name; });
}

void fuseFlashAttention(Graph& graph) {
    Operator* scores = findNamed(graph.forward, "attention.scores");
    const Operator* context = findNamed(graph.forward, "attention.context");
    if (!scores || !context) return;

    // Flash attention keeps one fp32 log-sum-exp a row instead of the matrix (Dao et al. 2022, algorithm 1).
    const double rows = scores->shape.m * scores->shape.batch;
    const TensorId logSumExp = addTensor(graph, "log_sum_exp", rows * 4, TensorRole::heads);

    Operator core;
    core.name = "attention.core";
    core.kind = OperatorKind::attention;
    core.role = TensorRole::heads;
    core.shape = scores->shape;
    core.sequences = scores->sequences;
    core.headsPerKey = scores->headsPerKey;
    core.valueWidth = scores->valueWidth;
    core.keysAreValues = scores->keysAreValues;
    core.flops = scores->flops + context->flops;
    core.inputs = {scores->inputs[0], scores->inputs[1], context->inputs[1]};
    core.outputs = {context->outputs[0], logSumExp};
    core.saved = {core.inputs[0], core.inputs[1], core.inputs[2], core.outputs[0], logSumExp};
    *scores = std::move(core);
    for (const char* name : {"attention.mask", "attention.softmax", "attention.probability_dropout", "attention.context"})
        eraseNamed(graph.forward, name);
}

/// Makes `second` read what `first` read, and removes `first`: its output never reaches memory.
void mergeInto(Graph& graph, const std::string& firstName, const std::string& secondName) {
    Operator* first = findNamed(graph.forward, firstName);
    Operator* second = findNamed(graph.forward, secondName);
    if (!first || !second) return;
    const TensorId between = first->outputs.front();
    std::vector<TensorId> inputs = first->inputs;
    for (TensorId input : second->inputs)
        if (input != between) inputs.push_back(input);
    std::vector<TensorId> saved = first->saved;
    for (TensorId id : second->saved)
        if (id != between) saved.push_back(id);
    second->inputs = std::move(inputs);
    second->outputs.insert(second->outputs.end(), first->outputs.begin() + 1, first->outputs.end());
    second->saved = std::move(saved);
    second->flops += first->flops;
    eraseNamed(graph.forward, firstName);
}

} // namespace

Graph fusionPass(Graph graph, const FusionOptions& options) {
    if (options.flash) fuseFlashAttention(graph);
    if (options.softmax) mergeInto(graph, "attention.mask", "attention.softmax");
    if (options.elementwise) {
        mergeInto(graph, "mlp.activation", "mlp.multiply");
        mergeInto(graph, "moe.activation", "moe.multiply");
        mergeInto(graph, "attention.dropout", "attention.residual");
        mergeInto(graph, "mlp.dropout", "mlp.residual");
    }
    replaceLoss(graph, options.loss, options.gathersLogits);
    return graph;
}

namespace {

/// Matrices that one product stands for, by how its name ends.
struct JoinedProduct {
    std::string_view ending;
    std::array<std::string_view, 3> parts;
    std::size_t count;
};

constexpr std::array<JoinedProduct, 2> joinedProducts{{{".qkv", {".q", ".k", ".v"}, 3}, {".gate_up", {".gate", ".up", ""}, 2}}};

const JoinedProduct* joinedProduct(const Operator& op) {
    if (op.kind != OperatorKind::gemm) return nullptr;
    for (const JoinedProduct& joined : joinedProducts)
        if (op.name.ends_with(joined.ending) && op.outputs.size() == joined.count) return &joined;
    return nullptr;
}

} // namespace

Graph separateProductsPass(Graph graph) {
    std::vector<Operator> forward;
    forward.reserve(graph.forward.size() + 3);
    for (Operator& op : graph.forward) {
        const JoinedProduct* joined = joinedProduct(op);
        if (!joined) {
            forward.push_back(std::move(op));
            continue;
        }
        const std::string stem = op.name.substr(0, op.name.size() - joined->ending.size());
        double bytes = 0;
        for (const TensorId output : op.outputs) bytes += bytesOf(graph, output);
        // A column has its rows and may have a bias; what is left over (attention's sinks) stays with the first.
        const double aColumn = std::floor(op.weights / op.shape.n);
        double rest = op.weights;
        for (std::size_t i = joined->count; i-- > 1;) rest -= aColumn * std::round(op.shape.n * bytesOf(graph, op.outputs[i]) / bytes);
        for (std::size_t i = 0; i < joined->count; ++i) {
            Operator part = op;
            part.name = stem + std::string(joined->parts[i]);
            part.outputs = {op.outputs[i]};
            part.shape.n = std::round(op.shape.n * bytesOf(graph, op.outputs[i]) / bytes);
            part.flops = op.flops * part.shape.n / op.shape.n;
            part.weights = i == 0 ? rest : aColumn * part.shape.n;
            forward.push_back(std::move(part));
        }
    }
    graph.forward = std::move(forward);
    return graph;
}

Graph fuseGradientSumsPass(Graph graph) {
    for (Operator& op : graph.backward) {
        if (op.kind != OperatorKind::residual || !op.name.ends_with(".gradient_sum") || op.inputs.size() != 2) continue;
        op.bytesRead = bytesOf(graph, op.inputs.back());
        op.bytesWritten = 0;
    }
    return graph;
}

namespace {

/// A kernel that moves a tensor into another order, as part of the collective beside it.
Operator layOut(const Operator& collective, TensorId from, TensorId to, double bytes) {
    Operator op;
    op.name = collective.name + ".lay_out";
    op.kind = OperatorKind::permute;
    op.role = TensorRole::whole;
    op.phase = collective.phase;
    op.weightPart = collective.weightPart;
    op.inputs = {from};
    op.outputs = {to};
    op.bytesRead = op.bytesWritten = bytes;
    return op;
}

std::vector<Operator> withCopies(Graph& graph, std::vector<Operator> operators) {
    std::vector<Operator> result;
    result.reserve(operators.size() + operators.size() / 2);
    for (Operator& op : operators) {
        const bool ofTensorRanks = op.kind == OperatorKind::collective && op.group == RankGroup::tensor;
        if (ofTensorRanks && op.collective == CollectiveKind::all_gather) {
            const TensorId whole = op.outputs.front();
            const TensorId byRank = addTensor(graph, graph.tensors[static_cast<std::size_t>(whole)].name + "_by_rank", bytesOf(graph, whole), TensorRole::whole);
            op.outputs.front() = byRank;
            Operator copy = layOut(op, byRank, whole, bytesOf(graph, whole));
            result.push_back(std::move(op));
            result.push_back(std::move(copy));
        } else if (ofTensorRanks && op.collective == CollectiveKind::reduce_scatter) {
            const TensorId whole = op.inputs.front();
            const TensorId byRank = addTensor(graph, graph.tensors[static_cast<std::size_t>(whole)].name + "_by_rank", bytesOf(graph, whole), TensorRole::whole);
            op.inputs.front() = byRank;
            result.push_back(layOut(op, whole, byRank, bytesOf(graph, whole)));
            result.push_back(std::move(op));
        } else {
            result.push_back(std::move(op));
        }
    }
    return result;
}

} // namespace

Graph layoutCopiesPass(Graph graph) {
    std::vector<Operator> forward = std::exchange(graph.forward, {}), backward = std::exchange(graph.backward, {});
    graph.forward = withCopies(graph, std::move(forward));
    graph.backward = withCopies(graph, std::move(backward));
    return graph;
}

namespace {

Operator copyOf(const std::string& name, Phase phase, double bytes) {
    Operator op;
    op.name = name;
    op.kind = OperatorKind::permute;
    op.phase = phase;
    op.bytesRead = op.bytesWritten = bytes / 2;
    op.trafficCounted = true;
    return op;
}

} // namespace

Graph weightCopiesPass(Graph graph, const WeightCopies& copies) {
    if (copies.gatheredBytes > 0) {
        const std::string name = graph.name + ".weights.lay_out";
        graph.forward.insert(graph.forward.begin(), copyOf(name, Phase::forward, copies.gatheredBytes));
        graph.backward.insert(graph.backward.begin(), copyOf(name + ".again", Phase::backward, copies.gatheredBytes));
    }
    if (copies.gradientBytes > 0) {
        Operator copy = copyOf(graph.name + ".gradients.lay_out", Phase::backward, copies.gradientBytes);
        copy.weightPart = true;
        graph.backward.push_back(std::move(copy));
    }
    return graph;
}

namespace {

double weightsOf(const Graph& graph, const Operator& backward) {
    for (const Operator& op : graph.forward)
        if (backward.name == op.name + std::string(weightGradientSuffix) || backward.name == op.name + ".backward") return op.weights + op.replicatedWeights;
    return 0;
}

} // namespace

Graph weightGradientPass(Graph graph, WeightGradients place) {
    if (place == WeightGradients::elsewhere) return graph;
    const bool kept = place == WeightGradients::kept;
    for (Operator& op : graph.backward) {
        const double elements = op.weightPart ? weightsOf(graph, op) : 0;
        if (elements <= 0) continue;
        const double together = kept || op.kind != OperatorKind::grouped_gemm ? elements : elements / op.shape.batch;
        const TensorId gradient = addTensor(graph, op.name.substr(0, op.name.rfind('.')) + ".weight_gradient", sixteenBit * together, TensorRole::whole);
        op.outputs.push_back(gradient);
        if (!kept) op.inputs.push_back(gradient); // added up and dropped
    }
    return graph;
}

} // namespace orrery
