// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/scenario_parts.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/operators/kernel_times.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "core/scenario/reader/pass_switches.hpp"
#include "core/scenario/reader/sections.hpp"

#include <algorithm>

namespace orrery {
namespace {

void dropOverlapOfSynchronousLaunches(Execution& execution, Problems& problems) {
    Overlap& overlap = execution.overlap;
    if (!waitsForKernels(execution)) return;
    if (overlap.data || overlap.tensor || overlap.pipeline || overlap.expert)
        problems.push_back(warning("no-effect", "/execution/overlap",
                                   "Profile " + execution.profile.id + " waits for each kernel (CUDA_LAUNCH_BLOCKING=1): nothing overlaps.")
                               .mend("Leave `overlap` out, or choose another framework."));
    overlap = Overlap{false, false, false, false};
}

} // namespace

bool waitsForKernels(const Execution& execution) { return execution.profile.synchronousLaunches && !execution.cudaGraphs; }

KernelEngine kernelsOf(const FrameworkProfile& profile) {
    constexpr int firstMeasured = 2026; // year of the oldest release with tables of its own
    const auto engine = std::find(engineNames.begin(), engineNames.end(), profile.line);
    if (profile.year < firstMeasured || engine == engineNames.end()) return KernelEngine::common;
    return static_cast<KernelEngine>(engine - engineNames.begin());
}

PipelineLayout pipelineLayout(const NamedModel& model, const FrameworkProfile& profile, std::int64_t chunks) {
    std::optional<std::int64_t> fillBefore;
    if (profile.experts.fillsChunksFirst) fillBefore = model.architecture.nextTokenModules;
    return defaultPipelineLayout(model.architecture.layers, chunks, fillBefore);
}

void readStack(Scenario& scenario, FilledDocument& document, const FrameworkProfile& profile, const Catalog& catalog, const FileReader& readFile, WhatIfs whatIfs, Problems& problems) {
    const Accelerator& accelerator = scenario.cluster.accelerator;
    fillFromMeasuredProfile(document, accelerator.id, profile.id, readFile, problems);
    scenario.execution = readExecution(document, profile);
    dropOverlapOfSynchronousLaunches(scenario.execution, problems);
    leaveOutOfProfile(scenario.execution);
    scenario.kernels = readConstants(document, catalog.kernels(accelerator), scenario.execution);
    const Catalog::OperatorTimes& tables = catalog.operatorTimes();
    if (tables.predictor || tables.measured)
        scenario.kernelTimes = std::make_shared<const KernelTimes>(accelerator, catalog, tables.predictor, tables.measured, kernelsOf(profile));
    if (scenario.model.experts) scenario.execution.expertLoad = readExpertLoad(document, scenario.model.experts->count, scenario.parallelism.expert);
    scenario.execution.collectives = std::move(whatIfs.collectives);
    scenario.execution.stragglers = std::move(whatIfs.stragglers);
    scenario.execution.jitter = whatIfs.jitter;
    scenario.jitter = whatIfs.jitterModel;
    scenario.library = readLibrary(document, catalog, accelerator);
    scenario.economics = readEconomics(document);
    scenario.reliability = readReliability(document);
    scenario.assumed = document.takeAssumptions();
    scenario.warnings = problems;
}

} // namespace orrery
