// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// What both passes do: insert collectives round the experts' work, and change the work between them.
class ExpertWork {
public:
    explicit ExpertWork(Graph graph) : graph_(std::move(graph)) {}

    Graph take() { return std::move(graph_); }
    double& bytesOf(TensorId id) { return orrery::bytesOf(graph_, id); }
    std::vector<Operator>& operators() { return graph_.forward; }

    TensorId add(std::string name, double bytes) { return addTensor(graph_, std::move(name), bytes, TensorRole::whole); }

    TensorId exchange(const char* name, CollectiveKind forward, CollectiveKind backward, RankGroup group, TensorId input, double outBytes,
                      double message) {
        const TensorId output = add(std::string(name) + "ed", outBytes);
        Operator op = collectiveOperator(name, group, message);
        op.collective = forward;
        op.backwardCollective = backward;
        op.inputs = {input};
        op.outputs = {output};
        graph_.forward.push_back(std::move(op));
        return output;
    }

    /// Rows that lie by the rank they came from, put by expert; or back.
    TensorId sort(const char* name, TensorId input) {
        const TensorId output = add(std::string(name) + "ed", bytesOf(input));
        Operator op;
        op.name = name;
        op.kind = OperatorKind::permute;
        op.role = TensorRole::whole;
        op.inputs = {input};
        op.outputs = {output};
        graph_.forward.push_back(std::move(op));
        return output;
    }

    static void rename(Operator& op, TensorId from, TensorId to) {
        std::replace(op.inputs.begin(), op.inputs.end(), from, to);
        std::replace(op.saved.begin(), op.saved.end(), from, to);
    }

private:
    Graph graph_;
};

} // namespace

Graph expertPass(Graph graph, const ExpertSharing& sharing) {
    ExpertWork work(std::move(graph));
    const double load = sharing.load;
    const bool exchanges = sharing.experts > 1, once = exchanges && sharing.visitedRanks > 0;
    // What every rank gathers does not depend on where the load is.
    const double arriving = sharing.gathers ? sharing.visitedRanks : load * sharing.visitedRanks;
    const CollectiveKind out = sharing.gathers ? CollectiveKind::all_gather : CollectiveKind::all_to_all;
    const CollectiveKind back = sharing.gathers ? CollectiveKind::reduce_scatter : CollectiveKind::all_to_all;
    std::vector<Operator> operators = std::exchange(work.operators(), {});
    const bool sorts = exchanges && !once && std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
                           return op.kind == OperatorKind::grouped_gemm && op.shape.batch > sharing.experts;
                       });
    bool inside = false; // between dispatch and combine: work on the rows that came in
    TensorId sent = -1, received = -1;
    for (Operator& op : operators) {
        const bool dispatches = op.name == "moe.permute", combines = op.name == "moe.unpermute" && inside;
        if (combines) {
            inside = false;
            TensorId& given = op.inputs.front();
            const double bytes = work.bytesOf(given);
            if (sorts) given = work.sort("moe.unsort", given);
            if (exchanges && !once)
                given = work.exchange("moe.combine", CollectiveKind::all_to_all, CollectiveKind::all_to_all, RankGroup::expert, given, bytes / load, bytes);
        }
        if (dispatches && once) {
            const double bytes = arriving * work.bytesOf(op.inputs.front());
            op.inputs.front() = work.exchange("moe.dispatch", out, back, RankGroup::expert, op.inputs.front(), bytes, bytes);
            for (const TensorId output : op.outputs) work.bytesOf(output) *= load;
        }
        if (inside) {
            if (received != sent) ExpertWork::rename(op, sent, received);
            for (const TensorId output : op.outputs) work.bytesOf(output) *= load;
            op.flops *= load;
            if (op.kind == OperatorKind::grouped_gemm) {
                // The rows in all stay as many, for fewer experts.
                const double local = std::max(1.0, op.shape.batch / sharing.experts);
                op.shape.m *= load * op.shape.batch / local;
                op.shape.batch = local;
                op.weights /= sharing.experts;
            }
        }
        const TensorId whole = combines ? op.outputs.front() : -1;
        work.operators().push_back(std::move(op));
        if (combines && once) {
            // Sums of each token's rows go back, and are added up where the token came from.
            const double bytes = arriving * work.bytesOf(whole);
            const TensorId partial = work.add("routed_partial", bytes);
            work.operators().back().outputs.front() = partial;
            work.exchange("moe.combine", back, out, RankGroup::expert, partial, 0, bytes);
            work.operators().back().outputs.front() = whole;
        }
        if (!dispatches) continue;
        inside = true;
        sent = received = work.operators().back().outputs.front();
        if (!exchanges || once) continue;
        const double bytes = load * work.bytesOf(sent);
        received = work.exchange("moe.dispatch", CollectiveKind::all_to_all, CollectiveKind::all_to_all, RankGroup::expert, sent, bytes, bytes);
        if (sorts) received = work.sort("moe.sort", received);
    }
    return work.take();
}

Graph expertTensorPass(Graph graph, int ranks) {
    if (ranks == 1) return graph;
    const bool exchanged = std::any_of(graph.forward.begin(), graph.forward.end(), [](const Operator& op) { return op.name == "moe.dispatch"; });
    ExpertWork work(std::move(graph));
    const double t = ranks;
    std::vector<Operator> operators = std::exchange(work.operators(), {});
    bool inside = false;
    TensorId own = -1, all = -1; // a rank's own rows, and those of all that share its experts' matrices
    for (Operator& op : operators) {
        if (inside && op.name == (exchanged ? "moe.combine" : "moe.unpermute")) {
            inside = false;
            TensorId& given = op.inputs.front();
            const double bytes = work.bytesOf(given);
            given = work.exchange("moe.combine.scatter", CollectiveKind::reduce_scatter, CollectiveKind::all_gather, RankGroup::expert_tensor, given,
                                  bytes / t, bytes);
        }
        if (inside) {
            ExpertWork::rename(op, own, all);
            const bool narrow = !op.name.starts_with("moe.down") && op.kind != OperatorKind::permute; // what comes out is a slice of the expert's width
            for (const TensorId output : op.outputs) work.bytesOf(output) *= narrow ? 1 : t;
            if (op.kind == OperatorKind::grouped_gemm) {
                op.shape.m *= t;
                (narrow ? op.shape.n : op.shape.k) /= t;
                op.weights /= t;
            }
        }
        const bool begins = op.name == (exchanged ? "moe.dispatch" : "moe.permute");
        work.operators().push_back(std::move(op));
        if (!begins) continue;
        inside = true;
        own = work.operators().back().outputs.front();
        const double bytes = t * work.bytesOf(own);
        all = work.exchange("moe.dispatch.gather", CollectiveKind::all_gather, CollectiveKind::reduce_scatter, RankGroup::expert_tensor, own, bytes, bytes);
    }
    return work.take();
}

namespace {

/// Adds kernels behind an operator, one after the other.
class Chain {
public:
    Chain(Graph& graph, std::ptrdiff_t behind) : graph_(graph), place_(behind + 1) {}

    TensorId tensor(std::string name, double bytes) { return addTensor(graph_, std::move(name), bytes, TensorRole::replicated); }

    void add(std::string name, std::vector<TensorId> inputs, std::vector<TensorId> outputs, std::vector<TensorId> saved, double flops) {
        Operator op;
        op.name = std::move(name);
        op.kind = OperatorKind::activation;
        op.role = TensorRole::replicated;
        op.inputs = std::move(inputs);
        op.outputs = std::move(outputs);
        op.saved = std::move(saved);
        op.flops = flops;
        graph_.forward.insert(graph_.forward.begin() + place_, std::move(op));
        ++place_;
    }

    /// Whoever read `from` behind the chain reads `to`.
    void hand(TensorId from, TensorId to) {
        for (auto op = graph_.forward.begin() + place_; op != graph_.forward.end(); ++op) {
            std::replace(op->inputs.begin(), op->inputs.end(), from, to);
            std::replace(op->saved.begin(), op->saved.end(), from, to);
        }
    }

private:
    Graph& graph_;
    std::ptrdiff_t place_;
};

constexpr double fp32 = 4; ///< bytes

std::ptrdiff_t placeOf(const Graph& graph, const std::string& name) {
    const auto found = std::find_if(graph.forward.begin(), graph.forward.end(), [&](const Operator& op) { return op.name == name; });
    return found == graph.forward.end() ? -1 : found - graph.forward.begin();
}

} // namespace

Graph eagerExpertBiasPass(Graph graph, bool bias, bool clamp) {
    const std::ptrdiff_t permute = placeOf(graph, "moe.permute");
    if (permute < 0) return graph;
    const TensorId scores = graph.forward[static_cast<std::size_t>(permute)].outputs[1];
    for (const std::string product : {"moe.gate_up", "moe.up", "moe.down"}) {
        const std::ptrdiff_t place = placeOf(graph, product);
        if (place < 0) continue;
        Chain chain(graph, place);
        std::vector<TensorId> given = graph.forward[static_cast<std::size_t>(place)].outputs;
        if (bias)
            for (TensorId& id : given) {
                const double elements = bytesOf(graph, id) / sixteenBit;
                const TensorId weighted = chain.tensor("expert_bias", elements * fp32), sum = chain.tensor("expert_biased_fp32", elements * fp32);
                const TensorId biased = chain.tensor("expert_biased", elements * sixteenBit);
                chain.add(product + ".bias", {scores}, {weighted}, {scores}, elements);
                chain.add(product + ".bias_sum", {id, weighted}, {sum}, {}, elements);
                chain.add(product + ".bias_cast", {sum}, {biased}, {}, 0);
                chain.hand(id, biased);
                id = biased;
            }
        if (clamp && product != "moe.down")
            for (const TensorId id : given) {
                const double bytes = bytesOf(graph, id);
                const TensorId clamped = chain.tensor("expert_clamped", bytes), joined = chain.tensor("expert_joined", bytes);
                chain.add(product + ".clamp", {id}, {clamped}, {id}, bytes / sixteenBit);
                chain.add(product + ".join", {clamped}, {joined}, {}, 0);
                chain.hand(id, joined);
            }
    }
    return graph;
}

Graph expertScoresPass(Graph graph, bool fused) {
    const std::ptrdiff_t permute = placeOf(graph, "moe.permute"), multiply = placeOf(graph, "moe.multiply");
    if (permute < 0 || multiply < 0) return graph;
    const TensorId scores = graph.forward[static_cast<std::size_t>(permute)].outputs[1];
    Operator& product = graph.forward[static_cast<std::size_t>(multiply)];
    std::erase(product.inputs, scores);
    std::erase(product.saved, scores);
    product.flops -= bytesOf(graph, product.outputs.front()) / sixteenBit;
    if (product.inputs.size() == 1 && placeOf(graph, "moe.activation") >= 0) {
        // Nothing is left to multiply.
        const TensorId from = product.outputs.front(), to = product.inputs.front();
        Chain(graph, multiply).hand(from, to);
        graph.forward.erase(graph.forward.begin() + multiply);
    }
    const std::ptrdiff_t sum = placeOf(graph, "moe.unpermute");
    const TensorId given = graph.forward[static_cast<std::size_t>(sum)].inputs.front();
    const double bytes = bytesOf(graph, given), elements = bytes / sixteenBit;
    Chain chain(graph, sum - 1);
    const TensorId weighed = chain.tensor("weighed_output", bytes);
    if (fused) {
        chain.add("moe.weigh", {given, scores}, {weighed}, {given, scores}, elements);
    } else {
        const TensorId wide = chain.tensor("expert_output_fp32", elements * fp32), result = chain.tensor("weighed_output_fp32", elements * fp32);
        chain.add("moe.weigh_cast", {given}, {wide}, {}, 0);
        chain.add("moe.weigh", {wide, scores}, {result}, {wide, scores}, elements);
        chain.add("moe.weighed_cast", {result}, {weighed}, {}, 0);
    }
    chain.hand(given, weighed);
    return graph;
}

Graph eagerExpertsPass(Graph graph, bool waits) {
    bool inside = false;
    for (Operator& op : graph.forward) {
        if (op.name == "moe.top_k") {
            inside = true;
            op.hostWaits = waits;
        } else if (inside && op.name.starts_with("moe.") && !op.name.starts_with("moe.shared")) {
            op.eager = true;
        }
    }
    return graph;
}

} // namespace orrery
