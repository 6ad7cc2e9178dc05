#include "core/plan/passes.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

class ExpertPass {
public:
    ExpertPass(Graph graph, const ExpertSharing& sharing) : graph_(std::move(graph)), s_(sharing) {}

    Graph run() {
        std::vector<Operator> operators = std::move(graph_.forward);
        graph_.forward.clear();
        bool inside = false; // between dispatch and combine: work on the rows that came in
        for (Operator& op : operators) {
            if (op.name == "moe.unpermute" && inside) {
                combine(op);
                inside = false;
            }
            if (inside) shareOut(op);
            const bool dispatches = op.name == "moe.permute";
            graph_.forward.push_back(std::move(op));
            if (dispatches) {
                dispatch();
                inside = true;
            }
        }
        return std::move(graph_);
    }

private:
    double rowsIn() const { return s_.load * s_.tensor; } ///< rows that a rank works on, of those it sent

    double& bytesOf(TensorId id) { return graph_.tensors[static_cast<std::size_t>(id)].bytes; }

    TensorId replaced(TensorId id) const { return id == sent_ ? received_ : id; }

    /// Rows go to the ranks of their experts, and from each of them to all that share out the expert's matrices.
    void dispatch() {
        sent_ = graph_.forward.back().outputs.front();
        const double bytes = bytesOf(sent_);
        TensorId arrived = sent_;
        if (s_.experts > 1) arrived = exchange("moe.dispatch", CollectiveKind::all_to_all, CollectiveKind::all_to_all, RankGroup::expert, arrived, s_.load * bytes, s_.load * bytes);
        if (s_.tensor > 1)
            arrived = exchange("moe.dispatch.gather", CollectiveKind::all_gather, CollectiveKind::reduce_scatter, RankGroup::expert_tensor,
                               arrived, s_.tensor * s_.load * bytes, s_.tensor * s_.load * bytes);
        received_ = arrived;
    }

    void combine(Operator& unpermute) {
        TensorId given = unpermute.inputs.front();
        const double whole = bytesOf(given);
        if (s_.tensor > 1)
            given = exchange("moe.combine.scatter", CollectiveKind::reduce_scatter, CollectiveKind::all_gather, RankGroup::expert_tensor,
                             given, whole / s_.tensor, whole);
        if (s_.experts > 1)
            given = exchange("moe.combine", CollectiveKind::all_to_all, CollectiveKind::all_to_all, RankGroup::expert, given,
                             whole / rowsIn(), whole / s_.tensor);
        unpermute.inputs.front() = given;
    }

    TensorId exchange(const char* name, CollectiveKind forward, CollectiveKind backward, RankGroup group, TensorId input, double outBytes,
                      double message) {
        graph_.tensors.push_back({std::string(name) + "ed", outBytes, TensorRole::whole});
        const auto output = static_cast<TensorId>(graph_.tensors.size()) - 1;
        Operator op;
        op.name = name;
        op.kind = OperatorKind::collective;
        op.role = TensorRole::whole;
        op.collective = forward;
        op.backwardCollective = backward;
        op.group = group;
        op.messageBytes = message;
        op.inputs = {input};
        op.outputs = {output};
        graph_.forward.push_back(std::move(op));
        return output;
    }

    void shareOut(Operator& op) {
        for (TensorId& input : op.inputs) input = replaced(input);
        for (TensorId& saved : op.saved) saved = replaced(saved);
        const bool narrow = op.name != "moe.down"; // what comes out is a slice of the expert's width
        const double width = narrow ? 1.0 / s_.tensor : 1.0;
        for (const TensorId output : op.outputs) bytesOf(output) *= rowsIn() * width;
        op.flops *= s_.load;
        if (op.kind != OperatorKind::grouped_gemm) return;
        // As many rows in all, for fewer experts.
        const double local = std::max(1.0, op.shape.batch / s_.experts);
        op.shape.m *= rowsIn() * op.shape.batch / local;
        op.shape.batch = local;
        (narrow ? op.shape.n : op.shape.k) /= s_.tensor;
        op.weights /= s_.experts * s_.tensor;
    }

    Graph graph_;
    const ExpertSharing& s_;
    TensorId sent_ = -1, received_ = -1;
};

} // namespace

Graph expertPass(Graph graph, const ExpertSharing& sharing) { return ExpertPass(std::move(graph), sharing).run(); }

} // namespace orrery
