// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cost/operator_cost.hpp"

#include "core/cost/cost_terms.hpp"
#include "core/scenario/scenario.hpp"

namespace orrery {
namespace {

/// Assumed where the data sheet names no rate outside the matrix units: half of what a 2020 part has a byte of bandwidth.
constexpr double vectorFlopsPerByte = 5;

} // namespace

CostModel makeCostModel(const Accelerator& accelerator, const KernelConstants& constants, const std::string& precision) {
    CostModel model;
    const auto peakOf = [&](const std::string& format) {
        const auto peak = accelerator.peakDense.find(format);
        return peak != accelerator.peakDense.end() ? peak->second : 0;
    };
    // Training in 8 or 4 bits keeps everything but weights' products in bf16.
    model.peak = peakOf(precision == "fp16" ? "fp16" : "bf16");
    model.fp8Peak = peakOf("fp8");
    model.fp4Peak = peakOf("fp4");
    model.memoryBandwidth = accelerator.memoryBandwidth;
    model.vectorPeak =
        accelerator.vectorFp32 > 0 ? accelerator.vectorFp32 : accelerator.memoryBandwidth * vectorFlopsPerByte;
    model.chip = rooflineMachine(accelerator, usualShares);
    model.constants = constants;
    return model;
}

CostModel costModelOf(const Scenario& scenario) {
    CostModel model = makeCostModel(scenario.cluster.accelerator, scenario.kernels, scenario.workload.precision);
    const FrameworkProfile& profile = scenario.execution.profile;
    model.attentionShare = profile.attentionShare;
    if (scenario.cluster.accelerator.asynchronousMatrixUnits && !profile.asynchronousAttention) model.attentionShare *= synchronousAttentionShare;
    model.elementwiseTraffic = profile.elementwiseTraffic;
    model.loopsExperts = profile.experts.loopsProducts;
    model.kernelTimes = scenario.kernelTimes;
    return model;
}

OperatorTime operatorTime(const CostModel& model, const Operator& op) {
    if (const auto known = tabledTime(model, op))
        return {known->time(), known->isMemory ? Bound::memory : Bound::compute, known->call.source, known->call.beyond};
    const RooflineTerms t = rooflineTerms(model, op);
    OperatorTime result;
    result.time = t.time();
    result.bound = t.launch > t.work() ? Bound::latency : (t.compute >= t.memory ? Bound::compute : Bound::memory);
    return result;
}

} // namespace orrery
