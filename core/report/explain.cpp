// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/operator_cost.hpp"
#include "core/report/explain_engine.hpp"
#include "core/report/explain_jitter.hpp"
#include "core/report/explain_run.hpp"
#include "core/report/figures_with_bars.hpp"
#include "core/report/result.hpp"

#include <charconv>
#include <utility>
#include <vector>

namespace orrery {
namespace {

using Inputs = std::vector<Quantity>;

constexpr std::string_view uncertaintyKey = "/uncertainty";

Quantity derived(std::string name, double value, std::string unit, std::string formula, Inputs inputs = {},
                 std::string reference = {}) {
    return {std::move(name), value, std::move(unit), Source::derived, std::move(formula), std::move(reference), std::move(inputs)};
}

Quantity given(std::string name, double value, std::string unit, std::string pointer) {
    return {std::move(name), value, std::move(unit), Source::given, "", std::move(pointer), {}};
}

double acceleratorCount(const Scenario& scenario) {
    return scenario.parallelism.ranks();
}

Quantity accelerators(const Scenario& scenario) {
    return derived("accelerators", acceleratorCount(scenario), "1", "tensor × context × data × pipeline",
                   {given("tensor", scenario.parallelism.tensor, "1", "/parallelism/tensor"),
                    given("context", scenario.parallelism.context, "1", "/parallelism/context"),
                    given("data", scenario.parallelism.data, "1", "/parallelism/data"),
                    given("pipeline", scenario.parallelism.pipeline, "1", "/parallelism/pipeline")});
}

Quantity tokenCount(const Scenario& scenario) {
    return derived("tokens", double(scenario.training().globalBatch) * scenario.training().sequenceLength, "1", "global batch × sequence length",
                   {given("global batch", scenario.training().globalBatch, "1", "/workload/global_batch_size"),
                    given("sequence length", scenario.training().sequenceLength, "1", "/workload/sequence_length")});
}

const char* meaning(TimePart part) {
    switch (part) {
    case TimePart::forward: return "operators of the forward pass";
    case TimePart::backward: return "operators of the backward pass";
    case TimePart::recompute: return "forward operators run again in backward";
    case TimePart::tensor_exposed: return "waits for collectives of the tensor group";
    case TimePart::context_exposed: return "waits for collectives of the context group";
    case TimePart::expert_exposed: return "waits for all-to-alls of the expert group";
    case TimePart::pipeline_exposed: return "waits for transfers between stages";
    case TimePart::data_exposed: return "waits for gradient and parameter communication";
    case TimePart::bubble: return "idle: nothing to compute, nothing under way";
    case TimePart::optimizer: return "gradient norm and optimizer step";
    case TimePart::overhead: return "waits for the host, whose launches take less in backward than in forward, and what an iteration takes besides";
    }
    return "";
}

Quantity ofProfile(const FrameworkProfile& profile, const std::string& key, std::string name, double seconds) {
    const auto source = profile.sources.find(key);
    return given(std::move(name), seconds, "s", profile.name + (source == profile.sources.end() ? "" : ": " + source->second));
}

/// What the host takes, where the model runs kernel by kernel.
Inputs hostTimes(const Execution& execution) {
    const FrameworkProfile& profile = execution.profile;
    Inputs inputs{ofProfile(profile, "iteration_overhead_s", "iteration overhead", profile.iterationOverhead)};
    if (!execution.cudaGraphs) inputs.push_back(ofProfile(profile, "host_launch_us", "launch of a kernel in forward", profile.hostLaunch));
    return inputs;
}

Quantity timePart(const Result& result, TimePart part) {
    const bool ofHost = part == TimePart::overhead && !result.scenario.recorded();
    return derived(std::string(toString(part)), result.training()->breakdown[static_cast<std::size_t>(part)], "s", meaning(part),
                   ofHost ? hostTimes(result.scenario.execution) : Inputs{}, "discrete-event timeline of the closing stage");
}

Quantity iterationTime(const Result& result) {
    const TrainingMetrics& metrics = *result.training();
    Inputs parts;
    for (std::size_t part = 0; part < timePartCount; ++part)
        if (metrics.breakdown[part] > 0) parts.push_back(timePart(result, static_cast<TimePart>(part)));
    return derived("iteration_time_s", metrics.iterationTime, "s", "sum of the closing stage's time parts", std::move(parts));
}

Quantity modelFlops(const TrainingMetrics& metrics) {
    return derived("model FLOP rate", metrics.modelTflopsPerAccelerator, "TFLOP/s", metrics.flopRule + ", over time and accelerators",
                   {}, "Narayanan et al. 2021, eq. 3 without recomputation");
}

Quantity utilisation(const Result& result, std::string name, double value, std::string formula) {
    const Scenario& scenario = result.scenario;
    const std::string precision(wordOf(scenario.precision()));
    const auto peak = scenario.cluster.accelerator.peakDense.find(precision);
    const double peakRate = peak == scenario.cluster.accelerator.peakDense.end() ? 0 : peak->second;
    return derived(std::move(name), value, "1", std::move(formula),
                   {modelFlops(*result.training()), given("dense peak, " + precision, peakRate, "FLOP/s",
                                                          scenario.cluster.accelerator.citation.source)});
}

Quantity bubble(const Result& result) {
    const Parallelism& plan = result.scenario.parallelism;
    const double p = plan.pipeline;
    const double vm = double(plan.virtualPipeline) * result.scenario.microBatches();
    return derived("bubble_fraction", result.training()->bubbleFraction, "1",
                   "mean over stages of idle time between first forward and last backward, over that span",
                   {derived("idle time of a stage, mean", result.training()->bubbleTime, "s", "", {}, "discrete-event timeline"),
                    derived("idle time of the closing stage, a part of the iteration", result.training()->breakdown[static_cast<std::size_t>(TimePart::bubble)], "s",
                            "another measure: the stage that ends the iteration may wait less than the others", {}, "discrete-event timeline"),
                    derived("equal stages without communication", (p - 1) / (vm + p - 1), "1", "(p − 1)/(v m + p − 1)", {},
                            "Narayanan et al. 2021, §2.2"),
                    given("p", p, "1", "/parallelism/pipeline"),
                    given("v", plan.virtualPipeline, "1", "/parallelism/virtual_pipeline"),
                    derived("m", result.scenario.microBatches(), "1", "global batch/(micro-batch × data)")});
}

Quantity bubbleOverIdeal(const Result& result) {
    const Parallelism& plan = result.scenario.parallelism;
    return derived("bubble_over_ideal", *result.training()->bubbleOverIdeal, "1",
                   "the schedule's idle time over the time of its micro-batches, equal stages without communication",
                   {given("p", plan.pipeline, "1", "/parallelism/pipeline"), given("v", plan.virtualPipeline, "1", "/parallelism/virtual_pipeline"),
                    derived("m", result.scenario.microBatches(), "1", "global batch/(micro-batch × data)")},
                   "Narayanan et al. 2021, §2.2; Qi et al. 2023 (arXiv 2401.10241); DeepSeek-V3 (arXiv 2412.19437), table 2");
}

Quantity interference(const Result& result) {
    const KernelConstants& kernels = result.scenario.kernels;
    return derived("interference_s", result.training()->interference, "s",
                   "part of forward, backward and recompute: kernels take longer by the slow-down as long as their rank communicates beside them",
                   {given("overlap slow-down, " + kernels.accelerator, kernels.overlapSlowdown, "1", "calibration")},
                   "discrete-event timeline of the closing stage");
}

const char* memoryFormula(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return "parameters of the rank × bytes a weight, ÷ data at ZeRO-3";
    case MemoryKind::gradients: return "parameters of the rank × bytes a gradient, ÷ data from ZeRO-2";
    case MemoryKind::optimizer_states: return "parameters of the rank × bytes of states, ÷ data from ZeRO-1";
    case MemoryKind::activations: return "tensors that forward keeps for backward, alive at the peak";
    case MemoryKind::kv_cache: return "cached keys and values";
    case MemoryKind::temporary: return "tensors alive only inside the piece running at the peak";
    case MemoryKind::communication_buffers: return "gathered weights of ZeRO-3 and communicators";
    case MemoryKind::fragmentation: return "reserved by the caching allocator beyond what is allocated";
    case MemoryKind::framework: return "context, libraries and workspaces, from the framework profile";
    }
    return "";
}

Quantity stageMemory(const Result& result, std::size_t stage) {
    const StageMemory& memory = result.memory.stages[stage];
    Inputs kinds;
    for (std::size_t kind = 0; kind < memoryKindCount; ++kind) {
        const auto which = static_cast<MemoryKind>(kind);
        if (memory.bytes[kind] == 0) continue;
        const bool engine = !result.training();
        const bool before = result.scenario.recorded() && which <= MemoryKind::optimizer_states;
        Quantity entry = derived(std::string(toString(which)), memory.bytes[kind], "bytes",
                                 before ? "recorded tensors that are there before the iteration, by the phase that first touches them" : engine ? engineMemoryFormula(result.scenario, which)
                                                                                                                                                : memoryFormula(which));
        const bool assumed = which == MemoryKind::fragmentation || which == MemoryKind::framework;
        if (assumed) entry.source = Source::assumed;
        kinds.push_back(std::move(entry));
    }
    if (!result.training()) return derived("peak memory of the fullest accelerator", memory.peakBytes, "bytes", "sum of what it holds when the cache is as full as it gets", std::move(kinds));
    return derived("peak memory of stage " + std::to_string(stage), memory.peakBytes, "bytes", "sum of what is alive at the peak",
                   std::move(kinds));
}

std::size_t fullestStage(const Result& result) {
    std::size_t fullest = 0;
    for (std::size_t i = 1; i < result.memory.stages.size(); ++i)
        if (result.memory.stages[i].peakBytes > result.memory.stages[fullest].peakBytes) fullest = i;
    return fullest;
}

std::vector<std::string> split(std::string_view pointer) {
    std::vector<std::string> tokens;
    for (std::size_t at = 1; at <= pointer.size();) {
        const std::size_t slash = std::min(pointer.find('/', at), pointer.size());
        tokens.emplace_back(pointer.substr(at, slash - at));
        at = slash + 1;
    }
    return tokens;
}

std::optional<std::size_t> index(const std::string& token, std::size_t size) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size() || value >= size) return std::nullopt;
    return value;
}

std::optional<Quantity> explainOperation(const Result& result, const OperationRow& row) {
    Quantity total = derived(row.kind, row.time, "s", "count × time of one");
    total.source = row.source;
    total.inputs.push_back(derived("count", row.count, "1", "instances, mean per accelerator and iteration"));
    const Scenario& scenario = result.scenario;
    for (const TimedOperator& timed : result.timeline.operators) {
        if (timed.op.name != row.kind) continue;
        if (scenario.recorded() && timed.op.collective == CollectiveKind::none) {
            const bool recorded = timed.source == Source::measured;
            total.formula = "sum over the instances";
            total.inputs.push_back({"the first", timed.time, "s", timed.source, recorded ? "" : "max(compute, memory) + launch, at the rates of its number format", recorded ? "duration in the recorded graph" : "shapes in the recorded graph", {}});
            break;
        }
        if (timed.op.collective != CollectiveKind::none) {
            total.inputs.push_back({"one", timed.time, "s", timed.source, "start + bytes/(bandwidth × rate of link) + steps × latency, a ring", "ring collective over the group's slowest link", {derived("message", timed.op.messageBytes, "bytes", "")}});
        } else {
            total.inputs.push_back(explainOperatorTime(
                costModelOf(scenario), timed.op));
        }
        break;
    }
    return total;
}

std::optional<Quantity> explainMemory(const Result& result, const std::vector<std::string>& tokens) {
    if (result.memory.stages.empty()) return std::nullopt;
    if (tokens.size() == 2 && tokens[1] == "capacity_bytes")
        return given("capacity", result.memory.capacityBytes, "bytes", result.scenario.cluster.accelerator.citation.source);
    if (tokens.size() == 2) return stageMemory(result, fullestStage(result));
    const auto stage = index(tokens[2], result.memory.stages.size());
    if (!stage) return std::nullopt;
    Quantity whole = stageMemory(result, *stage);
    if (tokens.size() < 4 || tokens[3] == "peak_bytes") return whole;
    for (Quantity& kind : whole.inputs)
        if (kind.name == tokens[3]) return kind;
    return std::nullopt;
}

Quantity explainErrorBar(const std::string& name, double value, const std::string& unit, const ErrorBar& bar) {
    Inputs inputs{derived("low", bar.low(value), unit, "value/factor"), derived("high", bar.high(value), unit, "value × factor"),
                  derived("factor", bar.factor, "1", "e to the 90 % quantile of |ln(measured/predicted)|, pairs of model and accelerator counting once each, the new run as the worst")};
    for (const NearRun& run : bar.nearest) {
        Quantity near = given(run.id, run.errorPercent, "% error", run.source);
        near.source = Source::measured;
        inputs.push_back(std::move(near));
    }
    return derived(name + ", 90 % interval, half its width", bar.halfWidth() * value, unit, bar.basis + (bar.missing.empty() ? "" : ". " + bar.missing),
                   std::move(inputs), "split conformal prediction: Vovk et al. 2005; Lei et al. 2018; groups: Lee, Barber, Willett 2023; nearest: Barber et al. 2023");
}

std::optional<Quantity> explainUncertainty(const Result& result, std::string_view pointer) {
    for (const FigureWithBar& figure : figuresWithBars(result))
        if (pointer == figure.pointer) return explainErrorBar(figure.pointer.substr(1), figure.value, figure.unit, *result.uncertainty->of(figure.what));
    return std::nullopt;
}

} // namespace

std::optional<Quantity> explain(const Result& result, std::string_view pointer) {
    const std::vector<std::string> tokens = split(pointer);
    if (tokens.empty()) return std::nullopt;
    const std::string& first = tokens.front();
    if (first == "memory") return explainMemory(result, tokens);
    if (first == "uncertainty") return explainUncertainty(result, pointer.substr(uncertaintyKey.size()));
    if (first == "parameters" || first == "active_parameters")
        return derived(first, result.parameters, "1", "sum over the weights of the operator graph", {},
                       result.scenario.recorded() ? "recorded graph" : "Hugging Face config");
    if (first == "operations" && tokens.size() >= 2) {
        const auto row = index(tokens[1], result.operations.size());
        return row ? explainOperation(result, result.operations[*row]) : std::nullopt;
    }
    if (first == "jitter") return result.jitter ? explainJitter(*result.jitter, tokens) : std::nullopt;
    if (const InferenceMetrics* batch = result.inference()) return explainBatch(result, *batch, tokens);
    if (const ServingReport* report = result.serving()) return explainServing(result, *report, tokens);
    const TrainingMetrics& metrics = *result.training();
    if (first == "run") return explainRun(result.scenario, metrics, tokens);
    if (first == "iteration_time_s") return iterationTime(result);
    if (first == "tokens_per_s")
        return derived(first, metrics.tokensPerSecond, "1/s", "tokens/iteration time", {tokenCount(result.scenario), iterationTime(result)});
    if (first == "tokens_per_s_per_accelerator")
        return derived(first, metrics.tokensPerSecondPerAccelerator, "1/s", "tokens/(iteration time × accelerators)",
                       {tokenCount(result.scenario), accelerators(result.scenario), iterationTime(result)});
    if (first == "model_tflops_per_accelerator") return modelFlops(metrics);
    if (first == "mfu") return utilisation(result, first, metrics.mfu, "model FLOP rate/dense peak");
    if (first == "hfu") return utilisation(result, first, metrics.hfu, "(model + recomputed) FLOP rate/dense peak");
    if (first == "mfu_causal") return utilisation(result, first, metrics.mfuCausal, "model FLOP rate with half the attention/dense peak");
    if (first == "bubble_fraction") return bubble(result);
    if (first == "bubble_over_ideal") return metrics.bubbleOverIdeal ? std::optional(bubbleOverIdeal(result)) : std::nullopt;
    if (first == "interference_s" && !metrics.stageInterference.empty()) return interference(result);
    if (first == "time_breakdown_s" && tokens.size() == 2)
        for (std::size_t part = 0; part < timePartCount; ++part)
            if (tokens[1] == toString(static_cast<TimePart>(part))) return timePart(result, static_cast<TimePart>(part));
    return std::nullopt;
}

} // namespace orrery
