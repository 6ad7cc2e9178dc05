// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/form_edits.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/catalog/catalog.hpp"
#include "core/scenario/reader/serving_defaults.hpp"
#include "core/scenario/serving_words.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/forms/field_table.hpp"
#include "widgets/forms/plan_facts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace orrery {
namespace {

const Json* valueIn(const Json& document, const std::string& pointer) {
    const Json::json_pointer there(pointer);
    return document.is_object() && document.contains(there) ? &document.at(there) : nullptr;
}

std::string placeOfFormer(const std::string& kind) { return "/view/workloads/" + kind; }

/// A workload of the kind that runs on the plan as it stands.
Json usualWorkload(const Json& document, const std::string& kind, const Catalog& catalog) {
    const PlanFacts facts = planFacts(document, catalog);
    const bool trainable = facts.precision != "int8" && facts.precision != "int4" && facts.precision != "mxfp4";
    const std::string precision = kind == "training" && !trainable ? "bf16" : facts.precision;
    if (kind == "inference") return {{"kind", kind}, {"batch_size", 8}, {"input_length", 1024}, {"output_length", 128}, {"precision", precision}};
    if (kind == "serving") {
        const Json requests{{"count", 1000}, {"arrival", {{"process", "poisson"}, {"rate_per_s", 4}}}, {"input_tokens", 1024}, {"output_tokens", 128}};
        return {{"kind", kind}, {"requests", requests}, {"precision", precision}};
    }
    if (kind == "rl") {
        const Json requests{{"count", 512}, {"arrival", {{"process", "all_at_once"}}}, {"input_tokens", 512}, {"output_tokens", 1024}};
        const Json rollout{{"kind", "serving"}, {"precision", "bf16"}, {"requests", requests}, {"engine", {{"gpu_memory_utilization", 0.5}}}, {"parallelism", {{"tensor", facts.tensor}}}};
        const Json training{{"kind", "training"}, {"sequence_length", 1536}, {"global_batch_size", 512}, {"micro_batch_size", 1}, {"precision", "bf16"}};
        return {{"kind", kind}, {"rollout", rollout}, {"training", training}};
    }
    const int accelerators = ClusterFields(document, catalog).accelerators();
    const int data = std::max(1, accelerators / std::max(1, facts.tensor * facts.pipeline * facts.context));
    return {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 8 * data}, {"micro_batch_size", 1}, {"precision", precision}};
}

/// A profile of software that does not run the kind.
bool isForeignFramework(const Json& document, const std::string& kind, const Catalog& catalog) {
    const Json* framework = valueIn(document, "/execution/framework");
    if (!framework || !framework->is_string()) return false;
    const FrameworkProfile* profile = catalog.framework(framework->get<std::string>());
    const char* use = kind == "training" || kind == "rl" ? "training" : "inference";
    return profile && std::find(profile->use.begin(), profile->use.end(), use) == profile->use.end();
}

/// Given places outside the workload that the kind does not read.
std::vector<std::string> placesToLeave(const Json& document, const std::string& kind, const Catalog& catalog) {
    std::vector<std::string> places;
    for (const FieldSpec& spec : scenarioFields()) {
        const std::string pointer = spec.pointer;
        if (spec.section == FieldSection::workload || spec.partOfChoice || (spec.kinds & kindNamed(kind)) || !valueIn(document, pointer)) continue;
        places.push_back(pointer);
    }
    if (isForeignFramework(document, kind, catalog)) places.emplace_back("/execution/framework");
    return places;
}

} // namespace

std::vector<ScenarioEdit> kindEdits(const Json& document, const std::string& kind, const Catalog& catalog) {
    const Json* workload = valueIn(document, "/workload");
    const Json* before = valueIn(document, "/workload/kind");
    const std::string old = before && before->is_string() ? before->get<std::string>() : "training";
    if (old == kind) return {};
    std::vector<ScenarioEdit> edits;
    Json former{{"workload", workload ? *workload : Json::object()}, {"beside", Json::object()}};
    for (const std::string& left : placesToLeave(document, kind, catalog)) {
        former["beside"][left] = *valueIn(document, left);
        edits.push_back({left, nullptr});
    }
    const Json* kept = valueIn(document, placeOfFormer(kind));
    const bool returns = kept && kept->is_object() && kept->contains("workload") && kept->at("workload").is_object();
    edits.push_back({"/workload", returns ? kept->at("workload") : usualWorkload(document, kind, catalog)});
    if (returns) {
        if (kept->contains("beside") && kept->at("beside").is_object())
            for (const auto& [pointer, value] : kept->at("beside").items()) edits.push_back({pointer, value});
        edits.push_back({placeOfFormer(kind), nullptr});
    }
    if (workload) edits.push_back({placeOfFormer(old), std::move(former)});
    return edits;
}

std::vector<ScenarioEdit> arrivalEdits(const Json& document, const std::string& process) {
    const std::string at = "/workload/requests/arrival/";
    std::vector<ScenarioEdit> edits{{at + "process", process}};
    const bool closed = process == "closed_loop", byRate = !closed && process != "all_at_once";
    const auto settle = [&](const char* key, bool needed, Json usual) {
        const bool given = valueIn(document, at + key) != nullptr;
        if (needed && !given) edits.push_back({at + key, std::move(usual)});
        if (!needed && given) edits.push_back({at + key, nullptr});
    };
    settle("rate_per_s", byRate, 4);
    settle("concurrency", closed, 16);
    if (process != "gamma") settle("burstiness", false, nullptr);
    return edits;
}

namespace {

constexpr const char* place = "/execution/jitter";

// Where to start from, until somebody has measured it: usual figures, none of them Orrery's.
constexpr double usualSigma = 0.02, usualShare = 0.01, usualSlowdown = 1.2;

} // namespace

bool isJitterField(std::string_view pointer) { return pointer.rfind("/execution/jitter/", 0) == 0; }

std::vector<ScenarioEdit> jitterEdits(const Json& document, const ScenarioEdit& wanted) {
    const Json::json_pointer at{std::string(place)};
    const Json old = document.contains(at) ? document.at(at) : Json();
    Json start = old.is_object() ? old : Json::object();
    if (old.is_number() && old.get<double>() > 0) start["sigma"] = old;
    if (wanted.pointer == "/execution/jitter/method" && wanted.value->is_null()) return old.is_null() ? std::vector<ScenarioEdit>{} : std::vector<ScenarioEdit>{{place, nullptr}};
    const std::string within = wanted.pointer.substr(std::string_view(place).size());
    Json now = applyEdits(start, {{within, wanted.value}}).document;

    if (wanted.value->is_null()) {
        for (const char* group : {"hosts", "operators"})
            if (now.contains(group) && now.at(group).empty()) now.erase(group);
        if (!now.contains("sigma") && !now.contains("hosts") && !now.contains("operators")) return {{place, nullptr}};
        // Hosts or operators made it a draw of the slowest; without them it would be one of every rank.
        const bool drewSlowest = start.contains("hosts") || start.contains("operators");
        if (drewSlowest && !start.contains("method") && !now.contains("hosts") && !now.contains("operators")) now["method"] = "sampled";
    } else {
        Json& hosts = now["hosts"];
        if (hosts.contains("slow_share") && !hosts.contains("slowdown")) hosts["slowdown"] = usualSlowdown;
        if (hosts.contains("slowdown") && !hosts.contains("slow_share")) hosts["slow_share"] = usualShare;
        if (hosts.is_null()) now.erase("hosts");
        if (start.empty() && !now.contains("method")) now["method"] = "analytic";
        if (!now.contains("sigma") && !now.contains("hosts") && !now.contains("operators")) now["sigma"] = usualSigma;
    }
    if (now == old) return {};
    if (old.is_object() && applyEdits(old, {{within, wanted.value}}).document == now) return {wanted};
    return {{place, now}};
}

namespace {

constexpr std::string_view ending = "/distribution";

// Where to start from, until somebody says more: a mean where nothing is said, and how far lengths spread about it.
constexpr double usualMean = 512, usualSpread = 0.5, usualExponent = 1;

double numberAt(const Json& law, const char* key, double otherwise) { return law.contains(key) && law.at(key).is_number() ? law.at(key).get<double>() : otherwise; }

double meanOf(const Json& law) {
    if (law.is_number()) return law.get<double>();
    if (!law.is_object()) return usualMean;
    const double most = numberAt(law, "max", 2 * usualMean);
    return numberAt(law, "mean", (numberAt(law, "min", 1) + most) / 2);
}

Json tokens(double number) { return std::max<std::int64_t>(1, std::llround(number)); }

} // namespace

bool isLengthDistribution(std::string_view pointer) {
    for (const std::string_view place : {std::string_view("/workload/requests/input_tokens"), std::string_view("/workload/requests/output_tokens")})
        if (pointer.size() == place.size() + ending.size() && pointer.substr(0, place.size()) == place && pointer.substr(place.size()) == ending) return true;
    return false;
}

std::vector<ScenarioEdit> lengthEdits(const Json& document, const ScenarioEdit& wanted) {
    const std::string place = wanted.pointer.substr(0, wanted.pointer.size() - ending.size());
    const Json::json_pointer at{place};
    const Json old = document.contains(at) ? document.at(at) : Json();
    const double mean = meanOf(old);
    if (wanted.value->is_null()) return {{place, tokens(mean)}};

    const std::string kind = wanted.value->get<std::string>();
    const auto is = [&](const char* word) { return kind == word; };
    const bool ranges = is("uniform") || is("zipf"), spreads = is("normal") || is("lognormal");
    Json law{{"distribution", kind}};
    const auto take = [&](const char* key, const Json& usual) { law[key] = old.is_object() && old.contains(key) ? old.at(key) : usual; };
    if (!ranges) take("mean", tokens(mean));
    if (spreads) take("std", tokens(mean * usualSpread));
    if (is("zipf")) take("exponent", usualExponent);
    // The limits of every distribution stay; a range needs them.
    for (const auto& [key, usual] : {std::pair{"min", Json(1)}, std::pair{"max", tokens(2 * mean)}})
        if (ranges || (old.is_object() && old.contains(key))) take(key, usual);
    if (law == old) return {};
    return {{place, std::move(law)}};
}

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
