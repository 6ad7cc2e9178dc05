// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/operators/kernel_times.hpp"
#include "core/served/inference/static_batch.hpp"

#include "tests/support/catalog.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace orrery::test {

inline Architecture architectureOf(const Json& config) {
    Problems problems;
    return importArchitecture(config, "", problems).value();
}

/// An engine on `ranks` accelerators of its usual platform, as the profile runs it.
inline EngineModel engineOn(const Architecture& model, const std::string& accelerator, const std::string& framework, int tensor) {
    static std::map<std::string, std::shared_ptr<const KernelTimes>> times;
    const Accelerator& chip = *catalog().accelerator(accelerator);
    const Platform& platform = *catalog().usualPlatform(accelerator);
    EngineModel engine;
    engine.model = model;
    engine.parallelism.tensor = tensor;
    engine.profile = *catalog().framework(framework);
    engine.cost = makeCostModel(chip, catalog().kernels(chip), Precision::bf16);
    KernelConstants& rates = engine.cost.constants;
    rates.sustainedFp8Share = rates.physics.servedFp8Share;
    rates.sustainedFp4Share = rates.physics.servedFp4Share;
    auto& known = times[accelerator];
    if (!known) known = std::make_shared<const KernelTimes>(chip, catalog(), catalog().operatorTimes().predictor, nullptr);
    engine.cost.kernelTimes = known;
    engine.network = {catalog().library().constants(accelerator), platform.scaleUpDomain, platform.scaleUpBandwidth, 0, platform.scaleOutBandwidth, 2 * platform.scaleOutLatency};
    const Json& defaults = engine.profile.defaults;
    engine.cudaGraphs = defaults.at("execution").value("cuda_graphs", false);
    engine.asyncScheduling = engine.profile.serving.overlapsHost;
    engine.memoryBytes = chip.memoryBytes;
    return engine;
}

inline EngineModel engineOn(const char* model, const std::string& accelerator, const std::string& framework, int tensor) {
    return engineOn(architectureOf(catalog().model(model)->config), accelerator, framework, tensor);
}

/// Decodes that read `length` keys each, new ones counted; `drafts` of each are verified beside the next token.
inline StepBatch decodesOf(int count, double length, int drafts = 0) {
    StepBatch step;
    step.decodes = count;
    step.decodeContext = length - 1 - drafts;
    step.draftTokens = count * drafts;
    return step;
}

inline StepBatch promptsOf(int count, int tokens, int context = 0) {
    StepBatch step;
    step.prefills.assign(static_cast<std::size_t>(count), {tokens, context});
    return step;
}

} // namespace orrery::test
