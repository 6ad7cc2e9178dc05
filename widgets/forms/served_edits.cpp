// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/served_edits.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/reader/serving_defaults.hpp"
#include "core/scenario/serving_words.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/forms/plan_facts.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace orrery {

namespace {

constexpr std::string_view fileAt = "/workload/requests/file", draftsAt = "/workload/engine/speculative", poolsAt = "/workload/engine/disaggregation";
constexpr const char* generatedAt = "/view/generated_requests"; ///< what a file took the place of

const Json* partOf(const Json& document, std::string_view pointer) {
    const Json::json_pointer there{std::string(pointer)};
    return document.is_object() && document.contains(there) ? &document.at(there) : nullptr;
}

std::vector<ScenarioEdit> fileEdits(const Json& document, const Json& file) {
    const Json* requests = partOf(document, "/workload/requests");
    const bool hasFile = partOf(document, fileAt) != nullptr;
    if (!file.is_null() && hasFile) return {{std::string(fileAt), file}};
    if (!file.is_null()) {
        std::vector<ScenarioEdit> edits{{"/workload/requests", Json{{"file", file}}}};
        if (requests && requests->is_object()) edits.push_back({generatedAt, *requests});
        return edits;
    }
    if (!hasFile) return {};
    const Json* kept = partOf(document, generatedAt);
    const bool returns = kept && kept->is_object();
    // A serving workload that never had any begins so.
    const Json usual{{"count", 1000}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 4}}}, {"input_tokens", 1024}, {"output_tokens", 128}};
    std::vector<ScenarioEdit> edits{{"/workload/requests", returns ? *kept : usual}};
    if (kept) edits.push_back({generatedAt, nullptr});
    return edits;
}

double numberOf(const Json& config, const char* key) {
    const auto found = config.find(key);
    return found != config.end() && found->is_number() ? found->get<double>() : 0;
}

/// The smallest model that speaks the same tokens and is smaller than the scenario's.
std::optional<std::string> smallerModel(const Json& document, const Catalog& catalog) {
    const std::optional<Architecture> model = planFacts(document, catalog).model;
    if (!model) return std::nullopt;
    const auto size = [](const Json& config) { return numberOf(config, "num_hidden_layers") * numberOf(config, "hidden_size") * numberOf(config, "hidden_size"); };
    double smallest = static_cast<double>(model->layers) * static_cast<double>(model->hidden) * static_cast<double>(model->hidden);
    std::optional<std::string> id;
    for (const ModelEntry& entry : catalog.models()) {
        const Json& config = *entry.config;
        if (!config.is_object() || numberOf(config, "vocab_size") != static_cast<double>(model->vocabulary)) continue;
        const double own = size(config);
        if (own <= 0 || own >= smallest) continue;
        smallest = own;
        id = entry.id;
    }
    return id;
}

std::vector<ScenarioEdit> draftEdits(const Json& document, const Json& method, const Catalog& catalog) {
    const std::string draftsPlace(draftsAt);
    const Json* old = partOf(document, draftsPlace);
    if (method.is_null()) return old ? std::vector<ScenarioEdit>{{draftsPlace, nullptr}} : std::vector<ScenarioEdit>{};
    const auto kind = fromText<DraftMethod>(method.get<std::string>());
    Json drafts{{"method", method}, {"tokens", usualDrafts(kind.value_or(DraftMethod::ngram))}, {"acceptance", usualAcceptance}};
    for (const char* key : {"tokens", "acceptance"})
        if (old && old->is_object() && old->contains(key)) drafts[key] = old->at(key);
    const Json* model = old && old->is_object() && old->contains("draft_model") ? &old->at("draft_model") : nullptr;
    if (kind == DraftMethod::draft_model) {
        if (model) drafts["draft_model"] = *model;
        else if (const auto id = smallerModel(document, catalog)) drafts["draft_model"] = Json{{"preset", *id}};
    } else if (kind == DraftMethod::eagle && model) {
        drafts["draft_model"] = *model;
    }
    if (old && *old == drafts) return {};
    return {{draftsPlace, std::move(drafts)}};
}

std::vector<ScenarioEdit> poolEdits(const Json& document, const Json& wanted, const Catalog& catalog) {
    const std::string poolsPlace(poolsAt);
    const bool given = partOf(document, poolsPlace) != nullptr;
    if (wanted.is_null()) return given ? std::vector<ScenarioEdit>{{poolsPlace, nullptr}} : std::vector<ScenarioEdit>{};
    if (given) return {};
    const PlanFacts facts = planFacts(document, catalog);
    const Json* groups = partOf(document, "/parallelism/attention_data");
    const int attention = groups && groups->is_number_integer() ? std::max(1, groups->get<int>()) : 1;
    const int instances = ClusterFields(document, catalog).accelerators() / std::max(1, facts.tensor * facts.pipeline * facts.context * attention);
    const int prefill = std::max(1, instances / 2), decode = std::max(1, instances - prefill);
    const auto pool = [&](int count) { return Json{{"instances", count}, {"parallelism", {{"tensor", facts.tensor}}}}; };
    std::vector<ScenarioEdit> edits{{poolsPlace, Json{{"prefill", pool(prefill)}, {"decode", pool(decode)}}}};
    if (partOf(document, "/parallelism/data")) edits.push_back({"/parallelism/data", nullptr}); // the pools say how many
    return edits;
}

} // namespace

bool isServedChoice(std::string_view pointer) { return pointer == fileAt || pointer == "/workload/engine/speculative/method" || pointer == poolsAt; }

std::vector<ScenarioEdit> servedEdits(const Json& document, const ScenarioEdit& wanted, const Catalog& catalog) {
    if (wanted.pointer == fileAt) return fileEdits(document, *wanted.value);
    if (wanted.pointer == poolsAt) return poolEdits(document, *wanted.value, catalog);
    return draftEdits(document, *wanted.value, catalog);
}

} // namespace orrery
