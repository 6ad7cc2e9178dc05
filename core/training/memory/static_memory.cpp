// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/memory/static_memory.hpp"

#include "core/base/block_formats.hpp"
#include "core/base/expect.hpp"
#include "core/training/replica_policy/replica_policy.hpp"

#include <algorithm>

namespace orrery {

std::string_view toString(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::weights: return "weights";
    case MemoryKind::gradients: return "gradients";
    case MemoryKind::optimizer_states: return "optimizer_states";
    case MemoryKind::activations: return "activations";
    case MemoryKind::kv_cache: return "kv_cache";
    case MemoryKind::temporary: return "temporary";
    case MemoryKind::communication_buffers: return "communication_buffers";
    case MemoryKind::fragmentation: return "fragmentation";
    case MemoryKind::framework: return "framework";
    }
    return "";
}

namespace {

constexpr double frozenSixteenBit = 2; ///< bytes: what a 4- or 8-bit base leaves unquantised

bool isBlockScaled(const TrainingWorkload& workload) { return workload.precision == Precision::mxfp8 || (workload.precision == Precision::fp8 && workload.fp8Recipe == Fp8Recipe::block); }

/// Weights of products are in 8 bit and nothing else.
bool storesQuantised(const Scenario& scenario) {
    const Precision precision = scenario.precision();
    return scenario.execution.profile.quantisedParameters && (precision == Precision::fp8 || precision == Precision::mxfp8);
}

/// Bytes of such a weight: by rows, and for the gradient of the input by columns. With one scale a tensor the two differ only in layout,
/// which some hardware does not mind; a frozen one's other layout is made when it is needed (Megatron-Bridge, scripts/performance:
/// disable_parameter_transpose_cache).
double quantisedBytes(const Scenario& scenario, bool trained) {
    if (scenario.precision() == Precision::nvfp4) return 2 * block_formats::nvfp4Bytes;
    if (isBlockScaled(scenario.training())) return 2 * (1 + block_formats::mxScaleBytes);
    if (scenario.training().fp8Recipe == Fp8Recipe::rowwise) return trained ? 2 : 1;
    return trained && !scenario.kernels.anyOperandLayout ? 2 : 1;
}

/// Quantised copies of 16-bit weights stay from one micro-batch to the next.
bool keepsQuantised(const Scenario& scenario) {
    return scenario.execution.profile.keepsQuantisedWeights && traitsOf(scenario.precision()).format != MatrixFormat::sixteen_bit;
}

} // namespace

double optimizerStateBytes(const Scenario& scenario, bool momentsAsAdam) {
    const TrainingWorkload& workload = scenario.training();
    const double moments = workload.optimizer == OptimizerKind::adam || momentsAsAdam ? 2 : 1;
    return std::max(0.0, scenario.execution.profile.optimizerBytes - adamMomentBytes) + moments * workload.optimizerElementBytes;
}

StateBytes stateBytes(const Scenario& scenario, const ReplicaPolicy& policy, double ranks, bool momentsAsAdam) {
    ORRERY_EXPECT(ranks >= 1, ranks);
    const FrameworkProfile& profile = scenario.execution.profile;
    const Offload& offload = scenario.execution.offload;
    const auto share = [&](TrainingState state) { return policy.sharesOut(state) ? ranks : 1; };
    const bool whole = scenario.precision() == Precision::bf16 && !policy.sharesOut(TrainingState::weights);
    const double wholeMaster = whole ? profile.bf16WholeMasterBytes : 0;
    const double optimizer = (optimizerStateBytes(scenario, momentsAsAdam) - wholeMaster) / share(TrainingState::optimizer) + wholeMaster;
    const double buckets = !policy.sharesOut(TrainingState::optimizer) && policy.replicas() > 1 ? profile.bucketGradientBytes : 0;
    return {profile.weightBytes / share(TrainingState::weights) * (1 - offload.weights), profile.gradientBytes / share(TrainingState::gradients) + buckets, optimizer * (1 - offload.optimizer)};
}

double quantisedExtraBytes(const Scenario& scenario, const ReplicaPolicy& policy, double ranks) {
    ORRERY_EXPECT(ranks >= 1, ranks);
    const FrameworkProfile& profile = scenario.execution.profile;
    // Copies of weights that ranks share out live as long as what they are made of (gatheredCopyBytes).
    if (!storesQuantised(scenario)) return keepsQuantised(scenario) && !policy.unshardsWeights() ? quantisedBytes(scenario, true) : 0;
    return (quantisedBytes(scenario, true) - profile.weightBytes) / (policy.sharesOut(TrainingState::weights) ? ranks : 1) * (1 - scenario.execution.offload.weights);
}

double gatheredCopyBytes(const Scenario& scenario) {
    // What is stored in 8 bit arrives so; what of its layouts did not come over the wire is made of it.
    if (storesQuantised(scenario)) return std::max(0.0, quantisedBytes(scenario, true) - scenario.execution.profile.gatheredWeightBytes);
    return keepsQuantised(scenario) ? quantisedBytes(scenario, true) : 0;
}

bool quantisesWeightsEachPass(const Scenario& scenario) {
    constexpr double eightBit = 1;
    const bool arriveSo = scenario.execution.profile.gatheredWeightBytes <= eightBit;
    return !storesQuantised(scenario) && !arriveSo && (!keepsQuantised(scenario) || ReplicaPolicy(scenario).unshardsWeights());
}

double frozenBytes(const Scenario& scenario, const ReplicaPolicy& policy, bool ofLayer) {
    const double ranks = policy.sharesOut(TrainingState::weights) ? policy.sharders() : 1;
    // What is not trained has no copy in fp32; where fp32 weights are the ones stepped over, it was loaded like them.
    const double whole = scenario.execution.profile.weightBytes;
    const double stored = storedWeightBytes(scenario.training().frozenStorage, storesQuantised(scenario) ? quantisedBytes(scenario, false) : whole);
    const double each = ofLayer ? stored : scenario.training().frozenStorage == WeightStorage::as_multiplied ? whole
                                                                                                             : std::min(whole, frozenSixteenBit);
    return each / ranks * (1 - scenario.execution.offload.weights);
}

OverheadMemory overheadMemory(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const int groups = (plan.tensor > 1) + (plan.pipeline > 1) + (plan.context > 1) + (plan.data > 1) + (plan.expert > 1);
    return {(groups + scenario.execution.profile.furtherCommunicators) * scenario.execution.profile.communicatorBytes, scenario.execution.profile.frameworkBytes};
}

} // namespace orrery
