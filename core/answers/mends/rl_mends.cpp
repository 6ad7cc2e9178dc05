// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/mends/rl_mends.hpp"

#include "core/answers/simulation/simulate.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/edits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orrery {
namespace {

constexpr const char* sharePlace = "/workload/rollout/engine/gpu_memory_utilization";

struct RlCandidate {
    std::string text;
    std::vector<ScenarioEdit> edits;
};

/// The share that leaves room for what is missing, in hundredths.
double shareThatFits(const Scenario& rollout, const OutOfMemory& out) {
    const auto& engine = std::get<ServingWorkload>(rollout.workload).engine;
    return std::floor(100 * (engine.memoryShare - (out.neededBytes - out.capacityBytes) / out.capacityBytes)) / 100;
}

std::vector<RlCandidate> rlCandidates(const Json& document, const Result& failed) {
    const auto& loop = std::get<RlWorkload>(failed.scenario.workload);
    std::vector<RlCandidate> candidates;
    if (loop.colocated && !loop.parksTrainer) candidates.push_back({"offload_training", {{"/workload/offload_training", true}}});
    if (std::holds_alternative<ServingWorkload>(loop.rollout.scenario->workload))
        if (const double share = shareThatFits(*loop.rollout.scenario, *failed.outOfMemory); share > 0) candidates.push_back({"gpu_memory_utilization " + formatNumber(share), {{sharePlace, share}}});
    for (const int factor : {2, 4}) {
        const int engines = factor * loop.rollout.scenario->parallelism.tensor, trainer = factor * failed.scenario.parallelism.tensor;
        candidates.push_back({"rollout tensor " + std::to_string(engines), {{"/workload/rollout/parallelism/tensor", engines}}});
        candidates.push_back({"training tensor " + std::to_string(trainer), {{"/parallelism/tensor", trainer}}});
    }
    if (failed.scenario.execution.recompute != RecomputeKind::full) candidates.push_back({"recompute full", {{"/execution/recompute", "full"}}});
    if (valueAt(document, "/parallelism/data"))
        for (RlCandidate& one : candidates) one.edits.push_back({"/parallelism/data", nullptr});
    return candidates;
}

} // namespace

std::vector<TriedMend> tryRlMends(const Json& document, const Result& failed, const Catalog& catalog, const FileReader& readFile, const RunControl& control) {
    std::vector<TriedMend> fitting;
    for (RlCandidate& candidate : rlCandidates(document, failed)) {
        if (control.stop.stop_requested()) break;
        const std::optional<Scenario> scenario = readScenario(edited(document, candidate.edits), catalog, readFile).scenario;
        if (!scenario) continue;
        RunControl own;
        own.stop = control.stop;
        const Outcome outcome = simulate(*scenario, own);
        if (!outcome.result || !outcome.result->fits || !outcome.result->rl()->ran) continue;
        fitting.push_back({std::move(candidate.text), std::move(candidate.edits), outcome.result->rl()->stepTime, outcome.result->memory.peakBytes, true});
    }
    std::stable_sort(fitting.begin(), fitting.end(), [](const TriedMend& a, const TriedMend& b) { return a.iterationTime < b.iterationTime; });
    return fitting;
}

} // namespace orrery
