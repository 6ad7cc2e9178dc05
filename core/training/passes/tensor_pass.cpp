// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery {
namespace {

class TensorPass {
public:
    TensorPass(Graph graph, const Architecture& architecture, int ranks, bool gathersEach)
        : graph_(std::move(graph)), architecture_(architecture), ranks_(ranks), gathersEach_(gathersEach),
          kvRanks_(std::min<double>(ranks, graph_.kvHeads > 0 ? graph_.kvHeads : double(architecture.kvHeads))) {}

    Graph run() {
        shareTensors();
        std::vector<Operator> operators = std::move(graph_.forward);
        graph_.forward.clear();
        graph_.forward.reserve(operators.size() + operators.size() / 2); // collectives come in between
        for (Operator& op : operators) place(std::move(op));
        return std::move(graph_);
    }

private:
    void shareTensors() {
        for (Tensor& tensor : graph_.tensors) {
            if (tensor.role == TensorRole::heads) tensor.bytes /= ranks_;
            if (tensor.role == TensorRole::kv_heads) tensor.bytes /= kvRanks_;
        }
    }

    void place(Operator op) {
        switch (op.role) {
        case TensorRole::column: column(std::move(op)); break;
        case TensorRole::row: row(std::move(op)); break;
        case TensorRole::vocabulary: vocabulary(std::move(op)); break;
        case TensorRole::heads:
            op.shape.batch /= ranks_;
            op.flops /= ranks_;
            op.weights /= ranks_;
            op.state.shareHeads(ranks_);
            graph_.forward.push_back(std::move(op));
            break;
        default: graph_.forward.push_back(std::move(op)); break;
        }
    }

    void column(Operator op) {
        const double before = op.shape.n;
        const bool perKeyHead = op.name == "attention.k" || op.name == "attention.v";
        op.shape.n = op.name == "attention.qkv" ? queryKeyValueColumns(op) : before / (perKeyHead ? kvRanks_ : ranks_);
        const double share = op.shape.n / before;
        op.flops *= share;
        op.weights *= share;
        const TensorId shard = op.inputs.front();
        op.inputs.front() = conjugateF(op.name, shard);
        op.saved = {shard};
        graph_.forward.push_back(std::move(op));
    }

    /// With fewer key-value heads than ranks each rank still holds one.
    double queryKeyValueColumns(const Operator& op) const {
        const double width = double(architecture_.headDim);
        const bool plain = graph_.kvHeads == 0 && architecture_.headValueDim == 0;
        if (plain) return double(architecture_.heads) * width / ranks_ + 2 * double(architecture_.kvHeads) * width / kvRanks_;
        // Sizes of the layer's own: what it makes says how wide each part is.
        double shared = 0, whole = 0;
        for (const TensorId output : op.outputs) {
            shared += tensor(output).bytes;
            whole += tensor(output).bytes * (tensor(output).role == TensorRole::kv_heads ? kvRanks_ : ranks_);
        }
        return whole > 0 ? op.shape.n * shared / whole : op.shape.n / ranks_;
    }

    void row(Operator op) {
        op.shape.k /= ranks_;
        op.flops /= ranks_;
        op.weights /= ranks_;
        // Parallel attention adds its two partial sums before the one reduction.
        if (architecture_.parallelAttention && op.name == "attention.output") {
            graph_.forward.push_back(std::move(op));
            return;
        }
        reduceOutput(std::move(op));
    }

    void vocabulary(Operator op) {
        op.weights /= ranks_;
        op.flops /= ranks_;
        if (op.kind == OperatorKind::embedding) {
            reduceOutput(std::move(op));
            return;
        }
        // The loss exchanges, per token, the largest logit, the sum of exponentials and the label's logit, in fp32.
        const double tokens = rowsOf(op.inputs.front(), op.operandBytes);
        const TensorId statistics = addTensor(graph_, "loss_statistics", 3 * 4 * tokens, TensorRole::whole);
        Operator reduce = collective("head.loss.reduce", op.inputs.front(), statistics, 3 * 4 * tokens);
        reduce.collective = CollectiveKind::all_reduce;
        reduce.kernels = 3;
        op.inputs.push_back(statistics);
        graph_.forward.push_back(std::move(reduce));
        graph_.forward.push_back(std::move(op));
    }

    double rowsOf(TensorId logits, double elementBytes) const {
        return tensor(logits).bytes / elementBytes * ranks_ / double(architecture_.vocabulary);
    }

    /// Megatron's f: identity forward, all-reduce backward. One for all operators that read the same input, or one each.
    TensorId conjugateF(const std::string& name, TensorId input) {
        const auto known = gathered_.find(input);
        if (known != gathered_.end() && !gathersEach_) return known->second;
        // An identity is the same memory under another name, so the copy counts nothing.
        const TensorId whole = addTensor(graph_, tensor(input).name + "_whole", 0, TensorRole::whole);
        Operator f = collective(name + ".input", input, whole, tensor(input).bytes);
        f.backwardCollective = CollectiveKind::all_reduce;
        graph_.forward.push_back(std::move(f));
        gathered_[input] = whole;
        return whole;
    }

    /// Megatron's g: all-reduce forward, identity backward.
    void reduceOutput(Operator op) {
        const TensorId reduced = op.outputs.front();
        const TensorId partial = addTensor(graph_, tensor(reduced).name + "_partial", 0, TensorRole::whole);
        op.outputs.front() = partial;
        Operator g = collective(op.name + ".reduce", partial, reduced, tensor(reduced).bytes);
        g.collective = CollectiveKind::all_reduce;
        graph_.forward.push_back(std::move(op));
        graph_.forward.push_back(std::move(g));
    }

    static Operator collective(std::string name, TensorId input, TensorId output, double bytes) {
        Operator op = collectiveOperator(std::move(name), RankGroup::tensor, bytes);
        op.inputs = {input};
        op.outputs = {output};
        return op;
    }

    const Tensor& tensor(TensorId id) const { return graph_.tensors[static_cast<std::size_t>(id)]; }

    Graph graph_;
    const Architecture& architecture_;
    int ranks_;
    bool gathersEach_;
    double kvRanks_; ///< that share key heads out: no more than there are
    std::map<TensorId, TensorId> gathered_;
};

} // namespace

Graph tensorPass(Graph graph, const Architecture& architecture, int ranks, bool gathersEach) {
    if (ranks == 1) return graph;
    return TensorPass(std::move(graph), architecture, ranks, gathersEach).run();
}

} // namespace orrery
