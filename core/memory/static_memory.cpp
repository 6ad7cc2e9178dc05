#include "core/memory/static_memory.hpp"

namespace orrery {

StaticMemory staticMemory(const Scenario& scenario, double elements, double frozen, double experts) {
    const FrameworkProfile& profile = scenario.execution.profile;
    const Parallelism& plan = scenario.parallelism;
    const double ranks = plan.replicas();
    const double expertRanks = double(plan.tensor) * ranks / (double(plan.expert) * plan.expertTensor);
    const auto shared = [&](int fromStage) {
        return plan.zeroStage >= fromStage ? elements / ranks + experts / expertRanks : elements + experts;
    };
    StaticMemory memory;
    memory.weights = shared(3) * profile.weightBytes + frozen * profile.gatheredWeightBytes / (plan.zeroStage >= 3 ? ranks : 1);
    memory.gradients = shared(2) * profile.gradientBytes;
    memory.optimizerStates = shared(1) * profile.optimizerBytes;
    const int groups = (plan.tensor > 1) + (plan.pipeline > 1) + (plan.context > 1) + (plan.data > 1) + (plan.expert > 1);
    memory.communicationBuffers = groups * profile.communicatorBytes;
    memory.framework = profile.frameworkBytes;
    return memory;
}

} // namespace orrery
