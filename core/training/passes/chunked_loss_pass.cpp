// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
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
