#include "core/plan/passes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery {
namespace {

constexpr double sixteenBit = 2; ///< bytes

double operandBytes(MatrixFormat format) {
    switch (format) {
    case MatrixFormat::sixteen_bit: return sixteenBit;
    case MatrixFormat::fp8: return 1;
    case MatrixFormat::block_fp8: return 1 + 1.0 / 32; // a scale of one byte for 32 elements (OCP Microscaling 1.0)
    case MatrixFormat::nvfp4: return 0.5 + 1.0 / 16;   // one for 16 (NVIDIA, nvfp4)
    }
    return sixteenBit;
}

/// Products with a layer's weights.
bool isQuantised(const Operator& op) {
    if (op.kind != OperatorKind::gemm && op.kind != OperatorKind::grouped_gemm) return false;
    return !op.name.starts_with("head.") && !op.name.starts_with("embedding.") && !op.name.starts_with("moe.router");
}

/// Reads 16 bits and writes the operand, and its transpose for the weight gradient.
Operator cast(const Operator& product, const char* suffix, double elements, double bytes) {
    Operator op;
    op.name = product.name + suffix;
    op.kind = OperatorKind::activation;
    op.phase = product.phase;
    op.role = product.role;
    op.flops = 2 * elements;
    op.bytesRead = sixteenBit * elements;
    op.bytesWritten = 2 * bytes * elements;
    op.inputs = product.inputs;
    return op;
}

/// Products keep their quantised input for the weight gradient (and gather that again) in place of the 16-bit one.
class QuantisedInputs {
public:
    explicit QuantisedInputs(Graph& graph) : graph_(graph) {}

    /// Gives what the cast before a forward product makes.
    std::vector<TensorId> keep(Operator& product) {
        std::vector<TensorId> made;
        for (TensorId& id : product.saved) {
            if (!readByWeightGradientsAlone(id)) continue;
            const auto [known, added] = quantised_.try_emplace(id, -1);
            if (added) {
                Tensor tensor = graph_.tensors[static_cast<std::size_t>(id)];
                tensor.name += ".quantised";
                share_ = operandBytes(product.format) / sixteenBit;
                tensor.bytes *= share_;
                graph_.tensors.push_back(std::move(tensor));
                known->second = static_cast<TensorId>(graph_.tensors.size()) - 1;
                made.push_back(known->second);
            }
            id = known->second;
        }
        return made;
    }

    /// What else kept such an input kept it for those weight gradients.
    void replaceSaved(std::vector<Operator>& forward) const {
        for (Operator& op : forward)
            for (TensorId& id : op.saved)
                if (const auto known = quantised_.find(id); known != quantised_.end()) id = known->second;
    }

    void use(Operator& backward) {
        const bool again = backward.kind == OperatorKind::collective && backward.name.ends_with(".again");
        if (!again && !(backward.format != MatrixFormat::sixteen_bit && backward.name.ends_with(".wgrad"))) return;
        for (TensorId& id : backward.inputs) {
            const auto known = quantised_.find(id);
            if (known == quantised_.end()) continue;
            id = known->second;
            if (again) graph_.tensors[static_cast<std::size_t>(backward.outputs.front())].bytes *= share_;
        }
    }

private:
    /// Not so where the product is made again from it, or adapters have gradients instead.
    bool readByWeightGradientsAlone(TensorId id) const {
        bool read = false;
        for (const Operator& op : graph_.backward) {
            if (std::find(op.inputs.begin(), op.inputs.end(), id) == op.inputs.end()) continue;
            const bool again = op.kind == OperatorKind::collective && op.name.ends_with(".again");
            if (!again && !(op.format != MatrixFormat::sixteen_bit && op.name.ends_with(".wgrad"))) return false;
            read = true;
        }
        return read;
    }

    Graph& graph_;
    double share_ = 1;
    std::map<TensorId, TensorId> quantised_;
};

} // namespace

Graph precisionPass(Graph graph, MatrixFormat format) {
    for (Operator& op : graph.forward)
        if (isQuantised(op)) op.format = format;
    return graph;
}

Graph lowerPrecision(Graph graph, bool savesQuantised) {
    QuantisedInputs inputs(graph);
    for (std::vector<Operator>* operators : {&graph.forward, &graph.backward}) {
        std::vector<Operator> placed;
        for (Operator& op : *operators) {
            if (savesQuantised && operators == &graph.backward) inputs.use(op);
            if (op.format != MatrixFormat::sixteen_bit) {
                const double bytes = operandBytes(op.format);
                const OperatorShape& s = op.shape;
                // The input once in forward; the output's gradient once for the two products that read it.
                const bool weightGradient = op.name.ends_with(".wgrad");
                if (!weightGradient) placed.push_back(cast(op, ".cast", s.m * s.k * s.batch, bytes));
                if (savesQuantised && operators == &graph.forward) placed.back().outputs = inputs.keep(op);
                op.bytesRead += (bytes - sixteenBit) * s.batch * (s.m * s.k + s.k * s.n);
            }
            placed.push_back(std::move(op));
        }
        *operators = std::move(placed);
    }
    inputs.replaceSaved(graph.forward);
    return graph;
}

} // namespace orrery
