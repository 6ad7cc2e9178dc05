// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph_builder.hpp"

#include <algorithm>

namespace orrery {
namespace {

TensorId addMlp(GraphBuilder& b, const Dimensions& d, const std::string& name, const std::string& tensorPrefix, double width,
                TensorId input) {
    const auto wide = [&](const char* tensor) {
        return b.tensor(tensorPrefix + tensor, d.tokens * width * activationBytes, TensorRole::heads);
    };
    TensorId activated;
    if (d.a.gatedMlp) {
        const TensorId gate = wide("gate");
        const TensorId up = wide("up");
        b.gemm(name + ".gate_up", TensorRole::column, input, {gate, up}, {d.tokens, 2 * width, d.hidden}, d.a.mlpBias);
        const TensorId curved = wide("activated_gate");
        Operator& act = b.add(name + ".activation", OperatorKind::activation, TensorRole::heads, {gate}, {curved});
        act.flops = activationFlops * d.tokens * width;
        act.saved = {gate};
        activated = wide("gated");
        Operator& multiply = b.add(name + ".multiply", OperatorKind::activation, TensorRole::heads, {curved, up}, {activated});
        multiply.flops = d.tokens * width;
        multiply.saved = {curved, up};
    } else {
        const TensorId up = wide("up");
        b.gemm(name + ".up", TensorRole::column, input, {up}, {d.tokens, width, d.hidden}, d.a.mlpBias);
        activated = wide("activated");
        Operator& act = b.add(name + ".activation", OperatorKind::activation, TensorRole::heads, {up}, {activated});
        act.flops = activationFlops * d.tokens * width;
        act.saved = {up};
    }
    const TensorId output = b.tensor(tensorPrefix + "mlp_output", d.hiddenBytes(), TensorRole::replicated);
    b.gemm(name + ".down", TensorRole::row, activated, {output}, {d.tokens, d.hidden, width}, d.a.mlpBias);
    return output;
}

/// The routed experts, dropless, with tokens shared out evenly. Nothing of it is split along a tensor group here: each rank
/// works on the tokens it has, and the expert passes share out experts.
class RoutedExperts {
public:
    RoutedExperts(GraphBuilder& builder, const Dimensions& dimensions, const Experts& experts)
        : b(builder), d(dimensions), e(experts), count_(double(experts.count)), ffn_(double(experts.ffn)),
          width_(double(dimensions.a.expertWidth())), rows_(dimensions.tokens * double(experts.perToken)), visited_(std::min(count_, rows_)) {}

    TensorId add(TensorId input) {
        route(input);
        permute(e.latent > 0 ? narrowed(input) : input);
        const TensorId given = applyExperts();
        const TensorId output = b.tensor("routed_output", d.tokens * width_ * activationBytes, TensorRole::replicated);
        Operator& back = b.add("moe.unpermute", OperatorKind::permute, TensorRole::replicated, {given, places_}, {output});
        back.flops = rows_ * width_;
        back.saved = {places_};
        return e.latent > 0 ? widened(output) : output;
    }

private:
    /// Down to the width in which experts work, before tokens travel, and up again.
    TensorId narrowed(TensorId input) {
        const TensorId narrow = b.tensor("latent_tokens", d.tokens * width_ * activationBytes, TensorRole::replicated);
        b.gemm("moe.latent_down", TensorRole::replicated, input, {narrow}, {d.tokens, width_, d.hidden}, false);
        return narrow;
    }
    TensorId widened(TensorId input) {
        const TensorId wide = b.tensor("latent_output", d.hiddenBytes(), TensorRole::replicated);
        b.gemm("moe.latent_up", TensorRole::replicated, input, {wide}, {d.tokens, d.hidden, width_}, false);
        return wide;
    }

    void route(TensorId input) {
        const double places = count_ + double(e.idle);
        const TensorId logits = b.tensor("router_logits", d.tokens * places * scoreBytes, TensorRole::replicated);
        Operator& router = b.gemm("moe.router", TensorRole::replicated, input, {logits}, {d.tokens, places, d.hidden}, e.routerBias);
        if (e.balancingBias) router.replicatedWeights += count_;
        if (e.routerInFp32) router.operandBytes = 4;

        scores_ = b.tensor("expert_scores", rows_ * scoreBytes, TensorRole::replicated);
        choice_ = b.tensor("expert_choice", rows_ * scoreBytes, TensorRole::replicated);
        Operator& choose = b.add("moe.top_k", OperatorKind::top_k, TensorRole::replicated, {logits}, {scores_, choice_});
        choose.flops = softmaxFlops * d.tokens * places;
        choose.saved = {logits, choice_};
    }

    void permute(TensorId input) {
        permuted_ = rowsTensor("permuted", width_);
        rowScores_ = b.tensor("permuted_scores", rows_ * scoreBytes, TensorRole::replicated);
        places_ = b.tensor("places", rows_ * scoreBytes, TensorRole::replicated);
        Operator& order = b.add("moe.permute", OperatorKind::permute, TensorRole::replicated, {input, scores_, choice_},
                                {permuted_, rowScores_, places_});
        order.saved = {places_};
    }

    /// A row's score is multiplied in before the product down, where the row is narrower and what comes out need not be kept.
    TensorId applyExperts() {
        const TensorId up = rowsTensor("expert_up", ffn_);
        TensorId curved = up;
        std::vector<TensorId> factors;
        if (d.a.gatedMlp) {
            const TensorId gate = rowsTensor("expert_gate", ffn_);
            grouped("moe.gate_up", permuted_, {gate, up}, 2 * ffn_, width_);
            curved = activate(gate);
            factors = {curved, up, rowScores_};
        } else {
            grouped("moe.up", permuted_, {up}, ffn_, width_);
            factors = {activate(up), rowScores_};
        }
        const TensorId weighted = rowsTensor("expert_weighted", ffn_);
        Operator& multiply = b.add("moe.multiply", OperatorKind::activation, TensorRole::replicated, factors, {weighted});
        multiply.flops = double(factors.size() - 1) * rows_ * ffn_;
        multiply.saved = factors;
        const TensorId given = rowsTensor("expert_output", width_);
        grouped("moe.down", weighted, {given}, width_, ffn_);
        return given;
    }

    TensorId activate(TensorId input) {
        const TensorId curved = rowsTensor("activated_expert", ffn_);
        Operator& act = b.add("moe.activation", OperatorKind::activation, TensorRole::replicated, {input}, {curved});
        act.flops = activationFlops * rows_ * ffn_;
        act.saved = {input};
        return curved;
    }

    void grouped(const char* name, TensorId input, std::vector<TensorId> outputs, double n, double k) {
        Operator& op = b.add(name, OperatorKind::grouped_gemm, TensorRole::replicated, {input}, std::move(outputs));
        op.shape = {rows_ / visited_, n, k, visited_};
        op.flops = 2 * rows_ * n * k;
        op.weights = count_ * n * k;
        if (e.bias) op.weights += count_ * n;
        op.saved = {input};
    }

    TensorId rowsTensor(const char* name, double width) {
        return b.tensor(name, rows_ * width * activationBytes, TensorRole::replicated);
    }

    GraphBuilder& b;
    const Dimensions& d;
    const Experts& e;
    double count_, ffn_;
    double width_;   ///< of what experts read and give
    double rows_;    ///< tokens times the experts each visits
    double visited_; ///< experts that get a row at all
    TensorId scores_ = -1, choice_ = -1, permuted_ = -1, rowScores_ = -1, places_ = -1;
};

TensorId addSharedExpert(GraphBuilder& b, const Dimensions& d, const Experts& experts, TensorId input) {
    const TensorId output = addMlp(b, d, "moe.shared", "shared_", double(experts.sharedFfn), input);
    if (!experts.sharedGate) return output;
    const TensorId gate = b.tensor("shared_expert_gate", d.tokens * activationBytes, TensorRole::replicated);
    b.gemm("moe.shared.gate", TensorRole::replicated, input, {gate}, {d.tokens, 1, d.hidden}, false);
    const TensorId scaled = b.tensor("shared_expert_scaled", d.hiddenBytes(), TensorRole::replicated);
    Operator& scale =
        b.add("moe.shared.scale", OperatorKind::activation, TensorRole::replicated, {output, gate}, {scaled});
    scale.flops = d.tokens * (d.hidden + activationFlops);
    scale.saved = {output, gate};
    return scaled;
}

} // namespace

std::vector<TensorId> addFeedForward(GraphBuilder& b, const Dimensions& d, const LayerKind& kind, TensorId input) {
    if (!kind.experts) return {addMlp(b, d, "mlp", "", double(d.a.ffn), input)};
    std::vector<TensorId> branches;
    if (d.a.experts->sharedFfn > 0) branches.push_back(addSharedExpert(b, d, *d.a.experts, input));
    branches.push_back(RoutedExperts(b, d, *d.a.experts).add(input));
    return branches;
}

} // namespace orrery
