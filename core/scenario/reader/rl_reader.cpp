// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/rl_reader.hpp"

#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/filled_document.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/reader/cluster_reader.hpp"
#include "core/scenario/reader/rl_halves.hpp"
#include "core/scenario/reader/sections.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// Both halves meet the same model and cluster: what is wrong with these is said once.
void addOnce(Problem problem, Problems& problems) {
    const bool known = std::any_of(problems.begin(), problems.end(), [&](const Problem& one) { return one.code == problem.code && one.pointer == problem.pointer && one.message == problem.message; });
    if (!known) problems.push_back(std::move(problem));
}

void addOnce(Assumption assumption, std::vector<Assumption>& assumed) {
    const bool known = std::any_of(assumed.begin(), assumed.end(), [&](const Assumption& one) { return one.pointer == assumption.pointer; });
    if (!known) assumed.push_back(std::move(assumption));
}

/// Answers of all instances to one step's prompts.
int answersOf(const Scenario& rollout) {
    if (const auto* batch = std::get_if<InferenceWorkload>(&rollout.workload)) return batch->batchSize * rollout.parallelism.data;
    const auto& served = std::get<ServingWorkload>(rollout.workload);
    if (const auto* law = std::get_if<RequestLaw>(&served.requests)) return static_cast<int>(law->count);
    return static_cast<int>(std::get<RequestLog>(served.requests).list->requests.size());
}

class RlReader {
public:
    RlReader(const Json& document, const Catalog& catalog, const FileReader& readFile, ScenarioReading& reading)
        : document_(document), catalog_(catalog), readFile_(readFile), reading_(reading), filled_(document) {}

    void read() {
        refuseOtherParts();
        const std::optional<Cluster> cluster = readCluster(filled_, catalog_, reading_.problems);
        if (!cluster || hasErrors(reading_.problems)) return;
        const RlGrounds grounds = shareHosts(document_, *cluster, reading_.problems);
        if (hasErrors(reading_.problems)) return;
        RlWorkload loop;
        loop.rollout = job(RlHalf::rollout, grounds.rollout);
        loop.training = job(RlHalf::training, grounds.training);
        if (!loop.rollout.scenario || !loop.training.scenario) return;
        filled_.fillFallbacks("/workload", fieldsOfKind());
        filled_.fill("/workload/sync/precision", wordOf(Precision::bf16), "the default");
        loop.colocated = grounds.colocated;
        loop.parksTrainer = filled_.boolean("/workload/offload_training");
        loop.rewardTime = filled_.number("/workload/reward_s");
        loop.staleness = filled_.integer("/workload/staleness");
        loop.sentAs = filled_.word("/workload/sync/precision", Precision::bf16);
        countIterations(loop);
        checkTurns(loop);
        if (hasErrors(reading_.problems)) return;
        Scenario scenario = *loop.training.scenario;
        scenario.cluster = *cluster;
        scenario.notes = readNotes(filled_);
        for (Assumption& one : filled_.takeAssumptions()) addOnce(std::move(one), assumed_);
        scenario.assumed = std::move(assumed_);
        scenario.warnings = std::move(warnings_);
        scenario.workload = std::move(loop);
        reading_.scenario = std::move(scenario);
    }

private:
    static const std::vector<Field>& fieldsOfKind() {
        const Shape& workload = findField(scenarioShape(), Json::object(), "workload")->shape;
        const auto own = std::find_if(workload.variants.begin(), workload.variants.end(), [](const Variant& one) { return one.word == wordOf(WorkloadKind::rl); });
        return own->fields;
    }

    void refuseOtherParts() {
        for (const char* key : {"beside", "hybrid", "reliability"})
            if (document_.contains(key))
                reading_.problems.push_back(error("not-supported-yet", "/" + std::string(key), "Reinforcement learning with \"" + std::string(key) + "\" is not supported yet.").mend("Leave it out.").edit("/" + std::string(key), nullptr));
    }

    RlJob job(RlHalf half, const RlGround& ground) {
        ScenarioReading own = readScenario(halfDocument(document_, half, ground.cluster), catalog_, readFile_);
        for (Problem& problem : own.problems) addOnce(inWhole(half, std::move(problem)), reading_.problems);
        if (!own.scenario) return {};
        if (own.scenario->recorded()) {
            reading_.problems.push_back(error("not-supported-yet", "/model", "A recorded graph can't answer prompts.").mend("Name a model."));
            return {};
        }
        for (const Assumption& one : own.scenario->assumed) addOnce({placeInWhole(half, one.pointer), one.value, one.why}, assumed_);
        for (const Problem& one : own.scenario->warnings) addOnce(inWhole(half, one), warnings_);
        return {std::make_shared<const Scenario>(*std::move(own.scenario)), ground.placement};
    }

    void countIterations(RlWorkload& loop) {
        loop.answers = answersOf(*loop.rollout.scenario);
        const int batch = loop.training.scenario->training().globalBatch;
        loop.iterations = loop.answers / batch;
        if (loop.iterations > 0 && loop.answers % batch == 0) return;
        const int divisor = std::max(1, loop.answers);
        reading_.problems.push_back(error("batch-not-divisible", "/workload/training/global_batch_size", "A step has " + counted(loop.answers, "answer") + ", which iterations of " + counted(batch, "sequence") + " don't use up.")
                                        .mend("Train on all answers at once, or on an equal part of them.")
                                        .edit("/workload/training/global_batch_size", divisor));
    }

    void checkTurns(const RlWorkload& loop) {
        if (loop.colocated && loop.staleness > 0)
            reading_.problems.push_back(error("conflicting-keys", "/workload/staleness", "Halves on the same accelerators take turns: no answer's weights lag behind.")
                                            .mend("Leave it out, or give each half its own hosts.")
                                            .edit("/workload/staleness", nullptr));
        if (!loop.colocated && loop.parksTrainer)
            reading_.problems.push_back(error("conflicting-keys", "/workload/offload_training", "The trainer has its accelerators to itself: nothing of it makes room.").mend("Leave it out.").edit("/workload/offload_training", nullptr));
    }

    const Json& document_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    ScenarioReading& reading_;
    FilledDocument filled_;
    std::vector<Assumption> assumed_;
    Problems warnings_;
};

} // namespace

void readRl(const Json& document, const Catalog& catalog, const FileReader& readFile, ScenarioReading& reading) {
    RlReader(document, catalog, readFile, reading).read();
}

} // namespace orrery
