// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
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
