// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/memory/static_memory.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double adamMoments = 8; ///< of a profile's optimizer bytes: two moments in fp32

constexpr double frozenSixteenBit = 2;  ///< bytes
constexpr double blockScale = 1.0 / 32; ///< bytes of scale an 8-bit element, where blocks have their own (OCP Microscaling 1.0)

bool isBlockScaled(const Workload& workload) { return workload.precision == "mxfp8" || (workload.precision == "fp8" && workload.fp8Recipe == "block"); }

/// Weights of products are in 8 bit and nothing else.
bool storesQuantised(const Scenario& scenario) {
    const std::string& precision = scenario.workload.precision;
    return scenario.execution.profile.quantisedParameters && (precision == "fp8" || precision == "mxfp8");
}

/// Bytes of such a weight: by rows, and for the gradient of the input by columns. With one scale a tensor the two differ only in layout,
/// which some hardware does not mind; a frozen one's other layout is made when it is needed (Megatron-Bridge, scripts/performance:
/// disable_parameter_transpose_cache).
double quantisedBytes(const Scenario& scenario, bool trained) {
    if (isBlockScaled(scenario.workload)) return 2 * (1 + blockScale);
    return trained && !scenario.kernels.anyOperandLayout ? 2 : 1;
}

/// Master copy and moments.
double optimizerBytes(const Scenario& scenario, bool momentsAsAdam) {
    const Workload& workload = scenario.workload;
    const double moments = workload.optimizer == OptimizerKind::adam || momentsAsAdam ? 2 : 1;
    return std::max(0.0, scenario.execution.profile.optimizerBytes - adamMoments) + moments * workload.optimizerElementBytes;
}

} // namespace

double shardRanks(const Scenario& scenario) { return scenario.parallelism.sharders(); }

double expertShardRanks(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    return double(plan.tensor) * plan.replicas() / (double(plan.expert) * plan.expertTensor);
}

bool gathersWeights(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    // Beside tensor parallelism fully_shard is wrapped round a single rank too, so that all parameters are DTensors
    // (KempnerForge, kempnerforge/distributed/setup.py).
    const bool wrapsOne = scenario.execution.profile.accumulatesWholeGradients && plan.tensor > 1;
    return plan.zeroStage >= 3 && (plan.sharders() > 1 || wrapsOne);
}

bool reducesUnits(const Scenario& scenario) { return scenario.parallelism.zeroStage == 2 && scenario.parallelism.sharders() > 1; }

bool addsUpWholeGradients(const Scenario& scenario) {
    return scenario.parallelism.zeroStage >= 3 && (keepsGatheredWeights(scenario) || scenario.execution.profile.accumulatesWholeGradients);
}

StateBytes stateBytes(const Scenario& scenario, double ranks, bool momentsAsAdam) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const Offload& offload = scenario.execution.offload;
    const auto share = [&](int fromStage) { return scenario.parallelism.zeroStage >= fromStage ? ranks : 1; };
    const bool whole = scenario.workload.precision == "bf16" && scenario.parallelism.zeroStage < 3;
    const double wholeMaster = whole ? profile.bf16WholeMasterBytes : 0;
    const double optimizer = (optimizerBytes(scenario, momentsAsAdam) - wholeMaster) / share(1) + wholeMaster;
    const double buckets = scenario.parallelism.zeroStage == 0 && scenario.parallelism.replicas() > 1 ? profile.bucketGradientBytes : 0;
    return {profile.weightBytes / share(3) * (1 - offload.weights), profile.gradientBytes / share(2) + buckets, optimizer * (1 - offload.optimizer)};
}

double quantisedExtraBytes(const Scenario& scenario, double ranks) {
    const FrameworkProfile& profile = scenario.execution.profile;
    if (!storesQuantised(scenario)) return profile.quantisedWeightBytes;
    return (quantisedBytes(scenario, true) - profile.weightBytes) / (scenario.parallelism.zeroStage >= 3 ? ranks : 1) * (1 - scenario.execution.offload.weights);
}

double frozenBytes(const Scenario& scenario, bool ofLayer) {
    const double ranks = scenario.parallelism.zeroStage >= 3 ? shardRanks(scenario) : 1;
    const double each = ofLayer && storesQuantised(scenario) ? quantisedBytes(scenario, false) : frozenSixteenBit;
    return each / ranks * (1 - scenario.execution.offload.weights);
}

OverheadMemory overheadMemory(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const int groups = (plan.tensor > 1) + (plan.pipeline > 1) + (plan.context > 1) + (plan.data > 1) + (plan.expert > 1);
    return {(groups + scenario.execution.profile.furtherCommunicators) * scenario.execution.profile.communicatorBytes, scenario.execution.profile.frameworkBytes};
}

} // namespace orrery
