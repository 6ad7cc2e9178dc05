// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/reader.hpp"
#include "core/base/json.hpp"
#include "core/base/json_parser.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/document/named_files.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/document/schema_check.hpp"
#include "core/scenario/document/variants.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "core/scenario/reader/pass_switches.hpp"
#include "core/scenario/reader/rl_reader.hpp"
#include "core/scenario/reader/scenario_parts.hpp"
#include "core/scenario/reader/sections.hpp"
#include "core/scenario/reader/serving_reader.hpp"
#include "core/scenario/reader/training_ground.hpp"
#include "core/scenario/reader/what_ifs.hpp"
#include "core/scenario/rules/rules.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr double endless = 1e30; ///< bytes/s: what crosses such a link takes no time that a number shows

/// Notes that only the stated times of a toy count.
void assumeToy(FilledDocument& document) {
    document.assume("/model/toy", document.json().at("model").at("toy"), "stated times are all that counts: links, embedding, head, optimizer and hosts take no time and no memory");
}

/// A toy's scenario without what would take time or memory beside its layers: links, hosts, launches, buffers of the software.
void leaveToStatedTimes(Scenario& scenario) {
    Cluster& cluster = scenario.cluster;
    cluster.scaleUpBandwidth = endless;
    cluster.scaleUpLatency = 0;
    for (TopologyNode& node : cluster.nodes) node.pcieBandwidth = node.scaleUpBandwidth = node.scaleUpLatency = 0;
    for (TopologyLink& link : cluster.links) {
        link.bandwidth = endless;
        link.latency = 0;
    }
    scenario.execution.collectives.measured = false;
    scenario.kernels.kernelLaunch = 0;
    FrameworkProfile& profile = scenario.execution.profile;
    profile.hostLaunch = profile.iterationOverhead = 0;
    profile.frameworkBytes = profile.communicatorBytes = profile.workspaceBytes = profile.bucketBufferBytes = 0;
    profile.cachingAllocator = false;
    profile.fragmentationFraction = 0;
}

} // namespace

std::optional<Json> parseJson(std::string_view text, const std::string& fileName, Problems& problems) {
    return parseJsonText(text, fileName, problems);
}

namespace {

bool isToy(const std::optional<NamedModel>& model) { return model && model->architecture.toy; }

/// An unknown key leaves the rest of the document readable; anything else the shape check finds does not.
bool preventsReading(const Problem& problem) { return problem.severity == Severity::error && problem.code != "unknown-key"; }

/// What follows from where the ranks of a sound plan lie.
void placeRanks(const Parallelism& plan, const Cluster& cluster, const FrameworkProfile* profile, FilledDocument& document, Problems& problems) {
    if (profile && profile->experts.overlapsBetweenDomains)
        document.fill("/execution/overlap/expert", expertsCrossDomains(plan, cluster),
                      "default of the profile " + profile->id + ": where experts reach over more than one scale-up domain");
    checkDomainRules(plan, cluster, problems);
}

/// What the switches would leave out, of the plan as it stands without them.
void checkPassSwitches(Json document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    const Json::json_pointer place("/execution/passes");
    if (!document.contains(place) || document.at(place).empty()) return;
    const Json passes = document.at(place);
    document.at(place.parent_pointer()).erase(place.back());
    const ScenarioReading given = readScenario(document, catalog, readFile);
    if (given.scenario && !given.scenario->recorded()) warnOfIdlePasses(passes, *given.scenario, problems);
}

ScenarioReading readWhole(const Json& given, const Catalog& catalog, const FileReader& readFile) {
    ScenarioReading reading;
    Problems& problems = reading.problems;
    checkShape(given, scenarioShape(), "", problems);
    if (std::any_of(problems.begin(), problems.end(), preventsReading)) return reading;
    const Json document = withoutSwitchedOffPasses(given);
    refuseUnsupported(document, problems);
    checkVariants(document, problems);
    if (document.at("workload").at("kind") == Json(wordOf(WorkloadKind::rl))) {
        readRl(document, catalog, readFile, reading);
        return reading;
    }
    if (document.at("workload").at("kind") != Json(wordOf(WorkloadKind::training))) {
        readServed(document, catalog, readFile, reading);
        return reading;
    }

    auto [filled, profile, model, cluster] = readGround(document, catalog, readFile, problems);
    checkImages(filled, model && !model->recorded ? std::optional(model->architecture) : std::nullopt, problems);
    PlanNumbers plan;
    if (cluster) {
        plan = numbersOf(filled, model, *cluster, profile.get());
        if (!model || !model->recorded) leaveOutReplicas(filled, plan);
        if (isToy(model)) checkToyRules(plan, filled, problems);
        checkTensorRules(plan, problems);
        checkRankRules(plan, filled, problems);
        checkPipelineRules(plan, filled, problems);
        checkWorkloadRules(plan, filled, cluster->accelerator, problems);
        checkExpertRules(plan, filled, problems);
        checkStateRules(plan, filled, problems);
        if (!hasErrors(problems)) placeRanks(readParallelism(filled, plan), *cluster, profile.get(), filled, problems);
        if (model && model->recorded) checkRecordedRules(document, *model->recorded, plan, problems);
    }
    checkPassSwitches(given, catalog, readFile, problems);
    WhatIfs whatIfs;
    if (cluster) whatIfs = readWhatIfs(filled, *cluster, problems);
    if (hasErrors(problems) || !model || !cluster || !profile) return reading;

    if (const Json* listed = filled.find("/model/toy/stages_layers"); listed && listed->is_array()) filled.replace("/parallelism/pipeline_layout", *listed);
    if (!model->recorded && !filled.has("/parallelism/pipeline_layout")) {
        const PipelineLayout layout = pipelineLayout(*model, *profile, plan.chunks());
        filled.fill("/parallelism/pipeline_layout", layout.layers, layout.why);
    }
    Scenario scenario;
    scenario.name = filled.text("/name");
    scenario.notes = readNotes(filled);
    scenario.modelName = model->name;
    scenario.model = model->architecture;
    if (model->recorded) assumeRecorded(*model->recorded, document.at("model").contains("graph") ? "/model/graph" : "/model/graph_file", filled);
    scenario.cluster = *cluster;
    scenario.cluster.changes = std::move(whatIfs.links);
    if (model->recorded)
        scenario.workload = RecordedIteration{model->recorded, readTraining(filled)};
    else
        scenario.workload = readTraining(filled);
    scenario.parallelism = readParallelism(filled, plan);
    if (isToy(model)) assumeToy(filled);
    readStack(scenario, filled, *profile, catalog, readFile, std::move(whatIfs), problems);
    if (hasErrors(problems)) return reading;
    if (isToy(model)) leaveToStatedTimes(scenario);
    reading.scenario = std::move(scenario);
    return reading;
}

/// A scenario that came from somebody else may name any file of its reader: the result says so.
void listOutsideFiles(const Json& document, ScenarioReading& reading) {
    for (const NamedFile& file : namedFiles(document)) {
        if (!leadsOutside(file.path)) continue;
        Problem problem = warning("file-outside-folder", file.pointer, "The scenario names a file outside its own folder: " + file.path + ".").mend("Copy the file beside the scenario, unless it is yours.");
        if (reading.scenario) reading.scenario->warnings.push_back(problem);
        reading.problems.push_back(std::move(problem));
    }
}

} // namespace

ScenarioReading readScenario(const Json& given, const Catalog& catalog, const FileReader& readFile) {
    const std::optional<Json> described = withDescribedMachine(given, catalog, readFile);
    ScenarioReading reading = readWhole(described ? *described : given, catalog, readFile);
    if (described && reading.scenario) {
        const Json &machine = described->at("cluster").at("accelerator"), &file = given.at("execution").at("profile");
        reading.scenario->assumed.push_back({"/cluster/accelerator", machine, "described: " + file.get<std::string>()});
    }
    listOutsideFiles(given, reading);
    for (Problem& problem : reading.problems) {
        problem.message = withShortWords(problem.message);
        problem.mend = withShortWords(problem.mend);
    }
    return reading;
}

} // namespace orrery
