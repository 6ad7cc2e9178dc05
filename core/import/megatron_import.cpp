// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/megatron_parts.hpp"

#include <algorithm>

namespace orrery {

bool looksLikeMegatron(const Launch& launch) {
    int hits = 0;
    for (const char* name : {"num-layers", "hidden-size", "num-attention-heads", "micro-batch-size", "seq-length", "tensor-model-parallel-size",
                             "pipeline-model-parallel-size", "global-batch-size", "max-position-embeddings"})
        if (launch.options.has(name)) ++hits;
    return hits >= 2 || (hits == 1 && launch.program.find("pretrain") != std::string::npos) || launch.program.find("pretrain_gpt") != std::string::npos;
}

void importMegatron(ScenarioDraft& draft, ImportInput& input) {
    OptionList& options = input.launch.options;
    mergeDeepSpeedConfig(draft, input, options);
    const LaunchSize size = launchSize(input.launch, input.script.variables);
    PlanDegrees degrees = readMegatronDegrees(draft, options);
    const auto model = readMegatronModel(draft, options, degrees.tensor);
    const bool placed = placeOnCluster(draft, size, degrees, input.options);
    if (!model || !placed) return;
    readMegatronWorkload(draft, options, degrees, *model);
    readMegatronSharding(draft, options);
    readMegatronPipeline(draft, options, degrees, *model);
    readMegatronExecution(draft, options, degrees, *model);
    reportLeftOptions(draft, options, megatronIgnored(), megatronKnown());
    reportLauncherOptions(draft, input.launch.launcher);
}

} // namespace orrery
