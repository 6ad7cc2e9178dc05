// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/expert_recipe.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/document/schema_table.hpp"
#include "core/scenario/expert_dispatcher.hpp"
#include "core/scenario/reader/framework_reader.hpp"

#include <string>

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

} // namespace orrery
