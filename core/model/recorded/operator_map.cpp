// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/operator_map.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

using Tensors = std::vector<const RecordedTensor*>;

double dimension(const RecordedTensor& tensor, std::size_t index) { return static_cast<double>(tensor.shape[index]); }
std::size_t rank(const RecordedTensor& tensor) { return tensor.shape.size(); }

double product(const RecordedTensor& tensor, std::size_t from, std::size_t to) {
    double all = 1;
    for (std::size_t i = from; i < to; ++i) all *= dimension(tensor, i);
    return all;
}

/// The tensor of an argument, or null where it is none (or has no shape).
const RecordedTensor* tensorAt(const RecordedNode& node, std::size_t index) {
    if (index >= node.inputs.size() || node.inputs[index].tensors.size() != 1) return nullptr;
    const RecordedTensor& tensor = node.inputs[index].tensors.front();
    return tensor.shapeKnown ? &tensor : nullptr;
}

double bytesOf(const RecordedArgument& argument) {
    double bytes = 0;
    for (const RecordedTensor& tensor : argument.tensors)
        if (tensor.onDevice) bytes += tensor.bytes();
    return bytes;
}

double bytesOf(const std::vector<RecordedArgument>& arguments, std::size_t from = 0) {
    double bytes = 0;
    for (std::size_t i = from; i < arguments.size(); ++i) bytes += bytesOf(arguments[i]);
    return bytes;
}

bool flagAt(const RecordedNode& node, std::size_t index) {
    return index < node.inputs.size() && node.inputs[index].value->is_boolean() && node.inputs[index].value->get<bool>();
}

std::int64_t numberAt(const RecordedNode& node, std::size_t index, std::int64_t fallback) {
    if (index >= node.inputs.size() || !node.inputs[index].value->is_number_integer()) return fallback;
    return node.inputs[index].value->get<std::int64_t>();
}

void setOperands(Operator& op, const RecordedTensor& tensor) {
    op.operandBytes = std::max(1.0, tensor.elementBytes);
    if (tensor.float8) op.format = MatrixFormat::fp8;
}

double productFlops(const OperatorShape& s) { return 2 * s.m * s.n * s.k * s.batch; }

/// Which arguments are multiplied: addmm and baddbmm add to a first one.
std::pair<std::size_t, std::size_t> factors(const std::string& name) {
    const bool adds = name == "aten::addmm" || name == "aten::baddbmm" || name == "aten::addmv" ||
                      name == "aten::_addmm_activation" || name == "aten::addmm_" || name == "aten::baddbmm_";
    return adds ? std::pair<std::size_t, std::size_t>{1, 2} : std::pair<std::size_t, std::size_t>{0, 1};
}

bool mapProduct(const RecordedNode& node, const std::string& name, MappedOperator& mapped) {
    const auto [first, second] = factors(name);
    const RecordedTensor* a = tensorAt(node, first);
    const RecordedTensor* b = tensorAt(node, second);
    if (!a || !b || rank(*a) == 0 || rank(*b) == 0) return false;
    OperatorShape& shape = mapped.op.shape;
    setOperands(mapped.op, *a);
    if (name == "aten::linear") {
        // y = x Wᵀ, W [n, k]; a bare [k] gives one column.
        shape.m = product(*a, 0, rank(*a) - 1);
        shape.k = dimension(*a, rank(*a) - 1);
        shape.n = product(*b, 0, rank(*b) - 1);
        mapped.weightInputs = {1, 2};
        return dimension(*b, rank(*b) - 1) == shape.k;
    }
    // The last two dimensions are multiplied, vectors as one row or column; a matrix on the right serves all on the left at once.
    const double rowsB = rank(*b) >= 2 ? dimension(*b, rank(*b) - 2) : dimension(*b, 0);
    shape.k = dimension(*a, rank(*a) - 1);
    shape.n = rank(*b) >= 2 ? dimension(*b, rank(*b) - 1) : 1;
    shape.m = rank(*a) >= 2 ? dimension(*a, rank(*a) - 2) : 1;
    const double batchA = rank(*a) > 2 ? product(*a, 0, rank(*a) - 2) : 1;
    const double batchB = rank(*b) > 2 ? product(*b, 0, rank(*b) - 2) : 1;
    if (batchB == 1) shape.m *= batchA;
    else shape.batch = std::max(batchA, batchB);
    if (shape.batch == 1) mapped.op.kind = OperatorKind::gemm;
    mapped.weightInputs = {second};
    if (first == 1) mapped.weightInputs.push_back(0);
    return rowsB == shape.k;
}

/// A convolution is an implicit product: every output element sums over the input channels of its group and the window.
bool mapConvolution(const RecordedNode& node, const std::string& name, MappedOperator& mapped) {
    const bool backward = name.find("backward") != std::string::npos;
    const RecordedTensor* input = tensorAt(node, backward ? 1 : 0);
    const RecordedTensor* weight = tensorAt(node, backward ? 2 : 1);
    const RecordedTensor* output = nullptr;
    if (backward) output = tensorAt(node, 0);
    else if (!node.outputs.empty() && node.outputs.front().tensors.size() == 1 && node.outputs.front().tensors.front().shapeKnown)
        output = &node.outputs.front().tensors.front();
    if (!input || !weight || !output || rank(*weight) < 3 || rank(*input) != rank(*weight) || rank(*output) != rank(*weight)) return false;
    // convolution(input, weight, bias, stride, padding, dilation, transposed, output padding, groups);
    // backward(grad, input, weight, bias sizes, stride, padding, dilation, transposed, output padding, groups, output mask)
    const bool general = name.find("::convolution") != std::string::npos || name.find("::_convolution") != std::string::npos;
    const bool transposed = name.find("transpose") != std::string::npos || (general && flagAt(node, backward ? 7 : 6));
    const double window = product(*weight, 2, rank(*weight));
    const RecordedTensor& wide = transposed ? *input : *output; // whose positions are summed up for
    const double groups = transposed ? static_cast<double>(std::max<std::int64_t>(1, numberAt(node, general ? (backward ? 9 : 8) : 6, 1)))
                                     : dimension(*input, 1) / std::max(1.0, dimension(*weight, 1));
    if (groups < 1 || groups != std::floor(groups)) return false;
    OperatorShape& shape = mapped.op.shape;
    shape.m = dimension(wide, 0) * product(wide, 2, rank(wide));
    shape.n = dimension(*weight, 0) / groups;
    shape.k = dimension(*weight, 1) * window;
    shape.batch = groups;
    setOperands(mapped.op, *input);
    mapped.weightInputs = {1, 2};
    if (backward) {
        // Gradients of the input and of the weights: two products of the forward's size, unless one isn't wanted.
        mapped.weightInputs = {2};
        double wanted = 2;
        if (node.inputs.size() > 10 && node.inputs[10].value->is_array() && node.inputs[10].value->size() >= 2)
            wanted = ((*node.inputs[10].value)[0] == Json(true) ? 1.0 : 0.0) + ((*node.inputs[10].value)[1] == Json(true) ? 1.0 : 0.0);
        mapped.op.kernels = static_cast<int>(std::max(1.0, wanted));
        mapped.op.flops = wanted * productFlops(shape);
    }
    return true;
}

/// Where a kernel is told that queries see only what is before them; -1: nowhere.
std::ptrdiff_t causalArgument(const std::string& name) {
    if (name == "aten::scaled_dot_product_attention") return 5;
    if (name == "aten::_scaled_dot_product_flash_attention") return 4;
    if (name == "aten::_scaled_dot_product_efficient_attention" || name == "aten::_scaled_dot_product_cudnn_attention") return 6;
    if (name == "aten::_scaled_dot_product_flash_attention_backward") return 11;
    if (name == "aten::_flash_attention_forward") return 8;
    return -1;
}

bool mapAttention(const RecordedNode& node, const std::string& name, MappedOperator& mapped) {
    const bool backward = name.find("backward") != std::string::npos;
    const std::size_t first = backward ? 1 : 0;
    const RecordedTensor* q = tensorAt(node, first);
    const RecordedTensor* k = tensorAt(node, first + 1);
    const RecordedTensor* v = tensorAt(node, first + 2);
    if (!q || !k || !v || rank(*q) != 4 || rank(*k) != 4 || rank(*v) != 4) return false;
    // scaled_dot_product: [batch, heads, tokens, width]; the kernels below: [batch, tokens, heads, width].
    const bool headsFirst = name.find("scaled_dot_product") != std::string::npos;
    const std::size_t tokens = headsFirst ? 2 : 1, heads = headsFirst ? 1 : 2;
    OperatorShape& shape = mapped.op.shape;
    shape.m = dimension(*q, tokens);
    shape.n = dimension(*k, tokens);
    shape.k = dimension(*q, 3);
    shape.batch = dimension(*q, 0) * dimension(*q, heads);
    setOperands(mapped.op, *q);
    if (!backward && shape.m == 1 && shape.n > 1) { // the next token of each sequence, over a cache
        mapped.op.attentionMode = AttentionMode::decode;
        mapped.op.cache = CacheFormat::sixteen_bit;
        mapped.op.sequences = dimension(*q, 0);
        mapped.op.headsPerKey = std::max(1.0, dimension(*q, heads) / dimension(*k, heads));
        mapped.op.valueWidth = dimension(*v, 3);
    }
    mapped.op.flops = 2 * shape.batch * shape.m * shape.n * (shape.k + dimension(*v, 3)) * (backward ? 2 : 1);
    const std::ptrdiff_t causal = causalArgument(name);
    mapped.causal = causal >= 0 && flagAt(node, static_cast<std::size_t>(causal));
    return true;
}

std::size_t tensorCount(const std::vector<RecordedArgument>& arguments) {
    std::size_t count = 0;
    for (const RecordedArgument& argument : arguments)
        for (const RecordedTensor& tensor : argument.tensors) count += tensor.onDevice && tensor.shapeKnown ? 1 : 0;
    return count;
}

void settleBytes(const RecordedNode& node, const OperatorFacts& facts, Operator& op) {
    const double results = bytesOf(node.outputs);
    const double first = node.inputs.empty() ? 0 : bytesOf(node.inputs.front());
    op.bytesRead = bytesOf(node.inputs);
    op.bytesWritten = std::max(results, facts.inPlace ? first : 0);
    switch (facts.what) {
    case OperatorClass::overwrite:
        op.bytesRead = bytesOf(node.inputs, 1);
        break;
    case OperatorClass::lookup:
        // One row of the table for each index.
        op.bytesRead = bytesOf(node.inputs, 1) + results;
        break;
    case OperatorClass::scatter:
        if (!facts.backward) {
            // index_put(self, indices, values): rows are read, changed and written.
            op.bytesRead = bytesOf(node.inputs, 1);
            const double values = node.inputs.size() > 2 ? bytesOf(node.inputs.back()) : 0;
            op.bytesWritten = facts.inPlace ? values : results;
        }
        break;
    case OperatorClass::lists:
        // Fused optimizers change weights, moments; gradients (the second list) are only read.
        if (facts.optimizer) {
            op.bytesWritten = 0;
            for (std::size_t i = 0; i < std::min<std::size_t>(4, node.inputs.size()); ++i)
                if (i != 1) op.bytesWritten += bytesOf(node.inputs[i]);
        }
        break;
    default: break;
    }
}

/// Empty tensors are legal. A product with a dimension of 0 computes nothing: its result is filled with zeros, where it has elements.
void withoutEmptyProduct(Operator& op) {
    if (op.shape.m * op.shape.n * op.shape.k * op.shape.batch > 0) return;
    op.kind = OperatorKind::residual;
    op.shape = {};
    op.flops = 0;
    op.kernels = 1;
    op.bytesRead = 0;
}

} // namespace

std::optional<MappedOperator> mapOperator(const RecordedNode& node) {
    const std::string name = plainOperatorName(node.name);
    const OperatorFacts facts = operatorFacts(name);
    MappedOperator mapped;
    Operator& op = mapped.op;
    op.name = name;
    op.kind = facts.kind;
    op.collective = facts.collective;
    bool understood = true;
    switch (facts.what) {
    case OperatorClass::unknown:
    case OperatorClass::view:
    case OperatorClass::free:
    case OperatorClass::composite: return std::nullopt;
    case OperatorClass::collective: return mapped;
    case OperatorClass::product: understood = mapProduct(node, name, mapped); break;
    case OperatorClass::convolution: understood = mapConvolution(node, name, mapped); break;
    case OperatorClass::attention: understood = mapAttention(node, name, mapped); break;
    default: understood = tensorCount(node.inputs) + tensorCount(node.outputs) > 0; break;
    }
    if (!understood) return std::nullopt;
    if (facts.what == OperatorClass::product || (facts.what == OperatorClass::convolution && !facts.backward))
        op.flops = productFlops(op.shape);
    if (facts.kind == OperatorKind::norm && !facts.backward) {
        // batch_norm(input, weight, bias, …); layer_norm(input, shape, weight, bias).
        if (name.find("batch_norm") != std::string::npos) mapped.weightInputs = {1, 2};
        else mapped.weightInputs = {2, 3};
    }
    if (facts.kind == OperatorKind::embedding && !facts.backward) mapped.weightInputs = {0};
    settleBytes(node, facts, op);
    if (facts.what == OperatorClass::product || facts.what == OperatorClass::convolution || facts.what == OperatorClass::attention) withoutEmptyProduct(op);
    return mapped;
}

} // namespace orrery
