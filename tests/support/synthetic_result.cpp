// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/synthetic_result.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/training/plan/lanes.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace orrery::test {
namespace {

constexpr double sequence = 8192, hidden = 8192, ffn = 28672, keyValue = 2048, vocabulary = 128256, tensorRanks = 8;
constexpr double peak = 989e12, bandwidth = 3.35e12, scaleUp = 450e9, scaleOut = 50e9;
constexpr double launch = 2.5e-6;

class Builder {
public:
    explicit Builder(const SyntheticOptions& options) : options_(options) {}

    ResultPtr build() {
        makeSegments();
        schedule();
        makeMemory();
        makeOperations();
        makeMetrics();
        makeStory();
        return std::make_shared<const Result>(std::move(result_));
    }

private:
    /// Adds an operator to the segment under construction.
    void add(const std::string& name, OperatorKind kind, Phase phase, double flops, double bytes, double efficiency = 0.75) {
        TimedOperator timed;
        timed.op.name = options_.operatorPrefix + name;
        timed.op.kind = kind;
        timed.op.phase = phase;
        timed.op.flops = flops;
        timed.op.bytesRead = bytes * 0.6;
        timed.op.bytesWritten = bytes * 0.4;
        const double computing = flops / (peak * efficiency);
        const double moving = bytes / (bandwidth * 0.85);
        timed.time = std::max({computing, moving, launch});
        timed.bound = timed.time == launch ? Bound::latency : computing > moving ? Bound::compute
                                                                                 : Bound::memory;
        timed.source = Source::roofline;
        append(timed, StreamKind::compute);
    }

    void addCollective(const std::string& name, CollectiveKind kind, RankGroup group, double bytes, double rate, StreamKind stream) {
        TimedOperator timed;
        timed.op.name = options_.operatorPrefix + name;
        timed.op.kind = kind == CollectiveKind::send_receive ? OperatorKind::send_receive : OperatorKind::collective;
        timed.op.phase = Phase::communication;
        timed.op.collective = kind;
        timed.op.group = group;
        timed.op.messageBytes = bytes;
        timed.op.bytesRead = bytes;
        timed.time = bytes * 7 / 8 / rate + 5e-6;
        timed.bound = Bound::network;
        append(timed, stream);
    }

    void append(const TimedOperator& timed, StreamKind stream) {
        auto same = std::find_if(timeline().operators.begin(), timeline().operators.end(), [&](const TimedOperator& other) {
            return other.op.name == timed.op.name && other.op.phase == timed.op.phase;
        });
        const auto index = static_cast<std::uint32_t>(same - timeline().operators.begin());
        if (same == timeline().operators.end()) timeline().operators.push_back(timed);
        const double start = segment_.duration;
        segment_.duration += timed.time;
        segment_.entries.push_back({index, start, segment_.duration, stream});
    }

    std::uint32_t finish(const std::string& name, Phase phase) {
        segment_.name = name;
        segment_.phase = phase;
        timeline().segments.push_back(std::exchange(segment_, {}));
        return static_cast<std::uint32_t>(timeline().segments.size() - 1);
    }

    void layer(Phase phase) {
        const double t = tensorRanks, s = sequence, h = hidden;
        const double work = phase == Phase::backward ? 2 : 1;
        const auto gemm = [&](const char* name, double k, double n, double efficiency) {
            add(name, OperatorKind::gemm, phase, work * 2 * s * k * n, work * 2 * (s * k + k * n + s * n), efficiency);
        };
        const auto gather = [&](const char* name) {
            addCollective(name, CollectiveKind::all_gather, RankGroup::tensor, 2 * s * h, scaleUp, StreamKind::within);
        };
        add("attention.norm", OperatorKind::norm, phase, work * 4 * s * h / t, work * 4 * s * h / t);
        gather("all-gather, tensor");
        gemm("attention.qkv", h, (h + keyValue) / t, 0.71);
        add("attention.rotary", OperatorKind::rotary, phase, 3 * s * h / t, 5 * s * h / t);
        add("attention.core", OperatorKind::attention, phase, work * 4 * s * s * h / t, work * 8 * s * h / t, 0.45);
        gemm("attention.out", h / t, h, 0.66);
        addCollective("reduce-scatter, tensor", CollectiveKind::reduce_scatter, RankGroup::tensor, 2 * s * h, scaleUp, StreamKind::within);
        add("residual", OperatorKind::residual, phase, s * h / t, 6 * s * h / t);
        add("mlp.norm", OperatorKind::norm, phase, work * 4 * s * h / t, work * 4 * s * h / t);
        gather("all-gather, tensor");
        gemm("mlp.gate_up", h, 2 * ffn / t, 0.78);
        add("mlp.swiglu", OperatorKind::activation, phase, work * 5 * s * ffn / t, work * 6 * s * ffn / t);
        gemm("mlp.down", ffn / t, h, 0.74);
    }

    void makeSegments() {
        const double t = tensorRanks, s = sequence, h = hidden;
        const double parameters = 70.6e9 / (t * options_.stages);
        add("embedding.lookup", OperatorKind::embedding, Phase::forward, 0, 4 * s * h);
        embedding_ = finish("embedding", Phase::forward);
        layer(Phase::forward);
        forward_ = finish("layer", Phase::forward);
        add("attention.core", OperatorKind::attention, Phase::recompute, 4 * s * s * h / t, 8 * s * h / t, 0.45);
        recompute_ = finish("layer", Phase::recompute);
        layer(Phase::backward);
        backward_ = finish("layer", Phase::backward);
        add("head.logits", OperatorKind::gemm, Phase::forward, 2 * s * h * vocabulary / t, 2 * (s * h + h * vocabulary / t + s * vocabulary / t), 0.8);
        add("head.cross_entropy", OperatorKind::cross_entropy, Phase::forward, 6 * s * vocabulary / t, 4 * s * vocabulary / t);
        head_ = finish("head", Phase::forward);
        addCollective("send, pipeline", CollectiveKind::send_receive, RankGroup::pipeline, 2 * s * h / t, scaleOut, TrainingStream::pipeline);
        send_ = finish("send", Phase::communication);
        addCollective("reduce-scatter, data", CollectiveKind::reduce_scatter, RankGroup::data, 4 * parameters, scaleOut, TrainingStream::data);
        gradients_ = finish("gradients", Phase::communication);
        add("gradient.norm", OperatorKind::gradient_norm, Phase::optimizer, 2 * parameters / 4, 4 * parameters / 4);
        add("adam", OperatorKind::optimizer, Phase::optimizer, 12 * parameters / 4, 28 * parameters / 4);
        optimizer_ = finish("optimizer", Phase::optimizer);
    }

    double duration(std::uint32_t segment) const { return result_.timeline.segments[segment].duration; }
    int layersOfStage() const { return options_.layers / options_.stages; }

    void put(Stream& stream, double& time, std::uint32_t segment, int microBatch, int layerIndex) {
        stream.spans.push_back({time, time + duration(segment), segment, microBatch, layerIndex, 0});
        time += duration(segment);
        spansOf_[segment] += 1;
    }

    /// 1F1B by walking every stage's list of work as far as its inputs have arrived, until nothing is left.
    void schedule() {
        const int p = options_.stages, m = options_.microBatches;
        timeline().streamNames = trainingStreamNames();
        timeline().stages.resize(static_cast<std::size_t>(p));
        std::vector<std::vector<double>> forwardDone(static_cast<std::size_t>(p), std::vector<double>(static_cast<std::size_t>(m), -1));
        auto backwardDone = forwardDone;
        std::vector<double> clock(static_cast<std::size_t>(p), 0);
        std::vector<std::size_t> next(static_cast<std::size_t>(p), 0);
        for (int stage = 0; stage < p; ++stage) {
            StageTimeline& line = timeline().stages[static_cast<std::size_t>(stage)];
            line.stage = stage;
            line.ranks = std::to_string(stage * 32) + "-" + std::to_string(stage * 32 + 31);
            line.streams = {{StreamKind::compute, {}}, {StreamKind::within, {}}, {TrainingStream::pipeline, {}}, {TrainingStream::data, {}}};
        }
        const auto orderOf = [&](int stage) {
            std::vector<int> order; // +i: forward of micro-batch i-1; -i: backward
            const int warm = std::min(m, p - stage);
            for (int i = 0; i < warm; ++i) order.push_back(i + 1);
            for (int i = 0; i < m; ++i) {
                order.push_back(-(i + 1));
                if (warm + i < m) order.push_back(warm + i + 1);
            }
            return order;
        };
        bool moved = true;
        while (moved) {
            moved = false;
            for (int stage = 0; stage < p; ++stage) {
                const auto at = static_cast<std::size_t>(stage);
                const std::vector<int> order = orderOf(stage);
                while (next[at] < order.size()) {
                    const bool isForward = order[next[at]] > 0;
                    const auto batch = static_cast<std::size_t>(std::abs(order[next[at]]) - 1);
                    double ready = 0;
                    if (isForward && stage > 0) ready = forwardDone[at - 1][batch];
                    if (!isForward) ready = stage + 1 < p ? backwardDone[at + 1][batch] : forwardDone[at][batch];
                    if (ready < 0) break;
                    const bool received = (isForward && stage > 0) || (!isForward && stage + 1 < p);
                    if (received) {
                        Stream& pipeline = timeline().stages[at].streams[2];
                        if (!pipeline.spans.empty()) ready = std::max(ready, pipeline.spans.back().end);
                        put(pipeline, ready, send_, static_cast<int>(batch), -1);
                    }
                    clock[at] = std::max(clock[at], ready);
                    run(stage, static_cast<int>(batch), isForward, clock[at]);
                    (isForward ? forwardDone : backwardDone)[at][batch] = clock[at];
                    ++next[at];
                    moved = true;
                }
            }
        }
        for (int stage = 0; stage < p; ++stage) {
            const auto at = static_cast<std::size_t>(stage);
            Stream& data = timeline().stages[at].streams[3];
            put(data, clock[at], gradients_, -1, -1);
            put(timeline().stages[at].streams[0], clock[at], optimizer_, -1, -1);
            timeline().duration = std::max(timeline().duration, clock[at]);
        }
    }

    void run(int stage, int batch, bool isForward, double& clock) {
        StageTimeline& line = timeline().stages[static_cast<std::size_t>(stage)];
        Stream& compute = line.streams[0];
        const int first = stage * layersOfStage();
        if (isForward && stage == 0) put(compute, clock, embedding_, batch, -1);
        for (int i = 0; i < layersOfStage(); ++i) {
            const int index = isForward ? first + i : first + layersOfStage() - 1 - i;
            if (isForward) {
                line.memory.push_back({clock, live_[stage], temporaryBytes});
                put(compute, clock, forward_, batch, index);
                live_[stage] += layerActivations;
            } else {
                put(compute, clock, recompute_, batch, index);
                line.memory.push_back({clock, live_[stage], 2 * temporaryBytes});
                put(compute, clock, backward_, batch, index);
                live_[stage] -= layerActivations;
            }
            line.memory.push_back({clock, live_[stage], 0});
        }
        if (isForward && stage == options_.stages - 1) put(compute, clock, head_, batch, -1);
    }

    void makeMemory() {
        MemoryReport& memory = result_.memory;
        memory.capacityBytes = options_.capacityGib * units::gibibyte;
        const double parameters = 70.6e9 / (tensorRanks * options_.stages);
        for (StageTimeline& line : timeline().stages) {
            StageMemory stage;
            stage.stage = line.stage;
            auto bytes = [&](MemoryKind kind) -> double& { return stage.bytes[static_cast<std::size_t>(kind)]; };
            bytes(MemoryKind::weights) = 2 * parameters;
            bytes(MemoryKind::gradients) = 4 * parameters;
            bytes(MemoryKind::optimizer_states) = 12 * parameters / 4;
            bytes(MemoryKind::communication_buffers) = 0.8 * units::gibibyte;
            bytes(MemoryKind::fragmentation) = 1.1 * units::gibibyte;
            bytes(MemoryKind::framework) = 1.9 * units::gibibyte;
            line.staticBytes = std::accumulate(stage.bytes.begin(), stage.bytes.end(), 0.0);
            for (const MemorySample& sample : line.memory) {
                if (sample.activations + sample.temporary <= bytes(MemoryKind::activations) + bytes(MemoryKind::temporary)) continue;
                bytes(MemoryKind::activations) = sample.activations;
                bytes(MemoryKind::temporary) = sample.temporary;
                stage.peakTime = sample.time;
            }
            stage.peakBytes = std::accumulate(stage.bytes.begin(), stage.bytes.end(), 0.0);
            memory.peakBytes = std::max(memory.peakBytes, stage.peakBytes);
            memory.stages.push_back(stage);
        }
        memory.allocatedPeakBytes = memory.peakBytes - 3 * units::gibibyte;
        memory.reservedPeakBytes = memory.peakBytes - 1.9 * units::gibibyte;
        result_.fits = memory.peakBytes <= memory.capacityBytes;
        if (!result_.fits) result_.outOfMemory = OutOfMemory{0, memory.peakBytes, memory.capacityBytes, {}};
    }

    /// From how often each segment was put down, not from a walk over the timeline.
    void makeOperations() {
        std::map<std::uint32_t, double> counts;
        for (const auto& [segment, spans] : spansOf_)
            for (const SegmentEntry& entry : timeline().segments[segment].entries) counts[entry.op] += spans;
        for (const auto& [index, count] : counts) {
            const TimedOperator& timed = timeline().operators[index];
            const double mean = count / options_.stages;
            result_.operations.push_back({timed.op.name, std::string(toString(timed.op.phase)), mean, mean * timed.time,
                                          mean * timed.op.flops, mean * (timed.op.bytesRead + timed.op.bytesWritten),
                                          timed.bound, timed.source, timed.op.kind, timed.op.group});
        }
    }

    void makeMetrics() {
        TrainingMetrics metrics;
        metrics.iterationTime = timeline().duration;
        metrics.tokensPerSecond = sequence * 128 / metrics.iterationTime;
        metrics.tokensPerSecondPerAccelerator = metrics.tokensPerSecond / (32.0 * options_.stages);
        metrics.modelTflopsPerAccelerator = 6 * 70.6e9 * metrics.tokensPerSecondPerAccelerator / units::tera;
        metrics.mfu = metrics.modelTflopsPerAccelerator * units::tera / peak;
        metrics.hfu = metrics.mfu * 1.03;
        metrics.mfuCausal = metrics.mfu * 0.96;
        for (const StageTimeline& line : timeline().stages) {
            TimeBreakdown parts{};
            const auto part = [&](TimePart which) -> double& { return parts[static_cast<std::size_t>(which)]; };
            for (const Span& span : line.streams[0].spans) {
                const Segment& segment = timeline().segments[span.segment];
                for (const SegmentEntry& entry : segment.entries) {
                    const double length = entry.end - entry.start;
                    if (entry.stream == StreamKind::within) part(TimePart::tensor_exposed) += length;
                    else if (segment.phase == Phase::forward) part(TimePart::forward) += length;
                    else if (segment.phase == Phase::backward) part(TimePart::backward) += length;
                    else if (segment.phase == Phase::recompute) part(TimePart::recompute) += length;
                    else part(TimePart::optimizer) += length;
                }
            }
            part(TimePart::data_exposed) = duration(gradients_);
            part(TimePart::bubble) = metrics.iterationTime - std::accumulate(parts.begin(), parts.end(), 0.0);
            metrics.stages.push_back(parts);
        }
        metrics.breakdown = metrics.stages.front();
        metrics.bubbleFraction = metrics.breakdown[static_cast<std::size_t>(TimePart::bubble)] / metrics.iterationTime;
        metrics.bubbleTime = metrics.breakdown[static_cast<std::size_t>(TimePart::bubble)];
        metrics.bubbleOverIdeal = (options_.stages - 1.0) / options_.microBatches;
        result_.metrics = metrics;
    }

    void makeStory() {
        result_.name = "llama-3.1-70b-64-h100";
        result_.parameters = result_.activeParameters = 70.6e9;
        Scenario& scenario = result_.scenario;
        scenario.name = result_.name;
        scenario.training().sequenceLength = static_cast<int>(sequence);
        scenario.training().globalBatch = 128;
        scenario.training().microBatch = 1;
        scenario.parallelism.tensor = 8;
        scenario.parallelism.pipeline = options_.stages;
        scenario.parallelism.data = 4;
        Accelerator& accelerator = scenario.cluster.accelerator;
        accelerator.id = "h100-sxm";
        accelerator.name = "H100 SXM5";
        accelerator.peakDense = {{"bf16", peak}, {"fp16", peak}, {"fp8", 2 * peak}};
        accelerator.memoryBytes = options_.capacityGib * units::gibibyte;
        accelerator.memoryBandwidth = bandwidth;
        accelerator.l2Bandwidth = 5.5e12;

        const TimeBreakdown& parts = result_.training()->breakdown;
        const double iteration = result_.training()->iterationTime;
        const auto share = [&](TimePart part) { return parts[static_cast<std::size_t>(part)] / iteration; };
        const std::string p = std::to_string(options_.stages), m = std::to_string(options_.microBatches);
        Quantity bubble{"bubble_time", parts[static_cast<std::size_t>(TimePart::bubble)], "s", Source::derived, "(p - 1)/(m + p - 1) x span", "Narayanan et al. 2021, section 2.2", {{"p", static_cast<double>(options_.stages), "1", Source::given, "", "/parallelism/pipeline", {}}, {"m", static_cast<double>(options_.microBatches), "1", Source::derived, "global/(micro x data)", "", {}}}};
        Quantity gathers{"tensor_exposed", parts[static_cast<std::size_t>(TimePart::tensor_exposed)], "s", Source::roofline, "layers x 3 x (t - 1)/t x S/W", "physics row 10", {}};
        Quantity again{"recompute", parts[static_cast<std::size_t>(TimePart::recompute)], "s", Source::derived, "layers x attention forward", "Korthikanti et al. 2022, eq. 4", {}};
        result_.causes = {
            {"tensor_exposed", share(TimePart::tensor_exposed), "tensor all-gathers no GEMM hides", "overlap: tensor", {{"/execution/overlap/tensor", true}}, gathers},
            {"bubble", share(TimePart::bubble), "bubble: " + p + " stages, " + m + " micro-batches", "5 chunks", {{"/parallelism/virtual_pipeline", 5}, {"/parallelism/schedule", "interleaved"}}, bubble},
            {"recompute", share(TimePart::recompute), "attention recomputed, 12 GiB are free", "none", {{"/execution/recompute", "none"}}, again},
        };
        std::sort(result_.causes.begin(), result_.causes.end(), [](const Cause& a, const Cause& b) { return a.share > b.share; });
        result_.assumed = {
            {"/cluster/scale_out/latency_us", 5.0, "usual platform of the accelerator (DGX H100)"},
            {"/execution/framework", "megatron-core-2025", "the newest generic profile"},
            {"/parallelism/order", "tp-cp-ep-dp-pp", "Megatron's default"},
            {"/workload/optimizer", "adam", "the usual optimizer of pretraining"},
        };
        Problem warning;
        warning.severity = Severity::warning;
        warning.code = "sequence-too-long";
        warning.pointer = "/workload/sequence_length";
        warning.message = "The sequence of 8,192 tokens is longer than the 4,096 positions the model was trained for.";
        warning.mend = "Use 4096";
        warning.edits = {{"/workload/sequence_length", 4096}};
        result_.warnings = {warning};
    }

    Timeline& timeline() { return result_.timeline; }

    static constexpr double layerActivations = 0.205e9;
    static constexpr double temporaryBytes = 0.9e9;

    SyntheticOptions options_;
    Result result_;
    Segment segment_;
    std::map<std::uint32_t, double> spansOf_;
    std::map<int, double> live_;
    std::uint32_t embedding_ = 0, forward_ = 0, recompute_ = 0, backward_ = 0, head_ = 0, send_ = 0, gradients_ = 0, optimizer_ = 0;
};

} // namespace

ResultPtr syntheticResult(const SyntheticOptions& options) { return Builder(options).build(); }

} // namespace orrery::test
