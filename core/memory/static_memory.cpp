#include "core/memory/static_memory.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double adamMoments = 8; ///< of a profile's optimizer bytes: two moments in fp32

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

StateBytes stateBytes(const Scenario& scenario, double ranks, bool momentsAsAdam) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const Offload& offload = scenario.execution.offload;
    const auto share = [&](int fromStage) { return scenario.parallelism.zeroStage >= fromStage ? ranks : 1; };
    const bool whole = scenario.workload.precision == "bf16" && scenario.parallelism.zeroStage < 3;
    const double wholeMaster = whole ? profile.bf16WholeMasterBytes : 0;
    const double optimizer = (optimizerBytes(scenario, momentsAsAdam) - wholeMaster) / share(1) + wholeMaster;
    return {profile.weightBytes / share(3) * (1 - offload.weights), profile.gradientBytes / share(2), optimizer * (1 - offload.optimizer)};
}

double frozenBytes(const Scenario& scenario) {
    const double ranks = scenario.parallelism.zeroStage >= 3 ? shardRanks(scenario) : 1;
    return scenario.execution.profile.gatheredWeightBytes / ranks * (1 - scenario.execution.offload.weights);
}

OverheadMemory overheadMemory(const Scenario& scenario) {
    const Parallelism& plan = scenario.parallelism;
    const int groups = (plan.tensor > 1) + (plan.pipeline > 1) + (plan.context > 1) + (plan.data > 1) + (plan.expert > 1);
    return {(groups + scenario.execution.profile.furtherCommunicators) * scenario.execution.profile.communicatorBytes, scenario.execution.profile.frameworkBytes};
}

} // namespace orrery
