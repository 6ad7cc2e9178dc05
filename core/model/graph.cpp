// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph.hpp"
#include "core/base/block_formats.hpp"
#include "core/model/graph_builder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace orrery {

std::string_view toString(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::embedding: return "embedding";
    case OperatorKind::norm: return "norm";
    case OperatorKind::gemm: return "gemm";
    case OperatorKind::batched_gemm: return "batched_gemm";
    case OperatorKind::grouped_gemm: return "grouped_gemm";
    case OperatorKind::attention: return "attention";
    case OperatorKind::softmax: return "softmax";
    case OperatorKind::dropout: return "dropout";
    case OperatorKind::rotary: return "rotary";
    case OperatorKind::activation: return "activation";
    case OperatorKind::residual: return "residual";
    case OperatorKind::top_k: return "top_k";
    case OperatorKind::permute: return "permute";
    case OperatorKind::cross_entropy: return "cross_entropy";
    case OperatorKind::optimizer: return "optimizer";
    case OperatorKind::gradient_norm: return "gradient_norm";
    case OperatorKind::collective: return "collective";
    case OperatorKind::send_receive: return "send_receive";
    }
    return "";
}

std::string_view toString(Phase phase) {
    switch (phase) {
    case Phase::forward: return "forward";
    case Phase::backward: return "backward";
    case Phase::recompute: return "recompute";
    case Phase::optimizer: return "optimizer";
    case Phase::communication: return "communication";
    }
    return "";
}

std::string_view toString(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::none: return "none";
    case CollectiveKind::all_reduce: return "all_reduce";
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::all_to_all: return "alltoall";
    case CollectiveKind::send_receive: return "sendrecv";
    case CollectiveKind::broadcast: return "broadcast";
    }
    return "";
}

std::string_view toString(AttentionMode mode) {
    switch (mode) {
    case AttentionMode::prefill: return "prefill";
    case AttentionMode::chunk: return "chunk";
    case AttentionMode::decode: return "decode";
    }
    return "";
}

std::string_view toString(CacheFormat format) {
    switch (format) {
    case CacheFormat::none: return "none";
    case CacheFormat::sixteen_bit: return "16 bit";
    case CacheFormat::fp8: return "fp8";
    case CacheFormat::int8: return "int8";
    case CacheFormat::four_bit: return "4 bit";
    }
    return "";
}

double storedWeightBytes(WeightStorage storage, double multiplied) {
    switch (storage) {
    case WeightStorage::int8: return 1;
    case WeightStorage::int4: return 0.5 + 2.0 / 128;
    case WeightStorage::mxfp4: return 0.5 + 1.0 / 32;
    case WeightStorage::nf4: return block_formats::nf4Bytes;
    case WeightStorage::fp8: return 1;
    case WeightStorage::nvfp4: return 0.5 + 1.0 / 16;
    case WeightStorage::as_multiplied: break;
    }
    return multiplied;
}

double cacheElementBytes(CacheFormat format) {
    switch (format) {
    case CacheFormat::fp8:
    case CacheFormat::int8: return 1;
    case CacheFormat::four_bit: return 0.5 + 1.0 / 16;
    default: return 2;
    }
}

namespace {

class Writer {
public:
    void line(const char* word) { text_ += word; }
    void end() { text_ += '\n'; }

    void add(const char* key, std::string_view value) {
        text_ += ' ';
        text_ += key;
        text_ += '=';
        text_ += value;
    }
    void add(const char* key, double value) { add(key, number(value)); }
    void add(const char* key, const std::vector<TensorId>& ids) {
        std::string list;
        for (const TensorId id : ids) list += (list.empty() ? "" : ",") + std::to_string(id);
        add(key, list);
    }

    std::string take() { return std::move(text_); }

private:
    static std::string number(double value) {
        std::array<char, 40> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        return {digits.data(), end.ptr};
    }

    std::string text_;
};

void write(Writer& out, const Operator& op) {
    out.line("op");
    out.add("name", op.name);
    out.add("kind", toString(op.kind));
    out.add("phase", toString(op.phase));
    out.add("role", static_cast<double>(op.role));
    out.add("m", op.shape.m);
    out.add("n", op.shape.n);
    out.add("k", op.shape.k);
    out.add("batch", op.shape.batch);
    out.add("flops", op.flops);
    out.add("read", op.bytesRead);
    out.add("written", op.bytesWritten);
    out.add("weights", op.weights);
    out.add("replicated", op.replicatedWeights);
    out.add("collective", toString(op.collective));
    out.add("backward", toString(op.backwardCollective));
    out.add("group", static_cast<double>(op.group));
    out.add("message", op.messageBytes);
    out.add("kernels", op.kernels);
    out.add("repeats", op.repeats);
    out.add("format", static_cast<double>(op.format));
    out.add("operand", op.operandBytes);
    if (op.storage != WeightStorage::as_multiplied) out.add("storage", static_cast<double>(op.storage));
    if (op.attentionMode != AttentionMode::prefill) out.add("mode", toString(op.attentionMode));
    if (op.cache != CacheFormat::none) out.add("cache", toString(op.cache));
    out.add("weight_part", op.weightPart ? 1.0 : 0.0);
    out.add("in", op.inputs);
    out.add("out", op.outputs);
    out.add("saved", op.saved);
    out.end();
}

} // namespace

std::string toText(const Graph& graph) {
    Writer out;
    out.line("graph");
    out.add("name", graph.name);
    out.end();
    for (const Tensor& tensor : graph.tensors) {
        out.line("tensor");
        out.add("name", tensor.name);
        out.add("bytes", tensor.bytes);
        out.add("role", static_cast<double>(tensor.role));
        out.end();
    }
    for (const Operator& op : graph.forward) write(out, op);
    out.line("backward");
    out.end();
    for (const Operator& op : graph.backward) write(out, op);
    return out.take();
}

namespace {

double tensorBytes(const Graph& graph, const std::vector<TensorId>& ids) {
    double bytes = 0;
    for (TensorId id : ids) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

/// Bytes an element of kernels that nobody fused; 0: it is one kernel.
double eagerBytes(const Operator& op, const TrafficRules& rules) {
    if (op.kind == OperatorKind::rotary) return rules.rotaryBytes;
    if (op.kind != OperatorKind::norm) return 0;
    return op.phase == Phase::backward ? rules.normBackwardBytes : rules.normForwardBytes;
}

void settle(const Graph& graph, Operator& op, const TrafficRules& rules) {
    const OperatorShape& s = op.shape;
    switch (op.kind) {
    case OperatorKind::gemm:
    case OperatorKind::batched_gemm:
    case OperatorKind::grouped_gemm: {
        const bool weightGradient = op.name.ends_with(".wgrad");
        op.bytesRead = op.operandBytes * s.batch * (s.m * s.k + s.k * s.n);
        if (op.storage != WeightStorage::as_multiplied)
            op.bytesRead = s.batch * (op.operandBytes * s.m * s.k + storedWeightBytes(op.storage, op.operandBytes) * s.k * s.n);
        if (op.name.starts_with(indexerScoresName)) { // heads' scores are added up on the chip
            op.bytesRead = tensorBytes(graph, op.inputs);
            op.bytesWritten = tensorBytes(graph, op.outputs);
            break;
        }
        const double results = s.batch * s.m * s.n;
        op.bytesWritten = results * op.operandBytes;
        if (weightGradient && rules.accumulatesInPlace) {
            op.bytesWritten = results * rules.gradientBytes;
            op.bytesRead += op.bytesWritten;
            op.bytesAccumulated = std::max(0.0, 2 * op.bytesWritten - results * op.operandBytes);
        }
        break;
    }
    case OperatorKind::embedding:
        // One row of the table a token, not the table.
        op.bytesRead = op.bytesWritten = tensorBytes(graph, op.phase == Phase::backward ? op.inputs : op.outputs);
        break;
    case OperatorKind::cross_entropy: {
        const bool backward = op.phase == Phase::backward;
        const double aLogit = backward ? rules.lossBackwardBytes : rules.lossForwardBytes;
        op.bytesRead = tensorBytes(graph, op.inputs);
        op.bytesWritten = tensorBytes(graph, op.outputs);
        if (aLogit > 0) {
            const auto logits = static_cast<std::size_t>(backward ? op.outputs.front() : op.inputs.front());
            op.trafficCounted = true;
            op.bytesRead = op.bytesWritten = aLogit / 2 * graph.tensors[logits].bytes / op.operandBytes;
        }
        break;
    }
    default:
        op.bytesRead = tensorBytes(graph, op.inputs);
        op.bytesWritten = tensorBytes(graph, op.outputs);
        if (const double anElement = eagerBytes(op, rules); anElement > 0) {
            op.trafficCounted = true;
            op.bytesRead = op.bytesWritten = anElement / 2 * op.bytesWritten / activationBytes;
        }
        break;
    }
    op.bytesRead *= op.repeats;
    op.bytesWritten *= op.repeats;
    op.bytesAccumulated *= op.repeats;
}

} // namespace

void settleTraffic(Graph& graph, const TrafficRules& rules) {
    for (Operator& op : graph.forward) settle(graph, op, rules);
    for (Operator& op : graph.backward) settle(graph, op, rules);
}

double savedBytes(const Graph& graph) {
    std::set<TensorId> saved;
    for (const Operator& op : graph.forward) saved.insert(op.saved.begin(), op.saved.end());
    double bytes = 0;
    for (TensorId id : saved) bytes += graph.tensors[static_cast<std::size_t>(id)].bytes;
    return bytes;
}

} // namespace orrery
