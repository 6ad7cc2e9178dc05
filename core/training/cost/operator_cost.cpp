// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/cost/operator_cost.hpp"
#include "core/base/text.hpp"
#include "core/scenario/scenario.hpp"
#include "core/scenario/scenario_words.hpp"
#include "core/training/cost/cost_terms.hpp"

#include <cmath>
#include <utility>

namespace orrery {

CostModel makeCostModel(const Accelerator& accelerator, const KernelConstants& constants, Precision precision) {
    CostModel model;
    const auto peakOf = [&](Precision format) {
        const auto peak = accelerator.peakDense.find(std::string(traitsOf(format).peak));
        return peak != accelerator.peakDense.end() ? peak->second : 0;
    };
    // Training in 8 or 4 bits keeps everything but weights' products in bf16. Weights that are stored narrower are multiplied in 16 bit: in
    // fp16, where a chip has no bf16.
    const double fp16 = peakOf(Precision::fp16), bf16 = peakOf(Precision::bf16);
    model.peak = precision == Precision::fp16 || bf16 <= 0 ? fp16 : bf16;
    model.fp8Peak = peakOf(Precision::fp8);
    model.fp4Peak = peakOf(Precision::nvfp4);
    model.memoryBandwidth = accelerator.memoryBandwidth;
    model.vectorPeak =
        accelerator.vectorFp32 > 0 ? accelerator.vectorFp32 : accelerator.memoryBandwidth * constants.physics.vectorFlopsPerByte;
    model.chip = rooflineMachine(accelerator, constants.physics, usualShares(constants.physics));
    model.constants = constants;
    return model;
}

CostModel costModelOf(const Scenario& scenario) {
    CostModel model = makeCostModel(scenario.cluster.accelerator, scenario.kernels, scenario.precision());
    const FrameworkProfile& profile = scenario.execution.profile;
    model.quantisesApart = std::holds_alternative<TrainingWorkload>(scenario.workload);
    model.attentionShare = profile.attentionShare;
    const auto& kernels = scenario.kernels.attentionKernels;
    if (const auto kernel = kernels.find(attentionKernelOf(scenario)); model.quantisesApart && kernel != kernels.end()) model.attentionKernel = kernel->second;
    if (scenario.execution.eightBitAttention) model.attentionShare *= scenario.kernels.physics.eightBitAttentionRate;
    model.elementwiseTraffic = profile.elementwiseTraffic;
    model.loopsExperts = profile.experts.loopsProducts;
    model.kernelTimes = scenario.kernelTimes;
    if (const Accelerator* there = model.kernelTimes ? model.kernelTimes->foundOn() : nullptr) {
        CostModel found = makeCostModel(*there, scenario.kernels, scenario.precision());
        found.constants.powerShare = model.kernelTimes->powerShareThere();
        model.asFound = std::make_shared<const CostModel>(std::move(found));
    }
    return model;
}

std::string attentionKernelOf(const Scenario& scenario) {
    const auto& known = scenario.kernels.attentionKernels;
    if (scenario.execution.attention != AttentionKind::flash) return std::string(wordOf(scenario.execution.attention));
    for (const std::string& name : scenario.execution.profile.attentionKernels)
        if (known.count(name) != 0) return name;
    return known.empty() ? std::string() : known.begin()->first;
}

namespace {

OperatorTime ownTime(const CostModel& model, const Operator& op) {
    if (const auto known = tabledTime(model, op))
        return {known->time(), known->isMemory ? Bound::memory : Bound::compute, known->call.source, known->call.beyond};
    const RooflineTerms t = rooflineTerms(model, op);
    OperatorTime result;
    result.time = t.time();
    result.bound = t.launch > t.work() ? Bound::latency : (t.compute >= t.memory ? Bound::compute : Bound::memory);
    return result;
}

} // namespace

/// A fused attention that is slower than its parts, as on a few short heads, is not taken: libraries fall back on the parts (PyTorch's
/// scaled_dot_product_attention, cuDNN).
OperatorTime operatorTime(const CostModel& model, const Operator& op) {
    OperatorTime result = ownTime(model, op);
    const std::vector<Operator> parts = unfusedKernels(model, op, result.time);
    if (parts.empty()) return result;
    OperatorTime unfused;
    unfused.bound = Bound::memory;
    for (const Operator& part : parts) unfused.time += ownTime(model, part).time;
    return unfused.time < result.time ? unfused : result;
}

namespace {

std::string originOf(const KernelConstants& constants) {
    return constants.inheritedFrom.empty() ? constants.citation.source : "inherited from " + constants.inheritedFrom;
}

Quantity bandwidthOf(const CostModel& model) { return {"bandwidth", model.memoryBandwidth, "bytes/s", Source::given, "", "data sheet", {}}; }

Quantity serialQuantity(const CostModel& model, double seconds) {
    const double rate = model.constants.memoryRateOfPeak;
    return {"traffic not hidden", seconds, "s", Source::roofline, "bytes/(bandwidth × memory rate)", "", {{"bytes", seconds * model.memoryBandwidth * rate, "bytes", Source::derived, "sums that a gradient is added to, matrices of experts after the first", "", {}}, bandwidthOf(model), {"memory rate", rate, "1", Source::measured, "", originOf(model.constants), {}}}};
}

Quantity explainTabled(const CostModel& model, const Operator& op, const TabledTime& known) {
    if (known.isBeyondPeak())
        return {op.name, known.time(), "s", Source::roofline, "work/peak", "", {{"work", known.work, "FLOP", Source::derived, "", "operator graph", {}}, {"peak", known.peak, "FLOP/s", Source::given, "", "data sheet", {}}}};
    const bool measured = known.call.source == Source::measured;
    std::string origin = measured ? "your own table" : "operators.bin, fitted to tables of measured kernels";
    const std::string& relative = model.kernelTimes->relative();
    if (!measured && !relative.empty()) origin += " of " + relative + ", its nearest relative with tables";
    if (known.call.beyond > 0) origin += "; " + formatNumber(known.call.beyond) + " octaves outside the sizes they hold";
    Quantity call{"kernel", known.call.seconds, "s", known.call.source, "", origin, {}};
    const char* meaning = "calls of the table's kernel that do the operator's work";
    if (op.phase == Phase::backward && op.kind == OperatorKind::attention) meaning = "5 products for forward's 2";
    if (known.isPart) meaning = op.phase == Phase::backward ? "its share of the forward kernel's FLOPs, twice as long for the gradients of both sides: no table has the backward" : "its share of the FLOPs of a kernel that does several operators' work";
    Quantity times{"times", known.times, "1", Source::derived, meaning, "", {}};
    Quantity share{"share of the rate", known.share, "1", Source::predicted, "", "calibration.json: what training sustains of the rate in short loops", {}};
    Quantity bound{"bound by matrix units", known.bound, "1", Source::derived, "share of the peak that it reaches, over that of large calls", "", {}};
    Quantity result{op.name, known.time(), "s", known.call.source, "kernel × times × (1 + (1/share of the rate − 1) × bound by matrix units)", "", {std::move(call), std::move(times), std::move(share), std::move(bound)}};
    if (known.least >= known.time() - known.serial) {
        result.formula = "max(arithmetic alone, " + result.formula + ")";
        result.inputs.push_back({"arithmetic alone", known.least, "s", Source::derived, "work over all of the peak that matrix units reach", "", {}});
    }
    if (known.serial > 0) {
        result.formula += " + traffic not hidden";
        result.inputs.push_back(serialQuantity(model, known.serial));
    }
    return result;
}

Quantity explainRoofline(const CostModel& model, const Operator& op) {
    const RooflineTerms t = rooflineTerms(model, op);
    const KernelConstants& c = model.constants;
    const std::string origin = originOf(c);
    const bool product = isProduct(op.kind), attention = op.kind == OperatorKind::attention;
    const ProductRate rate = productRate(model, op.format);
    Quantity compute{"compute", t.compute, "s", Source::roofline, "work/vector peak", "", {}};
    if (byTrainingKernel(model, op)) {
        const double reached = attentionRateOfPeak(model, op);
        compute.formula = "kernel work/(peak × rate of peak)";
        compute.inputs = {{"kernel work", t.compute * model.peak * reached, "FLOP", Source::derived, "what a causal mask leaves, in backward five products for forward's two", "", {}},
                          {"peak", model.peak, "FLOP/s", Source::given, "", "data sheet", {}},
                          {"rate of peak", reached, "1", Source::predicted, "the kernel's on sequences and heads of these lengths, and what training keeps of it", "kernels.json (attention_kernels), calibration.json", {}},
                          {"work", op.flops, "FLOP", Source::derived, "", "operator graph", {}}};
    } else if (product || attention) {
        const double peak = attention ? model.peak : rate.peak, ofPeak = attention ? c.attentionRateOfPeak : rate.ofPeak;
        const double sustained = attention ? c.sustainedShare * c.powerShare : rate.sustained, share = attention ? attentionFactor(model, op) : 1;
        const char* const meaning = attention ? "what the fused kernel computes: of prompts what a causal mask leaves, in backward five products for forward's two"
                                              : "what all multiprocessors could compute in the time of whole waves of tiles";
        compute.formula = attention ? "kernel work/(peak × rate of peak × sustained share × share of it)" : "work in whole waves/(peak × rate of peak × sustained share)";
        compute.inputs = {{attention ? "kernel work" : "work in whole waves", t.compute * peak * ofPeak * sustained * share, "FLOP", Source::derived, meaning, "", {}},
                          {"peak", peak, "FLOP/s", Source::given, "", "data sheet", {}},
                          {"rate of peak", ofPeak, "1", Source::measured, "", origin, {}},
                          {"sustained share", sustained, "1", Source::predicted, "", "calibration.json", {}}};
        if (attention) compute.inputs.push_back({"share of it", share, "1", Source::predicted, "", "calibration.json", {}});
        compute.inputs.push_back({"work", op.flops, "FLOP", Source::derived, "", "operator graph", {}});
    } else {
        compute.inputs = {{"work", op.flops, "FLOP", Source::derived, "", "operator graph", {}}, {"vector peak", model.vectorPeak, "FLOP/s", Source::given, "", "data sheet", {}}};
    }
    const bool streams = !product && c.streamRate > 0, more = !product && !op.trafficCounted;
    const double bytes = op.bytesRead + op.bytesWritten, memoryRate = streams ? c.streamRate : c.memoryRateOfPeak;
    Quantity memory{"memory", t.memory, "s", Source::roofline, more ? "bytes × traffic/(bandwidth × memory rate)" : "bytes/(bandwidth × memory rate)", "", {}};
    // A product may wait for a cache instead, and part of its traffic may stand by itself.
    const double fromMemory = bytes / (model.memoryBandwidth * memoryRate);
    constexpr double rounding = 1e-9;
    if (product && std::abs(t.memory - fromMemory) > rounding * fromMemory) memory.formula = "time of the slowest level of memory, DRAM or a cache, without traffic not hidden";
    memory.inputs = {{"bytes", bytes, "bytes", Source::derived, "", "operator graph", {}},
                     bandwidthOf(model),
                     {"memory rate", memoryRate, "1", streams ? Source::predicted : Source::measured, "", streams ? "calibration.json" : origin, {}}};
    if (more) memory.inputs.push_back({"traffic", model.elementwiseTraffic, "1", Source::predicted, "", "calibration.json: of the framework's kernels", {}});
    if (const double scattered = scatterRate(model, op); scattered != 1) {
        memory.formula += "/rate of scattered rows";
        memory.inputs.push_back({"rate of scattered rows", scattered, "1", Source::measured, "", c.physics.sourceOf(&PhysicsConstants::permuteRate), {}});
    }
    Quantity launch{"launch", t.launch, "s", Source::measured, "kernels × shortest kernel", origin, {{"kernels", double(op.kernels), "1", Source::derived, "", "operator graph", {}}, {"shortest kernel", op.kernels > 0 ? t.launch / op.kernels : 0, "s", Source::measured, "", origin, {}}}};
    Quantity result{op.name, t.time(), "s", Source::roofline, "max(compute, memory) + launch", "", {std::move(compute), std::move(memory), std::move(launch)}};
    if (t.serial > 0) {
        result.formula = "max(compute, memory) + traffic not hidden + launch";
        result.inputs.push_back(serialQuantity(model, t.serial));
    }
    return result;
}

} // namespace

Quantity explainOperatorTime(const CostModel& model, const Operator& op) {
    const auto known = tabledTime(model, op);
    Quantity own = known ? explainTabled(model, op, *known) : explainRoofline(model, op);
    Quantity unfused{op.name, 0, "s", Source::roofline, "sum of its parts, which are faster apart", "", {}};
    for (const Operator& part : unfusedKernels(model, op, own.value)) {
        unfused.inputs.push_back(explainOperatorTime(model, part));
        unfused.value += unfused.inputs.back().value;
    }
    return unfused.inputs.empty() || unfused.value >= own.value ? own : unfused;
}

} // namespace orrery
