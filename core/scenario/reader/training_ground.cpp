// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/training_ground.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/order/schedule/schedule_traits.hpp"
#include "core/scenario/document/schema_table.hpp"
#include "core/scenario/expert_dispatcher.hpp"
#include "core/scenario/reader/cluster_reader.hpp"
#include "core/scenario/reader/framework_reader.hpp"
#include "core/scenario/reader/sections.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace orrery {
namespace {

constexpr const char* dispatcherAt = "/execution/moe_dispatcher";
constexpr const char* fusedAt = "/execution/fused_experts";

/// Whether a scenario has a key for one of a recipe's settings.
bool isFilled(const std::string& setting) {
    static const Shape& execution = findField(scenarioShape(), Json::object(), "execution")->shape;
    return findField(execution, Json::object(), setting);
}

} // namespace

void fillRecipe(FilledDocument& document, const FrameworkProfile& profile, const Catalog& catalog, const Architecture& model, const std::string& accelerator,
                int accelerators) {
    if (!document.says("/workload/task", TaskKind::pretrain) && document.has("/workload/task")) return;
    const std::string precision = document.text("/workload/precision"), stated = document.text("/execution/framework_version");
    const std::string release = releaseNumbers(stated).empty() ? lastReleaseOf(profile, catalog) : stated; // a later one is another profile's
    RecipeQuestion question{profile.id, accelerator, precision, static_cast<int>(model.layers), static_cast<int>(model.hidden), model.experts ? static_cast<int>(model.experts->count) : 0,
                            release, accelerators, document.integer("/workload/global_batch_size", 1)};
    const Recipe* recipe = recipeFor(catalog.recipes(), question);
    if (!recipe) return;
    const std::string why = "the recipe of " + profile.name + " for " + recipe->model + " on " + recipe->accelerator;
    // Only the all-to-all drops tokens beyond an expert's room (Megatron-Core, moe_expert_capacity_factor).
    if (document.has("/execution/moe_dispatch/capacity_factor")) document.fill(dispatcherAt, wordOf(ExpertDispatcher::alltoall), "what limits the room of experts needs it");
    for (const auto& [setting, value] : recipe->execution->items()) {
        if (!isFilled(setting)) continue;
        if (setting == "overlap") document.fillFragment("/execution/overlap", value, why);
        else document.fill("/execution/" + setting, value, why);
    }
}

void fillExpertDefaults(FilledDocument& document, const FrameworkProfile& profile, const Experts& experts, const Cluster* cluster) {
    const std::string why = "default of the profile " + profile.id;
    // Which software moves tokens hangs on the cluster, not on the plan: a search over degrees of experts compares like with like.
    constexpr int fineGrained = 4;                                                                        // experts a token; with fewer there is little to send once
    const bool between = cluster && cluster->hosts() > 1 && cluster->accelerator.asynchronousMatrixUnits; // DeepEP's kernels copy as Hopper does
    if (between && experts.perToken >= fineGrained && !document.has("/execution/moe_dispatch/capacity_factor"))
        for (const DispatcherForm& form : dispatcherForms)
            if (form.library == profile.experts.libraryBetweenHosts) document.fill(dispatcherAt, wordOf(form.dispatcher), why + " on several hosts");
    document.fill(dispatcherAt, wordOf(dispatcherOf(profile.experts)), why);
    document.fill(fusedAt, !profile.experts.loopsProducts, why);
}

bool sharesExpertsAsLayers(const FrameworkProfile& profile) { return profile.defaults->is_object() && profile.defaults->value("experts_as_layers", false); }

void applyExpertRecipe(const FilledDocument& document, FrameworkProfile& profile) {
    ExpertProfile& experts = profile.experts;
    if (const auto dispatcher = fromText<ExpertDispatcher>(document.text(dispatcherAt))) setDispatcher(experts, *dispatcher);
    if (!document.has(fusedAt)) return;
    const bool fused = document.boolean(fusedAt);
    // Biases and clamps are in the one kernel.
    if (fused && experts.loopsProducts) experts.eagerBias = false;
    experts.loopsProducts = !fused;
}

namespace {

std::string_view precisionOfBytes(double bytes) { return wordOf(bytes >= 4 ? Precision::fp32 : Precision::bf16); }

const Field& section(const std::string& key) { return *findField(scenarioShape(), Json::object(), key); }

} // namespace

void fillDefaults(FilledDocument& document, const FrameworkProfile& profile) {
    const std::string why = "default of the profile " + profile.id;
    const TaskKind task = document.word("/workload/task", TaskKind::pretrain);
    const bool fineTuned = task == TaskKind::sft || task == TaskKind::lora;
    if (profile.defaults->is_object()) {
        Json always = profile.defaults;
        for (const char* key : {"fine_tuning", "calibrated_weights", "without_graphs", "experts_as_layers"}) always.erase(key);
        if (always.contains("workload")) always["workload"].erase("engine"); // of serving
        if (fineTuned && profile.defaults->contains("fine_tuning")) document.fillFragment("", profile.defaults->at("fine_tuning"), why + " for fine-tuning");
        document.fillFragment("", always, why);
    }
    document.fill("/execution/attention", wordOf(profile.flashAttention ? AttentionKind::flash : AttentionKind::unfused), why);
    document.fill("/execution/recompute", wordOf(RecomputeKind::none), "the default");
    for (const char* key : {"compile", "cuda_graphs", "overlap/data", "overlap/tensor", "overlap/pipeline", "overlap/expert"})
        if (!profile.experts.overlapsBetweenDomains || std::string_view(key) != "overlap/expert") document.fill(std::string("/execution/") + key, false, "the default");

    for (const Variant& variant : section("workload").shape.variants)
        if (variant.word == document.text("/workload/kind")) document.fillFallbacks("/workload", variant.fields);
    if (document.says("/workload/task", TaskKind::lora)) document.fill("/workload/lora_rank", 16, "a common rank");
    if (fineTuned && profile.packedDocument > 0 && profile.packedDocument < document.integer("/workload/sequence_length", 0))
        document.fill("/workload/document_length", profile.packedDocument, why);
    // Gradients and states of weights that are kept in 16 bit alone have their format (PyTorch's optimizers make states like their parameters).
    FrameworkProfile kept = profile;
    applyWeightPrecision(document, kept);
    const bool narrowed = kept.weightBytes < profile.weightBytes || kept.optimizerBytes < profile.optimizerBytes;
    const bool halved = profile.fp16GradientBytes > 0 && document.says("/workload/precision", Precision::fp16);
    document.fill("/workload/gradient_precision", precisionOfBytes(halved ? profile.fp16GradientBytes : kept.gradientBytes), why);
    document.fill("/workload/optimizer_precision", wordOf(narrowed ? Precision::bf16 : Precision::fp32), narrowed ? "states have the format of the weights" : why);

    const ChunkRule& chunks = traitsOf(readSchedule(document)).chunks;
    if (chunks.perStage > 1) document.fill("/parallelism/virtual_pipeline", chunks.perStage, std::string(chunks.why));
    document.fillFallbacks("/parallelism", section("parallelism").shape.fields);
    const int perStage = document.integer("/parallelism/virtual_pipeline", 1);
    document.fill("/parallelism/schedule", wordOf(usualOrder(perStage)),
                  perStage > 1 ? "the default with more than one chunk per stage" : "the default");
}

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
