// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph_text.hpp"

#include <array>
#include <charconv>

namespace orrery {
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

} // namespace orrery
