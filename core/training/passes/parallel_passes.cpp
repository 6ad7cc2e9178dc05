// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

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

Graph sequencePass(Graph graph, int ranks) {
    if (ranks == 1) return graph;
    for (Tensor& tensor : graph.tensors)
        if (tensor.role == TensorRole::replicated) tensor.bytes /= ranks;
    for (Operator& op : graph.forward) {
        if (op.role == TensorRole::replicated) {
            op.flops /= ranks;
            op.shape.m /= ranks;
        }
        const bool conjugate = op.kind == OperatorKind::collective && op.group == RankGroup::tensor && op.kernels == 1 &&
                               op.collective != CollectiveKind::all_gather;
        if (!conjugate) continue;
        // f becomes gather and scatter, g the other way round; the whole side now takes memory of its own.
        if (op.collective == CollectiveKind::none) {
            op.collective = CollectiveKind::all_gather;
            op.backwardCollective = CollectiveKind::reduce_scatter;
            graph.tensors[static_cast<std::size_t>(op.outputs.front())].bytes = op.messageBytes;
        } else {
            op.collective = CollectiveKind::reduce_scatter;
            op.backwardCollective = CollectiveKind::all_gather;
            graph.tensors[static_cast<std::size_t>(op.inputs.front())].bytes = op.messageBytes;
        }
    }
    return graph;
}

Graph keepGatheredInputs(Graph graph) {
    std::set<TensorId> gathered;
    for (Operator& op : graph.forward) {
        const bool gathers = op.kind == OperatorKind::collective && op.group == RankGroup::tensor && op.collective == CollectiveKind::all_gather;
        if (gathers) gathered.insert(op.outputs.begin(), op.outputs.end());
        if (op.kind == OperatorKind::gemm && gathered.contains(op.inputs.front())) op.saved = {op.inputs.front()};
    }
    return graph;
}

Graph shareGathersPass(Graph graph) {
    std::map<TensorId, TensorId> gathered, same; // by input; by the output that another's stands for
    std::erase_if(graph.forward, [&](const Operator& op) {
        if (op.kind != OperatorKind::collective || op.group != RankGroup::tensor || op.collective != CollectiveKind::all_gather) return false;
        const auto [known, first] = gathered.try_emplace(op.inputs.front(), op.outputs.front());
        if (!first) same[op.outputs.front()] = known->second;
        return !first;
    });
    if (same.empty()) return graph;
    for (std::vector<Operator>* operators : {&graph.forward, &graph.backward})
        for (Operator& op : *operators)
            for (std::vector<TensorId>* ids : {&op.inputs, &op.saved})
                for (TensorId& id : *ids)
                    if (const auto known = same.find(id); known != same.end()) id = known->second;
    return graph;
}

Graph removeIdentities(Graph graph) {
    const auto isIdentity = [](const Operator& op) {
        return op.kind == OperatorKind::collective && op.collective == CollectiveKind::none;
    };
    // What an identity keeps, the input of a layer that is made again, its reader keeps.
    for (std::size_t i = 0; i + 1 < graph.forward.size(); ++i) {
        if (!isIdentity(graph.forward[i])) continue;
        const std::vector<TensorId>& kept = graph.forward[i].saved;
        graph.forward[i + 1].saved.insert(graph.forward[i + 1].saved.end(), kept.begin(), kept.end());
    }
    std::erase_if(graph.forward, isIdentity);
    std::erase_if(graph.backward, isIdentity);
    return graph;
}

namespace {

class ContextPass {
public:
    ContextPass(Graph graph, int ranks, ContextMethod method) : graph_(std::move(graph)), ranks_(ranks), method_(method) {}

    Graph run() {
        for (Tensor& tensor : graph_.tensors) tensor.bytes /= ranks_;
        std::vector<Operator> operators = std::move(graph_.forward);
        for (const Operator& op : operators)
            if (op.name == "attention.context") values_ = op.inputs[1];
        graph_.forward.clear();
        for (Operator& op : operators) place(std::move(op));
        return std::move(graph_);
    }

private:
    static bool isCore(const Operator& op) {
        return op.name == "attention.core" || op.name == "attention.scores" || op.name == "attention.context";
    }

    void place(Operator op) {
        op.flops /= ranks_;
        op.messageBytes /= ranks_;
        op.state.tokens /= ranks_;
        op.state.flops /= ranks_;
        // Heads for tokens leaves every rank fewer heads at full length; otherwise fewer queries meet all keys.
        const bool ofChunks = op.name.starts_with("state.scan");
        if (ofChunks || (isCore(op) && method_ == ContextMethod::all_to_all)) op.shape.batch /= ranks_;
        else op.shape.m /= ranks_;
        const bool reads = op.name == "attention.core" || op.name == "attention.scores";
        const bool ends = op.name == "attention.core" || op.name == "attention.context";
        if (reads && method_ == ContextMethod::all_to_all) exchange(op.name + ".heads_for_tokens", op, op.inputs.size());
        if (reads && method_ != ContextMethod::all_to_all) share(op);
        if (op.name == "state.scan.carry" || op.name == "state.scan.selective") passState(op);
        const TensorId result = op.outputs.front();
        graph_.forward.push_back(std::move(op));
        if (ends && method_ == ContextMethod::all_to_all) exchangeBack(result);
    }

    /// Keys and values of all ranks, backward their gradients the other way. Round a ring nobody waits for them: what a rank
    /// needs next arrives while it works on what it has.
    void share(Operator& op) {
        const std::size_t last = op.name == "attention.core" ? std::min<std::size_t>(3, op.inputs.size()) : std::min<std::size_t>(2, op.inputs.size());
        double bytes = 0;
        for (std::size_t i = 1; i < last; ++i) bytes += bytesOf(graph_, op.inputs[i]);
        // Unfused attention reads values in another kernel; they travel with the keys.
        if (op.name == "attention.scores") bytes += bytesOf(graph_, values_);
        Operator gather = collectiveOperator("context.keys_values", RankGroup::context, bytes * ranks_);
        gather.collective = CollectiveKind::all_gather;
        gather.backwardCollective = CollectiveKind::reduce_scatter;
        gather.inputs = {op.inputs[1]};
        gather.outputs = {addTensor(graph_, "all_keys_values", method_ == ContextMethod::ring ? bytes : bytes * ranks_, TensorRole::whole)};
        if (method_ == ContextMethod::all_gather) op.inputs.push_back(gather.outputs.front());
        graph_.forward.push_back(std::move(gather));
    }

    /// What a rank's tokens make of the state goes to the ranks of later tokens, whose own states it joins; backward the other way.
    void passState(Operator& op) {
        const double bytes = bytesOf(graph_, op.outputs.back()) * ranks_; // a rank's state is whole, however few tokens it has
        Operator pass = collectiveOperator("context.states", RankGroup::context, bytes * ranks_);
        pass.collective = CollectiveKind::all_gather;
        pass.backwardCollective = CollectiveKind::reduce_scatter;
        pass.inputs = {op.inputs.front()};
        pass.outputs = {addTensor(graph_, "states_of_ranks", bytes * ranks_, TensorRole::whole)};
        op.inputs.push_back(pass.outputs.front());
        graph_.forward.push_back(std::move(pass));
    }

    void exchange(const std::string& name, Operator& op, std::size_t inputs) {
        double bytes = 0;
        for (std::size_t i = 0; i < inputs; ++i) bytes += bytesOf(graph_, op.inputs[i]);
        if (op.name == "attention.scores") bytes += bytesOf(graph_, values_);
        Operator swap = collectiveOperator(name, RankGroup::context, bytes);
        swap.collective = swap.backwardCollective = CollectiveKind::all_to_all;
        swap.inputs = {op.inputs.front()};
        swap.outputs = {addTensor(graph_, "exchanged_heads", bytesOf(graph_, op.inputs.front()), TensorRole::whole)};
        op.inputs.front() = swap.outputs.front();
        if (!op.saved.empty()) std::replace(op.saved.begin(), op.saved.end(), swap.inputs.front(), swap.outputs.front());
        graph_.forward.push_back(std::move(swap));
    }

    void exchangeBack(TensorId result) {
        Operator swap = collectiveOperator("attention.core.tokens_for_heads", RankGroup::context, bytesOf(graph_, result));
        swap.collective = swap.backwardCollective = CollectiveKind::all_to_all;
        const TensorId whole = addTensor(graph_, "context_of_all_heads", bytesOf(graph_, result), TensorRole::heads);
        // The attention core's result becomes the exchange's input; whoever read it reads what comes out.
        graph_.forward.back().outputs.front() = whole;
        swap.inputs = {whole};
        swap.outputs = {result};
        graph_.forward.push_back(std::move(swap));
    }

    Graph graph_;
    double ranks_;
    ContextMethod method_;
    TensorId values_ = -1; ///< of unfused attention
};

} // namespace

Graph contextPass(Graph graph, int ranks, ContextMethod method) {
    if (ranks == 1) return graph;
    return ContextPass(std::move(graph), ranks, method).run();
}

} // namespace orrery
