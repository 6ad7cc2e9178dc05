// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/block_formats.hpp"
#include "core/training/passes/graph_edits.hpp"
#include "core/training/passes/passes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace orrery {
namespace {

double operandBytes(MatrixFormat format) {
    switch (format) {
    case MatrixFormat::sixteen_bit: return sixteenBit;
    case MatrixFormat::fp8:
    case MatrixFormat::row_fp8: return 1; // a scale for a row's thousands of elements
    case MatrixFormat::block_fp8:
    case MatrixFormat::mx_fp8: return 1 + block_formats::mxScaleBytes;
    case MatrixFormat::nvfp4: return block_formats::nvfp4Bytes;
    }
    return sixteenBit;
}

/// Products with a layer's weights.
bool isQuantised(const Operator& op) {
    if (op.kind != OperatorKind::gemm && op.kind != OperatorKind::grouped_gemm) return false;
    if (op.operandBytes > sixteenBit) return false; // kept in fp32
    return !op.name.starts_with("head.") && !op.name.starts_with("embedding.") && !op.name.starts_with("moe.router");
}

bool isWeightGradient(const Operator& op) { return op.name.ends_with(weightGradientSuffix); }

/// Whether backward gathers again what forward gathered of the tensor ranks' shards.
bool gathersAgain(const Operator& op) { return op.kind == OperatorKind::collective && op.name.ends_with(".again"); }

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
                const Tensor tensor = graph_.tensors[static_cast<std::size_t>(id)];
                share_ = operandBytes(product.format) / sixteenBit;
                known->second = addTensor(graph_, tensor.name + ".quantised", tensor.bytes * share_, tensor.role);
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
        const bool again = gathersAgain(backward);
        if (!again && !(backward.format != MatrixFormat::sixteen_bit && isWeightGradient(backward))) return;
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
            // What backward makes again it reads from there on.
            if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) return read;
            if (std::find(op.inputs.begin(), op.inputs.end(), id) == op.inputs.end()) continue;
            if (!gathersAgain(op) && !(op.format != MatrixFormat::sixteen_bit && isWeightGradient(op))) return false;
            read = true;
        }
        return read;
    }

    Graph& graph_;
    double share_ = 1;
    std::map<TensorId, TensorId> quantised_;
};

/// Puts what quantises before the products of one direction.
class Lowering {
public:
    Lowering(Graph& graph, const Quantisation& how, QuantisedInputs& inputs) : graph_(graph), how_(how), inputs_(inputs) {
        for (const Operator& op : graph.backward)
            if (op.format != MatrixFormat::sixteen_bit && isWeightGradient(op)) {
                trained_.insert(productOf(op.name));
                share_ = operandBytes(op.format) / sixteenBit;
            }
    }

    std::vector<Operator> run(std::vector<Operator> operators, bool forward) {
        forward_ = forward;
        placed_.clear();
        placed_.reserve(operators.size() + operators.size() / 2); // conversions come in between
        gathered_.clear();
        cast_.clear();
        readers_.assign(graph_.tensors.size(), {});
        for (const Operator& op : operators)
            for (const TensorId id : op.inputs) {
                Readers& readers = readers_[static_cast<std::size_t>(id)];
                ++readers.count;
                if (!isGather(op) && readsQuantised(op)) ++readers.products;
            }
        for (Operator& op : operators) {
            const bool again = !forward && isGather(op) && op.name.ends_with(".again");
            const double before = again ? tensor(op.outputs.front()).bytes : 0;
            if (!forward && how_.savesInputs) inputs_.use(op);
            if (again && how_.gathersQuantised && onlyProductsRead(op.outputs.front())) {
                op.messageBytes *= share_;
                if (tensor(op.outputs.front()).bytes == before) tensor(op.outputs.front()).bytes *= share_;
            }
            if (op.format != MatrixFormat::sixteen_bit) lower(op);
            placed_.push_back(std::move(op));
        }
        return std::move(placed_);
    }

private:
    /// How many operators of the direction at work read a tensor, and how many of these are products of quantised operands.
    struct Readers {
        int count = 0, products = 0;
    };

    static bool isGather(const Operator& op) {
        return op.kind == OperatorKind::collective && op.collective == CollectiveKind::all_gather && op.group == RankGroup::tensor;
    }
    static bool readsQuantised(const Operator& op) { return op.format != MatrixFormat::sixteen_bit; }

    Tensor& tensor(TensorId id) { return graph_.tensors[static_cast<std::size_t>(id)]; }

    /// What was added since, nobody reads.
    Readers readersOf(TensorId id) const { return static_cast<std::size_t>(id) < readers_.size() ? readers_[static_cast<std::size_t>(id)] : Readers(); }
    bool onlyProductsRead(TensorId id) const {
        const Readers readers = readersOf(id);
        return readers.count > 0 && readers.products == readers.count;
    }

    static bool byBlocks(const Operator& product) { return product.format == MatrixFormat::block_fp8 || product.format == MatrixFormat::mx_fp8; }
    static bool byTensor(const Operator& product) { return product.format == MatrixFormat::fp8; }
    /// For the weight gradient the operand is turned: with one scale a tensor only where the hardware takes no other layout.
    bool needsSecondCopy(const Operator& product) const { return isTrained(product) && !(byTensor(product) && how_.anyLayout); }
    bool isTrained(const Operator& product) const {
        const bool gradient = product.name.ends_with(inputGradientSuffix);
        return trained_.contains(gradient ? productOf(product.name) : product.name);
    }

    void lower(Operator& op) {
        const double bytes = operandBytes(op.format);
        const OperatorShape& s = op.shape;
        op.bytesRead += (bytes - sixteenBit) * s.batch * (s.m * s.k + s.k * s.n);
        if (isWeightGradient(op)) {
            turnInput(op, bytes);
            return;
        }
        if (how_.weightsEachPass) placed_.push_back(weightCast(op, bytes));
        double elements = s.m * s.k * s.batch;
        const TensorId input = op.inputs.front();
        std::size_t place = placed_.size();
        TensorId source = input;
        if (const Gather gather = gatherOf(input); gather.found && how_.gathersQuantised && onlyProductsRead(input)) {
            if (gather.done) return;
            Operator& collective = placed_[gather.at];
            elements *= tensor(collective.inputs.front()).bytes > 0 && tensor(input).bytes > 0 ? tensor(collective.inputs.front()).bytes / tensor(input).bytes : 1;
            collective.messageBytes *= bytes / sixteenBit;
            tensor(input).bytes *= bytes / sixteenBit;
            gathered_.insert(input);
            place = gather.at;
            source = collective.inputs.front();
        }
        if (normWrites(op, source, elements, bytes)) return;
        if (how_.sharesCasts && forward_ && !cast_.insert(source).second) {
            if (how_.savesInputs) inputs_.keep(op);
            return;
        }
        Operator quantising = cast(op, source, elements, bytes);
        if (how_.savesInputs && forward_) quantising.outputs = inputs_.keep(op);
        placed_.insert(placed_.begin() + static_cast<std::ptrdiff_t>(place), std::move(quantising));
    }

    struct Gather {
        bool found = false, done = false;
        std::size_t at = 0;
    };
    Gather gatherOf(TensorId whole) const {
        for (std::size_t i = placed_.size(); i-- > 0;)
            if (isGather(placed_[i]) && placed_[i].outputs.front() == whole) return {true, gathered_.contains(whole), i};
        return {};
    }

    /// True where the norm before the product gives its operand, in place of the 16-bit tensor.
    bool normWrites(const Operator& product, TensorId source, double elements, double bytes) {
        const bool knowsScale = byBlocks(product) || (byTensor(product) && how_.scaling == TensorScaling::delayed);
        if (!how_.normsQuantise || !knowsScale || product.phase == Phase::backward) return false;
        const bool gathered = source != product.inputs.front();
        const Readers readers = readersOf(source);
        if (readers.count != 1 || (readers.products != 1 && !gathered)) return false;
        const auto norm = std::find_if(placed_.rbegin(), placed_.rend(), [&](const Operator& op) {
            return op.kind == OperatorKind::norm && std::find(op.outputs.begin(), op.outputs.end(), source) != op.outputs.end();
        });
        if (norm == placed_.rend()) return false;
        const double copies = !byTensor(product) && isTrained(product) ? 2 : 1;
        norm->bytesWritten += (copies * bytes - sixteenBit) * elements;
        if (product.phase == Phase::forward) tensor(source).bytes *= bytes / sixteenBit;
        if (product.phase == Phase::forward && needsSecondCopy(product) && byTensor(product)) turned_.insert(product.name);
        return true;
    }

    /// What a norm wrote is turned for the weight gradient by a kernel of its own; casts write both at once.
    void turnInput(const Operator& gradient, double bytes) {
        const std::string product = productOf(gradient.name);
        if (!turned_.contains(product)) return;
        const double elements = gradient.shape.m * gradient.shape.k * gradient.shape.batch;
        Operator turn = kernel(gradient, product + ".transpose", gradient.inputs.back(), 0);
        turn.bytesRead = turn.bytesWritten = bytes * elements;
        turn.weightPart = true;
        placed_.push_back(std::move(turn));
    }

    static Operator kernel(const Operator& product, std::string name, TensorId input, double flops) {
        Operator op;
        op.name = std::move(name);
        op.kind = OperatorKind::activation;
        op.phase = product.phase;
        op.role = product.role;
        op.eager = product.eager;
        op.flops = flops;
        op.inputs = {input};
        return op;
    }

    /// Reads 16 bits and writes the operand, and the weight gradient's.
    Operator cast(const Operator& product, TensorId source, double elements, double bytes) const {
        Operator op = kernel(product, product.name + ".cast", source, 2 * elements);
        if (source == product.inputs.front()) op.inputs = product.inputs;
        if (product.format == MatrixFormat::row_fp8) {
            setTraffic(op, (isTrained(product) ? how_.rowBytes + how_.columnBytes : how_.rowBytes) * elements, (isTrained(product) ? 2 : 1) * bytes * elements);
            op.kernels = isTrained(product) ? 2 : 1;
            return op;
        }
        double reads = 1;
        // Columns are rotated by a Hadamard transform and quantised for themselves.
        if (product.format == MatrixFormat::nvfp4 && isTrained(product)) reads = 2;
        const bool needsLargest = product.format == MatrixFormat::nvfp4 || (byTensor(product) && how_.scaling == TensorScaling::current);
        if (needsLargest && !comesFromNorm(source)) ++reads;
        op.kernels = static_cast<int>(reads);
        op.bytesRead = reads * sixteenBit * elements;
        op.bytesWritten = (needsSecondCopy(product) ? 2 : 1) * bytes * elements;
        return op;
    }

    /// A matrix is quantised as the product reads it: its rows, or for the input's gradient its columns.
    Operator weightCast(const Operator& product, double bytes) const {
        const double elements = product.shape.k * product.shape.n * product.shape.batch;
        Operator op = kernel(product, product.name + ".weight_cast", product.inputs.front(), 2 * elements);
        if (product.format == MatrixFormat::row_fp8) {
            const bool turned = product.name.ends_with(inputGradientSuffix);
            setTraffic(op, (turned ? how_.columnBytes : how_.rowBytes) * elements, bytes * elements);
            return op;
        }
        const bool needsLargest = product.format == MatrixFormat::nvfp4 || (byTensor(product) && how_.scaling == TensorScaling::current);
        op.kernels = needsLargest ? 2 : 1;
        op.bytesRead = op.kernels * sixteenBit * elements;
        op.bytesWritten = bytes * elements;
        return op;
    }

    /// Measured kernel by kernel as a whole, of which so much is written.
    static void setTraffic(Operator& op, double bytes, double written) {
        op.bytesRead = bytes - written;
        op.bytesWritten = written;
        op.trafficCounted = true;
    }

    /// Norms note the largest value of what they write (Transformer Engine, normalization.cpp: FUSED_NORM_AMAX).
    bool comesFromNorm(TensorId source) const {
        return std::any_of(placed_.begin(), placed_.end(), [&](const Operator& op) {
            return op.kind == OperatorKind::norm && std::find(op.outputs.begin(), op.outputs.end(), source) != op.outputs.end();
        });
    }

    Graph& graph_;
    const Quantisation& how_;
    QuantisedInputs& inputs_;
    bool forward_ = true;
    double share_ = 1; ///< bytes of an operand over the 16-bit tensor's
    std::vector<Operator> placed_;
    std::vector<Readers> readers_;  ///< by tensor
    std::set<TensorId> gathered_;   ///< that arrive quantised
    std::set<TensorId> cast_;       ///< inputs that an earlier product has quantised
    std::set<std::string> trained_; ///< products with a weight gradient
    std::set<std::string> turned_;  ///< whose quantised input a weight gradient has to turn
};

} // namespace

Graph precisionPass(Graph graph, MatrixFormat format) {
    for (Operator& op : graph.forward)
        if (isQuantised(op)) op.format = format;
    return graph;
}

Graph weightStoragePass(Graph graph, WeightStorage storage, bool expertsAlone) {
    for (Operator& op : graph.forward)
        if (isQuantised(op) && (!expertsAlone || op.kind == OperatorKind::grouped_gemm)) op.storage = storage;
    return graph;
}

Graph lowerPrecision(Graph graph, const Quantisation& how) {
    const auto isWide = [](const Operator& op) { return op.format == MatrixFormat::sixteen_bit; };
    if (std::all_of(graph.forward.begin(), graph.forward.end(), isWide) && std::all_of(graph.backward.begin(), graph.backward.end(), isWide)) return graph;
    QuantisedInputs inputs(graph);
    Lowering lowering(graph, how, inputs);
    std::vector<Operator> forward = lowering.run(std::move(graph.forward), true);
    std::vector<Operator> backward = lowering.run(std::move(graph.backward), false);
    graph.forward = std::move(forward);
    graph.backward = std::move(backward);
    inputs.replaceSaved(graph.forward);
    return graph;
}

} // namespace orrery
