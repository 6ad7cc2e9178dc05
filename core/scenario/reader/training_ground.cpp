// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/training_ground.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/reader/cluster_reader.hpp"
#include "core/scenario/reader/defaults.hpp"
#include "core/scenario/reader/expert_recipe.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "core/scenario/reader/sections.hpp"

#include <algorithm>

namespace orrery {

namespace {

/// Ranks that share a layer's matrices share experts' too, where the plan has room for such groups.
void fillExpertTensor(FilledDocument& filled, const FrameworkProfile& profile, const Architecture& model, int accelerators) {
    const std::int64_t tensor = filled.integer("/parallelism/tensor", 1), pipeline = filled.integer("/parallelism/pipeline", 1);
    const std::int64_t group = filled.integer("/parallelism/expert", 1) * tensor;
    if (!model.experts || tensor < 2 || pipeline < 1 || group < 1 || accelerators / pipeline % group != 0 || model.experts->ffn % tensor != 0) return;
    filled.fill("/parallelism/expert_tensor", tensor, "default of the profile " + profile.id + ": experts' matrices are shared out as the layers' are");
}

/// What follows from the model and the cluster: as they stand they say which recipe it is; what is wrong with them is said when they are read
/// for good.
void fillByModel(FilledDocument& filled, const FrameworkProfile& profile, const Catalog& catalog, const FileReader& readFile) {
    const bool has = std::any_of(catalog.recipes().begin(), catalog.recipes().end(), [&](const RecipeSet& set) {
        return std::find(set.profiles.begin(), set.profiles.end(), profile.id) != set.profiles.end();
    });
    if (!has && !sharesExpertsAsLayers(profile)) return;
    FilledDocument asked = filled;
    Problems ignored;
    const std::optional<NamedModel> model = readModel(asked, catalog, readFile, ignored);
    const std::optional<Cluster> cluster = readCluster(asked, catalog, ignored);
    if (!model || model->recorded || !cluster) return;
    if (sharesExpertsAsLayers(profile)) fillExpertTensor(filled, profile, model->architecture, cluster->accelerators());
    fillRecipe(filled, profile, catalog, model->architecture, cluster->accelerator.id, cluster->accelerators());
}

} // namespace

TrainingGround readGround(const Json& document, const Catalog& catalog, const FileReader& readFile, Problems& problems) {
    TrainingGround ground{FilledDocument(document), nullptr, std::nullopt, std::nullopt};
    ground.profile = readFramework(ground.filled, catalog, problems);
    if (ground.profile) fillByModel(ground.filled, *ground.profile, catalog, readFile);
    fillDefaults(ground.filled, ground.profile ? *ground.profile : catalog.newestFramework());
    ground.model = readModel(ground.filled, catalog, readFile, problems);
    ground.cluster = readCluster(ground.filled, catalog, problems);
    if (ground.model && ground.model->architecture.experts && ground.profile)
        fillExpertDefaults(ground.filled, *ground.profile, *ground.model->architecture.experts, ground.cluster ? &*ground.cluster : nullptr);
    if (ground.model && ground.model->architecture.experts && ground.profile && ground.profile->experts.capacityFactor > 0)
        ground.filled.fill("/execution/moe_dispatch", Json{{"capacity_factor", ground.profile->experts.capacityFactor}}, "default of the profile " + ground.profile->id);
    return ground;
}

PlanNumbers numbersOf(const FilledDocument& document, const std::optional<NamedModel>& model, const Cluster& cluster, const FrameworkProfile* profile) {
    PlanNumbers plan;
    if (profile) plan.copiesKeyHeads = profile->copiesKeyHeads;
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
