// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/backward.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

class Derivation {
public:
    explicit Derivation(Graph graph)
        : graph_(std::move(graph)), gradients_(graph_.tensors.size(), -1), isPlaces_(graph_.tensors.size(), false) {
        for (const Operator& op : graph_.forward)
            if (op.kind == OperatorKind::top_k || op.kind == OperatorKind::permute)
                for (TensorId output : op.outputs) isPlaces_[static_cast<std::size_t>(output)] = !carriesGradient(op, output);
    }

    Graph run() {
        for (auto op = graph_.forward.rbegin(); op != graph_.forward.rend(); ++op) derive(*op);
        return std::move(graph_);
    }

private:
    void derive(const Operator& op) {
        switch (op.kind) {
        case OperatorKind::gemm:
        case OperatorKind::grouped_gemm: gemm(op); break;
        case OperatorKind::batched_gemm: batchedGemm(op); break;
        case OperatorKind::collective: collective(op); break;
        case OperatorKind::residual: residual(op); break;
        case OperatorKind::embedding: emit(op, ".backward", op.saved, {}).weightPart = true; break;
        default: {
            Operator& backward = emit(op, ".backward", op.saved, op.inputs);
            if (op.kind == OperatorKind::attention) backward.flops = 2 * op.flops;
            break;
        }
        }
    }

    void gemm(const Operator& op) {
        const TensorId input = op.inputs.front();
        const TensorId whole = isSaved(op, input) ? input : gatherAgain(input);
        Operator& dgrad = emit(op, ".dgrad", {}, {input});
        dgrad.shape = {op.shape.m, op.shape.k, op.shape.n, op.shape.batch};
        Operator& wgrad = append(op, ".wgrad");
        wgrad.shape = {op.shape.k, op.shape.n, op.shape.m, op.shape.batch};
        wgrad.weightPart = true;
        for (TensorId output : op.outputs) wgrad.inputs.push_back(gradient(output));
        wgrad.inputs.push_back(whole);
    }

    void batchedGemm(const Operator& op) {
        Operator& backward = emit(op, ".backward", op.saved, op.inputs);
        backward.flops = 2 * op.flops;
        backward.kernels = 2 * op.kernels;
        backward.shape = op.shape;
    }

    void collective(const Operator& op) {
        const TensorId output = gradient(op.outputs.front());
        if (op.backwardCollective == CollectiveKind::none) {
            alias(op.inputs.front(), output);
            return;
        }
        const TensorId input = gradient(op.inputs.front());
        Operator& backward = append(op, ".backward");
        backward.collective = op.backwardCollective;
        backward.inputs = {output};
        backward.outputs = {input};
    }

    /// An addition passes its gradient on unchanged; nothing runs unless a branch already has one to add to.
    /// With a fused dropout its mask is applied to the branch's gradient, the residual's is still passed on.
    void residual(const Operator& op) {
        const TensorId output = gradient(op.outputs.front());
        if (!op.saved.empty()) {
            emit(op, ".backward", op.saved, {op.inputs.begin(), op.inputs.end() - 1});
            if (gradientOf(op.inputs.back()) < 0)
                alias(op.inputs.back(), output);
            else
                accumulate(op, op.inputs.back(), output);
            return;
        }
        for (TensorId input : op.inputs) {
            if (gradientOf(input) < 0)
                alias(input, output);
            else
                accumulate(op, input, output);
        }
    }

    /// Adds `addend` to a gradient that another consumer of the tensor has produced already.
    void accumulate(const Operator& op, TensorId tensor, TensorId addend) {
        Operator sum;
        sum.name = op.name + ".gradient_sum";
        sum.kind = OperatorKind::residual;
        sum.phase = Phase::backward;
        sum.role = op.role;
        const TensorId target = gradientOf(tensor);
        sum.inputs = {target, addend};
        sum.outputs = {target};
        sum.flops = bytesOf(tensor) / 2;
        graph_.backward.push_back(std::move(sum));
    }

    /// One backward operator: reads the gradients of the outputs and `saved`, writes the gradients of `inputs`.
    Operator& emit(const Operator& op, const char* suffix, const std::vector<TensorId>& saved,
                   const std::vector<TensorId>& inputs) {
        std::vector<TensorId> reads;
        for (TensorId output : op.outputs)
            if (carriesGradient(op, output)) reads.push_back(gradient(output));
        for (TensorId id : saved)
            if (std::find(reads.begin(), reads.end(), id) == reads.end()) reads.push_back(id);
        std::vector<TensorId> writes;
        std::vector<std::pair<TensorId, TensorId>> sums;
        for (TensorId input : inputs) {
            if (isPlaces(input)) continue;
            if (gradientOf(input) < 0) {
                writes.push_back(gradient(input));
            } else {
                const TensorId fresh = newGradient(input);
                writes.push_back(fresh);
                sums.emplace_back(input, fresh);
            }
        }
        Operator& backward = append(op, suffix);
        backward.inputs = std::move(reads);
        backward.outputs = std::move(writes);
        const std::size_t index = graph_.backward.size() - 1;
        for (const auto& [tensor, fresh] : sums) accumulate(op, tensor, fresh);
        return graph_.backward[index];
    }

    Operator& append(const Operator& op, const char* suffix) {
        Operator backward = op;
        backward.name += suffix;
        backward.phase = Phase::backward;
        backward.hostWaits = false; // forward has counted the rows
        backward.weights = backward.replicatedWeights = 0;
        backward.inputs.clear();
        backward.outputs.clear();
        backward.saved.clear();
        graph_.backward.push_back(std::move(backward));
        return graph_.backward.back();
    }

    TensorId gatherAgain(TensorId whole) {
        for (const Operator& op : graph_.forward) {
            if (op.kind != OperatorKind::collective || op.outputs.front() != whole) continue;
            if (op.collective != CollectiveKind::all_gather) return op.inputs.front(); // an identity: the same bytes
            const TensorId copy = newTensor(whole, "_gathered_again");
            const TensorId shard = op.inputs.front();
            Operator& gather = append(op, ".again");
            gather.collective = CollectiveKind::all_gather;
            gather.weightPart = true;
            gather.inputs = {shard};
            gather.outputs = {copy};
            return copy;
        }
        return whole;
    }

    static bool isSaved(const Operator& op, TensorId id) {
        return std::find(op.saved.begin(), op.saved.end(), id) != op.saved.end();
    }

    /// A dropout's mask, flash attention's log-sum-exp and the places of routed tokens are outputs without a gradient.
    bool carriesGradient(const Operator& op, TensorId output) const {
        const bool isMask = output != op.outputs.front() && isSaved(op, output);
        if (isMask && (op.kind == OperatorKind::dropout || op.kind == OperatorKind::residual)) return false;
        if (isMask && op.kind == OperatorKind::attention) return false; // the log-sum-exp
        if (isMask && (op.kind == OperatorKind::top_k || op.kind == OperatorKind::permute)) return false;
        return op.kind != OperatorKind::cross_entropy; // the loss is where gradients begin
    }

    bool isPlaces(TensorId id) const {
        const auto index = static_cast<std::size_t>(id);
        return index < isPlaces_.size() && isPlaces_[index];
    }

    double bytesOf(TensorId id) const { return graph_.tensors[static_cast<std::size_t>(id)].bytes; }

    TensorId newTensor(TensorId like, const char* suffix) {
        Tensor tensor = graph_.tensors[static_cast<std::size_t>(like)];
        tensor.name += suffix;
        graph_.tensors.push_back(std::move(tensor));
        gradients_.push_back(-1);
        return static_cast<TensorId>(graph_.tensors.size()) - 1;
    }
    TensorId newGradient(TensorId of) { return newTensor(of, ".gradient"); }
    TensorId gradientOf(TensorId tensor) const { return gradients_[static_cast<std::size_t>(tensor)]; }
    TensorId gradient(TensorId tensor) {
        if (gradientOf(tensor) < 0) {
            const TensorId fresh = newGradient(tensor);
            gradients_[static_cast<std::size_t>(tensor)] = fresh;
        }
        return gradientOf(tensor);
    }
    void alias(TensorId tensor, TensorId gradientId) { gradients_[static_cast<std::size_t>(tensor)] = gradientId; }

    Graph graph_;
    std::vector<TensorId> gradients_; ///< by tensor; -1: none yet
    std::vector<bool> isPlaces_;      ///< forward's tensors that say where routed tokens go: whole numbers, no gradient
};

} // namespace

Graph deriveBackward(Graph graph) {
    if (!graph.backward.empty()) return graph;
    return Derivation(std::move(graph)).run();
}

} // namespace orrery
