// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/loss_kernels.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <utility>

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

} // namespace orrery
