// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario_reader/training_ground.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario_reader/cluster_reader.hpp"
#include "core/scenario_reader/defaults.hpp"
#include "core/scenario_reader/framework_reader.hpp"
#include "core/scenario_reader/sections.hpp"

#include <algorithm>

namespace orrery {

TrainingGround readGround(const Json& document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    TrainingGround ground{FilledDocument(document), nullptr, std::nullopt, std::nullopt};
    ground.profile = readFramework(ground.filled, catalog, problems);
    fillDefaults(ground.filled, ground.profile ? *ground.profile : catalog.newestFramework());
    ground.model = readModel(ground.filled, catalog, readFile, problems);
    ground.cluster = readCluster(ground.filled, catalog, problems);
    if (ground.model && ground.model->architecture.experts && ground.profile && ground.profile->experts.capacityFactor > 0)
        ground.filled.fill("/execution/moe_dispatch", Json{{"capacity_factor", ground.profile->experts.capacityFactor}}, "default of the profile " + ground.profile->id);
    return ground;
}

PlanNumbers numbersOf(const FilledDocument& document, const std::optional<NamedModel>& model, const Cluster& cluster) {
    PlanNumbers plan;
    plan.accelerators = std::max(1, cluster.accelerators());
    plan.tensor = document.integer("/parallelism/tensor", 1);
    plan.context = document.integer("/parallelism/context", 1);
    plan.pipeline = document.integer("/parallelism/pipeline", 1);
    plan.expert = document.integer("/parallelism/expert", 1);
    plan.expertTensor = document.integer("/parallelism/expert_tensor", 1);
    plan.chunksPerStage = document.integer("/parallelism/virtual_pipeline", 1);
    plan.sequenceLength = document.integer("/workload/sequence_length", 1);
    plan.globalBatch = document.integer("/workload/global_batch_size", 1);
    plan.microBatch = document.integer("/workload/micro_batch_size", 1);
    plan.sequence = document.boolean("/parallelism/sequence");
    plan.exchangesHeads = document.says("/parallelism/context_method", ContextMethod::all_to_all);
    if (document.integer("/parallelism/zero_stage") > 0) plan.shardGroup = document.integer("/parallelism/shard_group");
    plan.schedule = readSchedule(document);
    if (model && !model->recorded) plan.model = model->architecture;
    return plan;
}

} // namespace orrery
