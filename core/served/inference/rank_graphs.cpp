// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/rank_graphs.hpp"

#include "core/served/inference/routed_experts.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

bool isRouted(const Operator& op) {
    return op.name.starts_with("moe.") && !op.name.starts_with("moe.router") && !op.name.starts_with("moe.shared");
}

/// One operator in place of those from the choice to the sum.
void joinExperts(Graph& graph) {
    const auto first = std::find_if(graph.forward.begin(), graph.forward.end(), isRouted);
    if (first == graph.forward.end()) return;
    Operator joined;
    joined.name = routedExpertsName;
    joined.kind = OperatorKind::grouped_gemm;
    joined.role = TensorRole::whole;
    for (const Operator& op : graph.forward)
        if (isRouted(op)) joined.weights += op.weights;
    *first = std::move(joined);
    graph.forward.erase(std::remove_if(first + 1, graph.forward.end(), isRouted), graph.forward.end());
}

/// Latent attention's products from the hidden state to both latents are one (vLLM: fused_qkv_a_proj; SGLang: fused_qkv_a_proj_with_mqa;
/// TensorRT-LLM: fused_a): narrow as they are, each takes a launch's time by itself.
void joinLatentDowns(Graph& graph) {
    const auto named = [&](std::string_view name) { return std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; }); };
    const auto query = named("attention.q_down"), keyValue = named("attention.kv_down");
    if (query == graph.forward.end() || keyValue == graph.forward.end()) return;
    query->name = "attention.qkv_down";
    query->shape.n += keyValue->shape.n;
    query->flops += keyValue->flops;
    query->weights += keyValue->weights;
    query->replicatedWeights += keyValue->replicatedWeights;
    query->outputs.insert(query->outputs.end(), keyValue->outputs.begin(), keyValue->outputs.end());
    graph.forward.erase(keyValue);
}

/// A norm over all heads' width needs the sum of squares of every tensor rank: one all-reduce of two fp32 numbers a token, with kernels of its
/// own before and after (vLLM: MiniMaxText01RMSNormTP).
void sumWholeNorms(Graph& graph) {
    const auto named = [&](std::string_view name) { return std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; }); };
    const auto norm = named("attention.qk_norm"), projection = named("attention.qkv");
    if (norm == graph.forward.end() || projection == graph.forward.end()) return;
    norm->kernels *= 2;
    Operator sum;
    sum.name = "attention.qk_norm.reduce";
    sum.kind = OperatorKind::collective;
    sum.phase = Phase::communication;
    sum.collective = CollectiveKind::all_reduce;
    sum.group = RankGroup::tensor;
    sum.messageBytes = projection->shape.m * 2 * 4;
    graph.forward.insert(norm, std::move(sum));
}

/// Each tensor rank looks up the whole hidden state by itself.
void keepEmbeddingWhole(Graph& graph) {
    for (Operator& op : graph.forward) {
        if (op.kind != OperatorKind::embedding) continue;
        op.role = TensorRole::whole;
        op.replicatedWeights += std::exchange(op.weights, 0);
    }
}

/// The bias of a product whose partial sums are reduced is added by a kernel of its own, where nothing fuses it.
void addBiases(Graph& graph, bool fused) {
    if (fused) return;
    std::vector<Operator> operators;
    operators.reserve(graph.forward.size());
    for (Operator& op : graph.forward) {
        const bool biased = op.role == TensorRole::row && op.replicatedWeights > 0;
        Operator bias;
        if (biased) {
            bias.name = op.name + ".bias";
            bias.kind = OperatorKind::residual;
            bias.flops = op.shape.m * op.shape.n;
            bias.bytesRead = bias.bytesWritten = op.bytesWritten;
        }
        operators.push_back(std::move(op));
        if (biased) operators.push_back(std::move(bias));
    }
    graph.forward = std::move(operators);
}

void dropFused(Graph& graph, const FrameworkProfile& profile, bool fusesResidual) {
    const ServingProfile& serving = profile.serving;
    // Who lets norms quantise lets activations and attention quantise too: what is left is the narrow operand's writing.
    if (profile.normsQuantise)
        for (Operator& op : graph.forward) {
            if (!op.name.ends_with(".cast")) continue;
            op.kernels = 0;
            op.bytesRead = 0;
        }
    if (serving.fusesRotary)
        std::erase_if(graph.forward, [](const Operator& op) { return op.name == "attention.rotary" || op.name == "attention.store"; });
    if (!fusesResidual) return;
    constexpr std::string_view afterResidual[]{"attention.norm", "mlp.norm", "head.norm"};
    for (Operator& op : graph.forward) {
        if (std::find(std::begin(afterResidual), std::end(afterResidual), op.name) == std::end(afterResidual)) continue;
        op.kernels = 0;
        op.bytesRead = 0;
    }
}

} // namespace

Graph rankGraph(Graph piece, const EngineModel& engine, const EngineFormats& formats) {
    const FrameworkProfile& profile = engine.profile;
    if (profile.serving.joinsLatentDowns) joinLatentDowns(piece);
    piece = precisionPass(std::move(piece), formats.expertsAlone ? MatrixFormat::sixteen_bit : formats.product);
    piece = weightStoragePass(std::move(piece), formats.storage, formats.expertsAlone);
    piece = fusionPass(std::move(piece), {true, true, profile.fusedElementwise, LossKernel::fused, false});
    joinExperts(piece);
    if (profile.replicatesEmbedding) keepEmbeddingWhole(piece);
    piece = removeIdentities(tensorPass(std::move(piece), engine.model, engine.parallelism.tensor));
    settleTraffic(piece, {});
    Quantisation how;
    how.scaling = profile.tensorScaling;
    how.normsQuantise = profile.normsQuantise;
    piece = lowerPrecision(std::move(piece), how);
    const bool fuses = profile.serving.fusesResidual && engine.model.norm == NormKind::rms_norm;
    if (engine.parallelism.tensor > 1) addBiases(piece, fuses);
    if (engine.parallelism.tensor > 1 && engine.model.qkNorm == QkNorm::whole) sumWholeNorms(piece);
    dropFused(piece, profile, fuses);
    return piece;
}

TokenOperator::TokenOperator(Operator ofOne, const Operator& ofTwo)
    : one_(std::move(ofOne)), m_(ofTwo.shape.m - one_.shape.m), flops_(ofTwo.flops - one_.flops), read_(ofTwo.bytesRead - one_.bytesRead),
      written_(ofTwo.bytesWritten - one_.bytesWritten), message_(ofTwo.messageBytes - one_.messageBytes) {
    one_.inputs.clear();
    one_.outputs.clear();
    one_.saved.clear();
}

Operator TokenOperator::at(double tokens) const {
    Operator op;
    writeAt(tokens, op);
    return op;
}

void TokenOperator::writeAt(double tokens, Operator& op) const {
    op = one_;
    const double more = tokens - 1;
    op.shape.m += more * m_;
    op.flops += more * flops_;
    op.bytesRead += more * read_;
    op.bytesWritten += more * written_;
    op.messageBytes += more * message_;
}

std::vector<TokenOperator> tokenOperators(Graph ofOne, const Graph& ofTwo) {
    std::vector<TokenOperator> operators;
    operators.reserve(ofOne.forward.size());
    for (std::size_t i = 0; i < ofOne.forward.size(); ++i)
        if (!isOfGroup(ofOne.forward[i])) operators.emplace_back(std::move(ofOne.forward[i]), ofTwo.forward[i]);
    return operators;
}

} // namespace orrery
