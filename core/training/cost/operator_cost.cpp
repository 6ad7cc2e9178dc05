// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/cost/operator_cost.hpp"

#include "core/scenario/scenario.hpp"
#include "core/scenario/scenario_words.hpp"
#include "core/training/cost/cost_terms.hpp"

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

} // namespace orrery
