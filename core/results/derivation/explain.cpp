// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/derivation/explain.hpp"
#include "core/base/units.hpp"
#include "core/results/derivation/explain_beside.hpp"
#include "core/results/derivation/explain_engine.hpp"
#include "core/results/derivation/explain_operation.hpp"
#include "core/results/derivation/explain_rl.hpp"
#include "core/results/derivation/explain_run.hpp"
#include "core/results/derivation/pointer_place.hpp"
#include "core/results/report/result.hpp"
#include "core/results/report/uncertainty.hpp"

#include <utility>
#include <vector>

namespace orrery {
namespace {

using Inputs = std::vector<Quantity>;

constexpr std::string_view uncertaintyKey = "/uncertainty";

Quantity numberOfStage(std::size_t stage) { return derived("stage", double(stage), "1", "its number along the pipeline, from 0"); }

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
    if (!execution.cudaGraphs || !execution.graphParts.empty()) inputs.push_back(ofProfile(profile, "host_launch_us", "launch of a kernel in forward", profile.hostLaunch));
    return inputs;
}

Quantity timePart(const Result& result, TimePart part, const TimeBreakdown& of, const std::string& where) {
    const bool ofHost = part == TimePart::overhead && !result.scenario.recorded();
    return derived(std::string(toString(part)), of[static_cast<std::size_t>(part)], "s", meaning(part), ofHost ? hostTimes(result.scenario.execution) : Inputs{},
                   "discrete-event timeline of " + where);
}

Quantity timePart(const Result& result, TimePart part) { return timePart(result, part, result.training()->breakdown, "the closing stage"); }

std::optional<TimePart> partOf(const std::string& word) {
    for (std::size_t part = 0; part < timePartCount; ++part)
        if (word == toString(static_cast<TimePart>(part))) return static_cast<TimePart>(part);
    return std::nullopt;
}

Quantity iterationTime(const Result& result) {
    const TrainingMetrics& metrics = *result.training();
    Inputs parts;
    for (std::size_t part = 0; part < timePartCount; ++part)
        if (metrics.breakdown[part] > 0) parts.push_back(timePart(result, static_cast<TimePart>(part)));
    return derived("iteration_time_s", metrics.iterationTime, "s", "sum of the closing stage's time parts", std::move(parts));
}

/// FLOP of an iteration as a rate of one accelerator.
Quantity flopRate(const Result& result, const std::string& whose, double flops, std::string meaning, std::string rule = {}) {
    const double seconds = result.training()->iterationTime * acceleratorCount(result.scenario);
    return derived(whose + " FLOP rate", flops / seconds / units::tera, "TFLOP/s", whose + " FLOP/(iteration time × accelerators)",
                   {derived(whose + " FLOP", flops, "FLOP", std::move(meaning), {}, std::move(rule)), iterationTime(result), accelerators(result.scenario)});
}

Quantity modelFlopRate(const Result& result) {
    const TrainingMetrics& metrics = *result.training();
    Quantity rate = flopRate(result, "model", metrics.modelFlops, "what an iteration must compute, by the rule of FLOPs", metrics.flopRule);
    rate.value = metrics.modelTflopsPerAccelerator; // to the last bit
    rate.reference = "Narayanan et al. 2021, eq. 3 without recomputation";
    return rate;
}

/// The accelerator's rate for products in the scenario's precision.
Quantity densePeak(const Scenario& scenario) {
    const std::string word(traitsOf(scenario.precision()).peak);
    const auto peak = scenario.cluster.accelerator.peakDense.find(word);
    return given("dense peak, " + word, peak == scenario.cluster.accelerator.peakDense.end() ? 0 : peak->second, "FLOP/s", scenario.cluster.accelerator.citation.source);
}

/// A rate of FLOPs over the peak, `more` beside the model's.
Quantity utilisation(const Result& result, std::string name, double value, std::string formula, Inputs more = {}) {
    Inputs inputs{modelFlopRate(result)};
    for (Quantity& one : more) inputs.push_back(std::move(one));
    inputs.push_back(densePeak(result.scenario));
    return derived(std::move(name), value, "1", std::move(formula), std::move(inputs));
}

Quantity microBatches(const Scenario& scenario) {
    return derived("m", scenario.microBatches(), "1", "global batch/(micro-batch × data)",
                   {given("global batch", scenario.training().globalBatch, "1", "/workload/global_batch_size"),
                    given("micro-batch", scenario.training().microBatch, "1", "/workload/micro_batch_size"),
                    given("data", scenario.parallelism.data, "1", "/parallelism/data")});
}

/// Stages, chunks of each and micro-batches.
Inputs shapeOf(const Scenario& scenario) {
    return {given("p", scenario.parallelism.pipeline, "1", "/parallelism/pipeline"), given("v", scenario.parallelism.virtualPipeline, "1", "/parallelism/virtual_pipeline"), microBatches(scenario)};
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
                    derived("equal stages without communication", (p - 1) / (vm + p - 1), "1", "(p − 1)/(v × m + p − 1)", shapeOf(result.scenario),
                            "Narayanan et al. 2021, §2.2")});
}

Quantity bubbleOverIdeal(const Result& result) {
    return derived("bubble_over_ideal", *result.training()->bubbleOverIdeal, "1",
                   "the schedule's idle time over the time of its micro-batches, equal stages without communication", shapeOf(result.scenario),
                   "Narayanan et al. 2021, §2.2; Qi et al. 2023 (arXiv 2401.10241); DeepSeek-V3 (arXiv 2412.19437), table 2");
}

Quantity interference(const Result& result, double seconds, const std::string& where) {
    const KernelConstants& kernels = result.scenario.kernels;
    return derived("interference_s", seconds, "s",
                   "part of forward, backward and recompute: kernels take longer by the slow-down as long as their rank communicates beside them",
                   {given("overlap slow-down, " + kernels.accelerator, kernels.overlapSlowdown, "1", "calibration")},
                   "discrete-event timeline of " + where);
}

/// A figure of one stage: its parts of the iteration, what communication beside kernels costs it.
std::optional<Quantity> explainStage(const Result& result, const std::vector<std::string>& tokens) {
    const TrainingMetrics& metrics = *result.training();
    const auto stage = tokens.size() > 2 ? placeIn(tokens[1], metrics.stages.size()) : std::nullopt;
    if (!stage) return std::nullopt;
    const std::string where = "stage " + tokens[1];
    if (tokens[2] == "stage") return numberOfStage(*stage);
    if (tokens[2] == "interference_s" && *stage < metrics.stageInterference.size()) return interference(result, metrics.stageInterference[*stage], where);
    if (tokens[2] != "time_breakdown_s" || tokens.size() != 4) return std::nullopt;
    const auto part = partOf(tokens[3]);
    return part ? std::optional(timePart(result, *part, metrics.stages[*stage], where)) : std::nullopt;
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

Quantity explainErrorBar(const std::string& name, const FigureWithBar& shown, const ErrorBar& bar) {
    const double value = shown.value;
    const std::string unit = shown.unit;
    const Quantity factor = derived("factor", bar.factor, "1", "90 % of measured runs lie within it of their prediction, above or below: pairs of model and accelerator count once each, the new run as the worst");
    const Quantity possible = derived("possible", bar.fastest, "1", "how many times better than predicted the figure can be: what the hardware peaks at, what must be held, what is offered");
    const Quantity figure = derived("value", value, unit, "the figure itself", {}, "/" + name);
    const bool cutLow = !bar.symmetric() && !shown.rate, cutHigh = !bar.symmetric() && shown.rate;
    Inputs inputs{derived("low", bar.low(value, shown.rate), unit, cutLow ? "value/possible" : "value/factor", {figure, cutLow ? possible : factor}),
                  derived("high", bar.high(value, shown.rate), unit, cutHigh ? "value × possible" : "value × factor", {figure, cutHigh ? possible : factor}), factor};
    for (const NearRun& run : bar.nearest) {
        Quantity near = given(run.id, run.errorPercent, "% error", run.source);
        near.source = Source::measured;
        inputs.push_back(std::move(near));
    }
    return derived(name + ", 90 % interval, half its width", bar.halfWidth(shown.rate) * value, unit, "(high − low)/2",
                   std::move(inputs), bar.basis + (bar.missing.empty() ? "" : ". " + bar.missing) + ". Split conformal prediction: Vovk et al. 2005; Lei et al. 2018; groups: Lee, Barber, Willett 2023; nearest: Barber et al. 2023");
}

/// A member of an interval; `rest` is what follows the figure's own pointer.
std::optional<Quantity> explainInterval(const FigureWithBar& figure, const ErrorBar& bar, std::string_view rest) {
    const std::string name = figure.pointer.substr(1);
    const Quantity whole = explainErrorBar(name, figure, bar);
    if (rest.empty()) return whole;
    if (rest == "/value") return derived(name, figure.value, figure.unit, "the figure itself", {}, figure.pointer);
    const std::vector<std::string> tokens = split(rest);
    if (tokens.size() < 2 || tokens[0] != "interval_90") return std::nullopt;
    if (tokens.size() == 2) {
        for (const Quantity& input : whole.inputs)
            if (input.name == tokens[1]) return derived(name + ", 90 % interval, " + input.name, input.value, input.unit, input.formula, input.inputs, whole.reference);
        if (tokens[1] == "cases") return derived("cases", double(bar.runs), "1", "measured runs behind the interval", {}, "accuracy");
        if (tokens[1] == "model_accelerator_pairs") return derived(tokens[1], double(bar.pairs), "1", "pairs of model and accelerator among them", {}, "accuracy");
        if (tokens[1] == "farthest") return derived(tokens[1], bar.farthest, "1", "distance of the least alike of them, by traits as of the nearest", {}, "accuracy");
        for (const auto& [key, count] : {std::pair("same_accelerator", bar.sameAccelerator), std::pair("like_accelerator", bar.likeAccelerator), std::pair("same_framework", bar.sameFramework), std::pair("same_kind", bar.sameKind)})
            if (tokens[1] == key) return derived(key, double(count), "1", "of the measured runs behind the interval", {}, "accuracy");
        return std::nullopt;
    }
    const auto near = tokens.size() == 4 && tokens[1] == "nearest" ? placeIn(tokens[2], bar.nearest.size()) : std::nullopt;
    if (!near) return std::nullopt;
    const NearRun& run = bar.nearest[*near];
    Quantity one = given(run.id, tokens[3] == "distance" ? run.distance : run.errorPercent, tokens[3] == "distance" ? "1" : "% error", run.source);
    one.source = tokens[3] == "distance" ? Source::derived : Source::measured;
    if (tokens[3] == "distance") one.formula = "how far the run's traits lie from the scenario's";
    return tokens[3] == "distance" || tokens[3] == "error_percent" ? std::optional(one) : std::nullopt;
}

std::optional<Quantity> explainUncertainty(const Result& result, std::string_view pointer) {
    for (const FigureWithBar& figure : figuresWithBars(result))
        if (pointer == figure.pointer || pointer.starts_with(figure.pointer + "/")) {
            if (auto found = explainInterval(figure, *result.uncertainty->of(figure.what), pointer.substr(figure.pointer.size()))) return found;
        }
    return std::nullopt;
}

std::optional<Quantity> explainFitsProbability(const Result& result) {
    const std::optional<double> chance = fitsProbability(result);
    if (!chance) return std::nullopt;
    const ErrorBar& bar = *result.uncertainty->of(ErrorOf::memory);
    return derived("fits_probability", *chance, "1", "the chance that a run's peak stays below the capacity: 90 % of measured peaks lie within the factor of what was predicted, 99 % within its square, and as many above as below",
                   {derived("peak", result.memory.peakBytes, "bytes", "the fullest accelerator's", {}, "/memory/peak_bytes"), given("capacity", result.memory.capacityBytes, "bytes", "catalogue"),
                    derived("factor", bar.factor, "1", "of the peak's error bar", {}, "/uncertainty/peak_memory_bytes")},
                   bar.basis);
}

} // namespace

std::optional<Quantity> explain(const Result& result, std::string_view pointer) {
    const std::vector<std::string> tokens = split(pointer);
    if (tokens.empty()) return std::nullopt;
    const std::string& first = tokens.front();
    if (first == "memory") return explainMemory(result, tokens);
    if (first == "fits_probability") return explainFitsProbability(result);
    if (first == "uncertainty") return explainUncertainty(result, pointer.substr(uncertaintyKey.size()));
    if (first == "parameters" || first == "active_parameters")
        return derived(first, first == "parameters" ? result.parameters : result.activeParameters, "1",
                       first == "parameters" ? "sum over the weights of the operator graph" : "the same without the experts that a token does not go to", {},
                       result.scenario.recorded() ? "recorded graph" : "Hugging Face config");
    if (first == "operations") return explainOperation(result, tokens);
    if (first == "bottleneck") return explainBottleneck(result, tokens);
    if (first == "out_of_memory") return result.outOfMemory ? explainOutOfMemory(result, *result.outOfMemory, tokens) : std::nullopt;
    if (first == "beside") return explainBeside(result.beside, {tokens.begin() + 1, tokens.end()});
    if (first == "jitter") return result.jitter ? explainJitter(*result.jitter, tokens) : std::nullopt;
    if (const InferenceMetrics* batch = result.inference()) return explainBatch(result, *batch, tokens);
    if (const ServingReport* report = result.serving()) return explainServing(result, *report, tokens);
    if (const RlReport* loop = result.rl()) return explainRl(*loop, tokens);
    const TrainingMetrics& metrics = *result.training();
    if (first == "run") return explainRun(result.scenario, metrics, tokens);
    if (first == "iteration_time_s") return iterationTime(result);
    if (first == "tokens_per_s")
        return derived(first, metrics.tokensPerSecond, "1/s", "tokens/iteration time", {tokenCount(result.scenario), iterationTime(result)});
    if (first == "tokens_per_s_per_accelerator")
        return derived(first, metrics.tokensPerSecondPerAccelerator, "1/s", "tokens/(iteration time × accelerators)",
                       {tokenCount(result.scenario), accelerators(result.scenario), iterationTime(result)});
    if (first == "cost_per_billion_tokens" && metrics.costPerBillionTokens)
        return derived(first, *metrics.costPerBillionTokens, "$", "10⁹ × price of an accelerator hour/tokens per s per accelerator",
                       {given("price of an accelerator hour", result.scenario.economics.pricePerAcceleratorHour.value_or(0), "$/h", "/economics/price_per_accelerator_hour"),
                        derived("tokens_per_s_per_accelerator", metrics.tokensPerSecondPerAccelerator, "1/s", "tokens/(iteration time × accelerators)", {tokenCount(result.scenario), accelerators(result.scenario), iterationTime(result)})});
    if (first == "model_tflops_per_accelerator") return modelFlopRate(result);
    if (first == "mfu") return utilisation(result, first, metrics.mfu, "model FLOP rate/dense peak");
    if (first == "hfu") return utilisation(result, first, metrics.hfu, "(model FLOP rate + recomputed FLOP rate)/dense peak", {flopRate(result, "recomputed", metrics.recomputedFlops, "products that run again in backward")});
    if (first == "mfu_causal") return utilisation(result, first, metrics.mfuCausal, "(model FLOP rate − masked FLOP rate)/dense peak", {flopRate(result, "masked", metrics.maskedFlops, "the half of attention that a causal mask leaves out")});
    if (first == "bubble_fraction") return bubble(result);
    if (first == "bubble_over_ideal") return metrics.bubbleOverIdeal ? std::optional(bubbleOverIdeal(result)) : std::nullopt;
    if (first == "interference_s" && !metrics.stageInterference.empty()) return interference(result, metrics.interference, "the closing stage");
    if (first == "stages") return explainStage(result, tokens);
    if (first == "time_breakdown_s" && tokens.size() == 2)
        if (const auto part = partOf(tokens[1])) return timePart(result, *part);
    return std::nullopt;
}

} // namespace orrery
