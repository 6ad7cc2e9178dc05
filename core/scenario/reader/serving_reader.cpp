// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/serving_reader.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/instance_numbers.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/reader/beside.hpp"
#include "core/scenario/reader/cluster_reader.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "core/scenario/reader/model_reader.hpp"
#include "core/scenario/reader/pool_equipment.hpp"
#include "core/scenario/reader/scenario_parts.hpp"
#include "core/scenario/reader/sections.hpp"
#include "core/scenario/reader/serving_defaults.hpp"
#include "core/scenario/reader/serving_pools.hpp"
#include "core/scenario/reader/serving_sections.hpp"
#include "core/scenario/rules/rules.hpp"
#include "core/scenario/rules/rules_serving.hpp"

#include <algorithm>

namespace orrery {
namespace {

void refuseGraph(const FilledDocument& document, Problems& problems) {
    const char* at = document.has("/model/graph") ? "/model/graph" : "/model/graph_file";
    problems.push_back(error("not-supported-yet", at, "A recorded graph is an iteration of training; it can't be served.").mend("Name a model, or use a training workload."));
}

/// Degrees as they stand; no key that only training reads is looked at.
Parallelism servedParallelism(const FilledDocument& document, const InstanceNumbers& numbers) {
    const InstancePlan plan = instancePlan(document, numbers);
    Parallelism parallelism;
    parallelism.tensor = plan.tensor;
    parallelism.pipeline = plan.pipeline;
    parallelism.context = plan.context;
    parallelism.expert = plan.expert;
    parallelism.expertTensor = plan.expertTensor;
    parallelism.attentionData = plan.attentionData;
    parallelism.data = document.integer("/parallelism/data", 1);
    parallelism.order = document.text("/parallelism/order");
    parallelism.layout = plan.layout;
    const std::string method = document.text("/parallelism/context_method");
    if (method == "all_gather") parallelism.contextMethod = ContextMethod::all_gather;
    if (method == "all_to_all") parallelism.contextMethod = ContextMethod::all_to_all;
    return parallelism;
}

/// The document's sections that must fit together, and what is read of them on the way.
class ServedReader {
public:
    ServedReader(const Json& document, const Catalog& catalog, const FileReader& readFile, ScenarioReading& reading)
        : given_(document), catalog_(catalog), readFile_(readFile), reading_(reading), problems_(reading.problems), filled_(document) {}

    void read() {
        warnOfTrainingKeys(given_, problems_);
        fillFrameworkOfVersion(filled_, catalog_);
        filled_.fill("/execution/framework", newestServingFramework(catalog_).id, "the newest vLLM profile");
        const std::shared_ptr<const FrameworkProfile> profile = readFramework(filled_, catalog_, problems_);
        const FrameworkProfile& known = profile ? *profile : newestServingFramework(catalog_);
        if (profile) checkServingProfile(*profile, problems_);
        fillInstanceDefaults(filled_, known);
        const auto model = readModel(filled_, catalog_, readFile_, problems_);
        if (model && model->recorded) refuseGraph(filled_, problems_);
        const auto cluster = readCluster(filled_, catalog_, problems_);
        if (model && !model->recorded) architecture_ = model->architecture;
        checkImages(filled_, architecture_, problems_);
        if (cluster) {
            beside_ = readBeside(filled_, *cluster, catalog_, readFile_, problems_);
            settle(*cluster, known);
        }
        WhatIfs whatIfs;
        if (cluster) whatIfs = readWhatIfs(filled_, *cluster, problems_);
        if (hasErrors(problems_) || !model || !cluster || !profile) return;
        Cluster joined = *cluster;
        joined.changes = std::move(whatIfs.links);
        if (serving_ && serving_->disaggregation) joinPools(joined, *serving_->disaggregation, given_, filled_, catalog_, problems_);
        if (hasErrors(problems_)) return;

        Scenario scenario;
        scenario.name = filled_.text("/name");
        scenario.notes = readNotes(filled_);
        scenario.modelName = model->name;
        scenario.model = model->architecture;
        scenario.cluster = std::move(joined);
        if (serving_) scenario.workload = std::move(*serving_);
        else scenario.workload = readInference(filled_, scenario.model);
        scenario.beside = std::move(beside_);
        scenario.parallelism = servedParallelism(filled_, instanceNumbers(filled_, "", architecture_));
        readStack(scenario, filled_, *profile, catalog_, readFile_, std::move(whatIfs), problems_);
        if (hasErrors(problems_)) return;
        equipPools(scenario, filled_, catalog_);
        reading_.scenario = std::move(scenario);
    }

private:
    /// Instances on the cluster, and what of the workload depends on both.
    void settle(const Cluster& cluster, const FrameworkProfile& profile) {
        const std::int64_t accelerators = std::max(1, free(cluster)), positions = architecture_ ? architecture_->maxPositions : 0;
        const InstanceNumbers numbers = instanceNumbers(filled_, "", architecture_);
        if (!beside_.empty() && filled_.text("/workload/kind") != "serving")
            problems_.push_back(error("not-supported-yet", "/beside", "A static batch beside other jobs is not supported yet.").mend("Serve requests instead, or leave it out.").edit("/beside", nullptr));
        const bool serves = filled_.text("/workload/kind") == "serving", split = filled_.has("/workload/engine/disaggregation");
        checkRankOrder(filled_, problems_);
        checkInstance(numbers, accelerators, filled_, problems_);
        checkServedBlocks(numbers, profile, filled_, problems_);
        checkServedPrecision(filled_, profile, cluster.accelerator, problems_);
        if (!split) checkInstances(numbers, accelerators, filled_, problems_);
        if (serves) checkArrivals(filled_, problems_);
        else checkBatchLengths(filled_, positions, problems_);
        if (hasErrors(problems_)) return;
        std::optional<Disaggregation> pools;
        if (split) pools = placePools(filled_, cluster, beside_, architecture_, catalog_, problems_);
        if (hasErrors(problems_)) return;
        filled_.fill("/parallelism/expert", 1, "the default");
        const std::int64_t ranks = numbers.tensor * numbers.attentionData;
        if (architecture_ && architecture_->experts && numbers.expert > 0 && ranks % numbers.expert == 0)
            filled_.fill("/parallelism/expert_tensor", ranks / numbers.expert, "engines share each expert's matrices over the ranks that expert leaves");
        filled_.fill("/parallelism/expert_tensor", 1, "the default");
        countInstances(numbers, accelerators, pools);
        if (architecture_ && !filled_.has("/parallelism/pipeline_layout"))
            filled_.fill("/parallelism/pipeline_layout", instancePlan(filled_, numbers).layout, "as even as the layers divide over the stages");
        fillCalibratedDefaults(filled_, profile, architecture_ ? &*architecture_ : nullptr);
        if (!serves) return;
        fillRequestDefaults(filled_);
        Problems found;
        std::optional<RequestsSpec> requests = readRequestsSpec(filled_, readFile_, found);
        const bool sound = requests && !hasErrors(found);
        const ImageLoad images = readImages(filled_);
        if (sound && architecture_) addImageTokens(*requests, imageTokens(*architecture_, images));
        problems_.insert(problems_.end(), found.begin(), found.end());
        fillFleetDefaults(filled_);
        fillEngineDefaults(filled_, profile, cluster.accelerator, positions, [&] { return sound ? longestPrompt(*requests) : 0; });
        if (!sound) return;
        serving_ = readServing(filled_, std::move(*requests), std::move(pools), catalog_, readFile_, problems_);
        if (!serving_) return;
        serving_->images = images;
        checkEngine(filled_, *serving_, positions, problems_);
        if (!split) checkDrafts(serving_->engine, numbers, problems_);
    }

    /// Accelerators that no other job has.
    int free(const Cluster& cluster) const {
        int left = cluster.accelerators();
        for (const BesideJob& job : beside_) left -= static_cast<int>(job.placement.size());
        return left;
    }

    void countInstances(const InstanceNumbers& numbers, std::int64_t accelerators, const std::optional<Disaggregation>& pools) {
        const char* at = "/parallelism/data";
        if (!pools) {
            filled_.fill(at, accelerators / numbers.accelerators(), "instances: what the accelerators leave");
            return;
        }
        const int all = pools->prefill.instances + pools->decode.instances;
        if (const Json* data = filled_.find(at); data && *data != Json(all))
            problems_.push_back(warning("no-effect", at, "The pools of a disaggregated engine say how many instances there are.").mend("Leave it out.").edit(at, nullptr));
        filled_.fill(at, all, "instances of both pools");
        filled_.replace(at, all);
    }

    const Json& given_;
    const Catalog& catalog_;
    const FileReader& readFile_;
    ScenarioReading& reading_;
    Problems& problems_;
    FilledDocument filled_;
    std::optional<Architecture> architecture_; ///< of a model that could be read
    std::optional<ServingWorkload> serving_;
    std::vector<BesideJob> beside_;
};

} // namespace

void readServed(const Json& document, const Catalog& catalog, const FileReader& readFile, ScenarioReading& reading) {
    ServedReader(document, catalog, readFile, reading).read();
}

} // namespace orrery
