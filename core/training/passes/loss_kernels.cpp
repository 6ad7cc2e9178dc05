// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/loss_kernels.hpp"
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace orrery {
namespace {

class LossKernels {
public:
    LossKernels(Graph& graph, std::size_t at, LossKernel kernel) : graph_(graph), kernel_(kernel) {
        loss_ = graph.forward[at];
        graph.forward.erase(graph.forward.begin() + static_cast<std::ptrdiff_t>(at));
        logits_ = loss_.inputs.front();
    }

    void gatherLogits() {
        const TensorId whole = addTensor(graph_, "whole_logits", bytesOf(graph_, logits_), TensorRole::whole);
        Operator gather = collectiveOperator("head.logits.gather", RankGroup::tensor, bytesOf(graph_, logits_));
        gather.collective = CollectiveKind::all_gather;
        gather.inputs = {logits_};
        gather.outputs = {whole};
        graph_.forward.push_back(std::move(gather));
        logits_ = whole;
        loss_.role = TensorRole::whole;
        role_ = TensorRole::whole;
    }

    void add() {
        loss_.inputs.front() = logits_;
        switch (kernel_) {
        case LossKernel::in_place_fp32:
            graph_.tensors[static_cast<std::size_t>(loss_.outputs.front())].role = role_;
            break;
        case LossKernel::copied_fp32: {
            const TensorId copy = addTensor(graph_, "float_logits", 2 * bytesOf(graph_, logits_), role_);
            addKernel("head.loss.float", OperatorKind::activation, logits_, copy, 0.1);
            loss_.inputs.front() = copy;
            loss_.operandBytes *= 2;
            graph_.tensors[static_cast<std::size_t>(loss_.outputs.front())].role = role_;
            break;
        }
        case LossKernel::fused:
            loss_.outputs.clear();
            loss_.saved = {logits_};
            break;
        case LossKernel::eager_16_bit:
            addEager(logits_, bytesOf(graph_, logits_));
            // The training loop's variable holds them; after a cast nothing would.
            graph_.forward.back().saved.push_back(logits_);
            break;
        case LossKernel::eager_fp32: {
            const double bytes = 2 * bytesOf(graph_, logits_);
            const TensorId copy = addTensor(graph_, "float_logits", bytes, role_);
            addKernel("head.loss.float", OperatorKind::activation, logits_, copy, 0.1);
            addEager(copy, bytes);
            break;
        }
        }
        graph_.forward.push_back(std::move(loss_));
    }

private:
    /// Log-softmax and the choice of the label's entry as two kernels; the first is kept, the second's gradient is a whole tensor.
    void addEager(TensorId logits, double bytes) {
        const TensorId logProbabilities = addTensor(graph_, "log_probabilities", bytes, role_);
        Operator& softmax = addKernel("head.loss.log_softmax", OperatorKind::softmax, logits, logProbabilities, 0.9);
        softmax.saved = {logProbabilities};
        loss_.inputs.front() = logProbabilities;
        loss_.outputs.clear();
        loss_.saved.clear();
        loss_.flops = 0;
        loss_.operandBytes = 2 * bytes / bytesOf(graph_, logits_);
    }

    Operator& addKernel(const char* name, OperatorKind kind, TensorId input, TensorId output, double shareOfFlops) {
        Operator op;
        op.name = name;
        op.kind = kind;
        op.role = role_;
        op.flops = shareOfFlops * loss_.flops;
        op.inputs = {input};
        op.outputs = {output};
        graph_.forward.push_back(std::move(op));
        return graph_.forward.back();
    }

    Graph& graph_;
    LossKernel kernel_;
    Operator loss_;
    TensorId logits_ = 0;
    TensorRole role_ = TensorRole::heads;
};

} // namespace

void replaceLoss(Graph& graph, LossKernel kernel, bool gathersLogits) {
    const auto loss = std::find_if(graph.forward.begin(), graph.forward.end(), [](const Operator& op) { return op.kind == OperatorKind::cross_entropy; });
    if (loss == graph.forward.end() || (kernel == LossKernel::in_place_fp32 && !gathersLogits)) return;
    LossKernels kernels(graph, static_cast<std::size_t>(loss - graph.forward.begin()), kernel);
    if (gathersLogits) kernels.gatherLogits();
    kernels.add();
}

Graph parallelLossPass(Graph graph) {
    const auto named = [](std::vector<Operator>& operators, const char* name) {
        return std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.name == name; });
    };
    const auto softmax = named(graph.forward, "head.loss.log_softmax");
    const auto gradient = named(graph.backward, "head.loss.log_softmax.backward");
    if (softmax == graph.forward.end() || gradient == graph.backward.end()) return graph;
    const auto kernel = [](const Operator& like, const char* name, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
        Operator op = like;
        op.name = name;
        op.flops = like.flops / 4;
        op.inputs = std::move(inputs);
        op.outputs = std::move(outputs);
        op.saved.clear();
        return op;
    };
    const TensorId logits = softmax->inputs.front(), logProbabilities = softmax->outputs.front();
    const Tensor like = graph.tensors[static_cast<std::size_t>(logProbabilities)];
    const TensorId shifted = addTensor(graph, "shifted_logits", like.bytes, like.role), exponentials = addTensor(graph, "exponentials", like.bytes, like.role);
    // The largest is found and taken off; the logarithm of the exponentials' sum is taken off what that left.
    std::vector<Operator> forward{kernel(*softmax, "head.loss.shift", {logits, logits}, {shifted}),
                                  kernel(*softmax, "head.loss.exponential", {shifted}, {exponentials}),
                                  kernel(*softmax, "head.loss.sum", {exponentials}, {})};
    forward.front().kernels = 2;
    softmax->inputs = {shifted};
    softmax->flops /= 4;
    graph.forward.insert(softmax, std::make_move_iterator(forward.begin()), std::make_move_iterator(forward.end()));

    // Both gradients in one function, whose variables hold what they name until it ends.
    const TensorId chosen = gradient->inputs.front(), result = gradient->outputs.front();
    const TensorId again = addTensor(graph, "exponentials_again", like.bytes, like.role), sum = addTensor(graph, "gradient_sum", like.bytes, like.role);
    std::vector<Operator> backward{kernel(*gradient, "head.loss.exponential.again", {logProbabilities, chosen}, {again}),
                                   kernel(*gradient, "head.loss.gradient_sum", {chosen, again, logProbabilities}, {sum})};
    *gradient = kernel(*gradient, "head.loss.log_softmax.backward", {sum, chosen, logProbabilities}, {result});
    graph.backward.insert(gradient, std::make_move_iterator(backward.begin()), std::make_move_iterator(backward.end()));
    return graph;
}

Graph lossInPlacePass(Graph graph) {
    const auto loss = std::find_if(graph.backward.begin(), graph.backward.end(), [](const Operator& op) { return op.kind == OperatorKind::cross_entropy; });
    if (loss == graph.backward.end() || loss->outputs.empty() || loss->inputs.empty()) return graph;
    const TensorId logits = loss->inputs.front(), gradient = loss->outputs.front();
    if (bytesOf(graph, gradient) > bytesOf(graph, logits)) return graph;
    bytesOf(graph, gradient) = 0;
    for (auto op = std::next(loss); op != graph.backward.end(); ++op)
        if (std::find(op->inputs.begin(), op->inputs.end(), gradient) != op->inputs.end()) op->inputs.push_back(logits);
    return graph;
}

namespace {

/// Words that a token has logits of: a tensor rank's share of the vocabulary, or all where the loss gathers them.
double wordsOf(const Graph& graph, const OperatorShape& product) {
    const auto gather = std::find_if(graph.forward.begin(), graph.forward.end(), [](const Operator& op) { return op.name == "head.logits.gather"; });
    if (gather == graph.forward.end()) return product.n;
    return product.n * bytesOf(graph, gather->outputs.front()) / bytesOf(graph, gather->inputs.front());
}

/// Parts that Liger cuts a micro-batch's tokens into, so that the logits of one weigh no more than the hidden states of all: a power of
/// two of tokens, at least T / ⌈V/H⌉ (Hsu et al. 2024, arXiv 2410.10989, section 3.2).
double partsOf(const OperatorShape& product, double words) {
    const double wanted = std::ceil(product.m / std::ceil(words / product.k));
    const double tokens = std::exp2(std::ceil(std::log2(std::max(1.0, wanted))));
    return std::ceil(product.m / tokens);
}

class LossInParts {
public:
    LossInParts(Graph& graph, const Operator& product) : graph_(graph), product_(product.name), parts_(partsOf(product.shape, wordsOf(graph, product.shape))), wide_(graph.tensors.size(), false) {}

    void run() {
        if (parts_ <= 1) return;
        bool begun = false; // what comes before the product knows nothing of the vocabulary
        for (Operator& op : graph_.forward) {
            begun = begun || op.name == product_;
            if (begun && (op.name == product_ || touchesWide(op))) divide(op);
        }
        for (Operator& op : graph_.backward)
            if (isGradientOfProduct(op)) divideProduct(op);
            else if (op.name == product_ || op.kind == OperatorKind::cross_entropy || touchesWide(op)) divide(op);
        for (std::size_t id = 0; id < wide_.size(); ++id)
            if (wide_[id]) graph_.tensors[id].bytes /= parts_;
    }

private:
    bool isGradientOfProduct(const Operator& op) const { return op.kind == OperatorKind::gemm && op.name.starts_with(product_ + "."); }

    bool touchesWide(const Operator& op) const {
        const auto isWide = [&](TensorId id) { return wide_[static_cast<std::size_t>(id)]; };
        return std::any_of(op.inputs.begin(), op.inputs.end(), isWide) || std::any_of(op.outputs.begin(), op.outputs.end(), isWide);
    }

    /// What it makes is a part's, and the next part's in the same place.
    void divide(Operator& op) {
        for (const TensorId id : op.outputs) wide_[static_cast<std::size_t>(id)] = true;
        if (op.kind == OperatorKind::gemm) {
            divideProduct(op);
        } else {
            repeat(op);
        }
    }

    void divideProduct(Operator& op) {
        // Tokens are the depth of the weight gradient, which each part adds to, and the rows of the other two.
        (op.weightPart ? op.shape.k : op.shape.m) /= parts_;
        repeat(op);
    }

    void repeat(Operator& op) {
        op.repeats = static_cast<int>(parts_);
        op.kernels *= op.repeats;
    }

    Graph& graph_;
    std::string product_;
    double parts_;
    std::vector<bool> wide_; ///< tensors with an entry for each token and word
};

} // namespace

Graph chunkedLossPass(Graph graph) {
    const auto product = std::find_if(graph.forward.begin(), graph.forward.end(), [](const Operator& op) { return op.name.ends_with("head.logits"); });
    if (product != graph.forward.end()) LossInParts(graph, *product).run();
    return graph;
}

} // namespace orrery
