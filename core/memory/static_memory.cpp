#include "core/memory/static_memory.hpp"

namespace orrery {

StaticMemory staticMemory(const Scenario& scenario, double elements, double frozen) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const Parallelism& plan = scenario.parallelism;
    const double ranks = plan.replicas();
    StaticMemory memory;
    memory.weights = (elements * profile.weightBytes + frozen * profile.gatheredWeightBytes) / (plan.zeroStage >= 3 ? ranks : 1);
    memory.gradients = elements * profile.gradientBytes / (plan.zeroStage >= 2 ? ranks : 1);
    memory.optimizerStates = elements * profile.optimizerBytes / (plan.zeroStage >= 1 ? ranks : 1);
    const int groups = (plan.tensor > 1) + (plan.pipeline > 1) + (plan.context > 1) + (plan.data > 1);
    memory.communicationBuffers = groups * profile.communicatorBytes;
    memory.framework = profile.frameworkBytes;
    return memory;
}

} // namespace orrery
