// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/records/traced_job/made_record.hpp"

namespace orrery::test {
namespace {

class Recorder {
public:
    explicit Recorder(const MadeDecoder& decoder) : d_(decoder) {}

    Json run() {
        step_ = now_;
        for (std::int64_t i = 0; i < d_.microBatches; ++i) {
            forward();
            if (d_.training) backward();
        }
        if (d_.training) annotated("Optimizer.step#AdamW.step", [&] { op("aten::_fused_adamw_", {{d_.vocabulary, d_.hidden}}); });
        event({{"ph", "X"}, {"cat", "user_annotation"}, {"name", "ProfilerStep#7"}, {"pid", 1}, {"tid", 1}, {"ts", step_}, {"dur", now_ - step_}});
        Json devices = Json::array();
        for (int i = 0; i < d_.devices; ++i) devices.push_back({{"id", i}, {"name", d_.device}, {"totalGlobalMem", 85018279936}, {"numSms", 132}});
        Json trace = {{"deviceProperties", devices}, {"traceEvents", events_}};
        if (!d_.distributed.is_null()) trace["distributedInfo"] = d_.distributed;
        return trace;
    }

private:
    using Shapes = std::vector<std::vector<std::int64_t>>;

    void event(Json one) { events_.push_back(std::move(one)); }

    /// An operator with one kernel in it; `kernel` names a collective.
    void op(const std::string& name, const Shapes& shapes, const std::string& kernel = "kernel") {
        Json types = Json::array();
        for (std::size_t i = 0; i < shapes.size(); ++i) types.push_back(shapes[i].empty() ? "" : name == "aten::embedding" && i == 1 ? "long int"
                                                                                                                                     : "c10::BFloat16");
        event({{"ph", "X"}, {"cat", "cpu_op"}, {"name", name}, {"pid", 1}, {"tid", thread_}, {"ts", now_}, {"dur", 8}, {"args", {{"Input Dims", shapes}, {"Input type", types}}}});
        event({{"ph", "X"}, {"cat", "cuda_runtime"}, {"name", "cudaLaunchKernel"}, {"pid", 1}, {"tid", thread_}, {"ts", now_ + 2}, {"dur", 1}, {"args", {{"correlation", next_}}}});
        const int stream = kernel.starts_with("nccl") ? 20 : 7;
        event({{"ph", "X"}, {"cat", "kernel"}, {"name", kernel}, {"pid", 0}, {"tid", stream}, {"ts", now_ + 4}, {"dur", 5}, {"args", {{"device", 0}, {"stream", stream}, {"correlation", next_++}}}});
        now_ += 10;
    }
    template <typename Body>
    void annotated(const std::string& name, Body&& body) {
        const std::int64_t begin = now_;
        body();
        event({{"ph", "X"}, {"cat", "user_annotation"}, {"name", name}, {"pid", 1}, {"tid", thread_}, {"ts", begin}, {"dur", now_ - begin}});
    }
    void linear(std::int64_t in, std::int64_t out, bool bias) {
        op("aten::linear", {{d_.batch, d_.tokens, in}, {out, in}, bias ? std::vector<std::int64_t>{out} : std::vector<std::int64_t>{}});
    }
    void norm() {
        if (d_.layerNorm) op("aten::layer_norm", {{d_.batch, d_.tokens, d_.hidden}, {}, {d_.hidden}, {d_.hidden}});
        else op("aten::mul", {{d_.batch, d_.tokens, d_.hidden}, {d_.hidden}});
    }

    void layer() {
        const std::int64_t width = d_.heads * d_.headDim, keys = d_.kvHeads * d_.headDim;
        norm();
        if (d_.fusedQueries) {
            linear(d_.hidden, width + 2 * keys, d_.queryBias);
        } else {
            linear(d_.hidden, width, d_.queryBias);
            linear(d_.hidden, keys, d_.queryBias);
            linear(d_.hidden, keys, d_.queryBias);
        }
        op("aten::scaled_dot_product_attention", {{d_.batch, d_.heads, d_.tokens, d_.headDim}, {d_.batch, d_.kvHeads, d_.tokens, d_.headDim}, {d_.batch, d_.kvHeads, d_.tokens, d_.headDim}});
        linear(width, d_.hidden, d_.positions > 0);
        if (d_.reducesInForward) op("c10d::allreduce_", {{d_.batch, d_.tokens, d_.hidden}}, "ncclDevKernel_AllReduce_Sum_bf16");
        norm();
        linear(d_.hidden, d_.ffn, d_.positions > 0);
        if (d_.gated) linear(d_.hidden, d_.ffn, false);
        op(d_.gated ? "aten::silu" : "aten::gelu", {{d_.batch, d_.tokens, d_.ffn}});
        linear(d_.ffn, d_.hidden, d_.positions > 0);
    }
    void forward() {
        op("aten::embedding", {{d_.vocabulary, d_.hidden}, {d_.batch, d_.tokens}});
        if (d_.positions > 0) op("aten::embedding", {{d_.positions, d_.hidden}, {1, d_.tokens}});
        for (std::int64_t i = 0; i < d_.layers; ++i) layer();
        norm();
        linear(d_.hidden, d_.vocabulary, false);
    }
    /// Autograd runs it on a thread of its own.
    void backward() {
        thread_ = 2;
        for (std::int64_t i = 0; i < d_.layers; ++i) {
            const std::int64_t begin = now_;
            if (d_.recomputed) layer();
            const std::int64_t rows = d_.batch * d_.tokens;
            op("aten::mm", {{rows, d_.hidden}, {d_.hidden, d_.ffn}});
            op("aten::mm", {{d_.hidden, rows}, {rows, d_.ffn}});
            op("aten::_scaled_dot_product_flash_attention_backward", {{d_.batch, d_.heads, d_.tokens, d_.headDim}, {d_.batch, d_.heads, d_.tokens, d_.headDim}, {d_.batch, d_.kvHeads, d_.tokens, d_.headDim}, {d_.batch, d_.kvHeads, d_.tokens, d_.headDim}});
            event({{"ph", "X"}, {"cat", "cpu_op"}, {"name", "autograd::engine::evaluate_function: LayerBackward0"}, {"pid", 1}, {"tid", thread_}, {"ts", begin}, {"dur", now_ - begin}});
        }
        if (d_.reducesGradients) {
            const std::int64_t begin = now_;
            op("c10d::allreduce_", {{1000}}, "ncclDevKernel_AllReduce_Sum_bf16");
            event({{"ph", "X"}, {"cat", "cpu_op"}, {"name", "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"}, {"pid", 1}, {"tid", thread_}, {"ts", begin}, {"dur", now_ - begin}});
        }
        thread_ = 1;
    }

    const MadeDecoder& d_;
    Json events_ = Json::array();
    std::int64_t now_ = 1000, step_ = 0;
    int thread_ = 1, next_ = 1;
};

} // namespace

Json madeRecord(const MadeDecoder& decoder) { return Recorder(decoder).run(); }

} // namespace orrery::test
