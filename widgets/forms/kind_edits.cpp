// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/kind_edits.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/forms/field_table.hpp"
#include "widgets/forms/plan_facts.hpp"

#include <algorithm>

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
    const int accelerators = ClusterFields(document, catalog).accelerators();
    const int data = std::max(1, accelerators / std::max(1, facts.tensor * facts.pipeline * facts.context));
    return {{"kind", "training"}, {"sequence_length", 4096}, {"global_batch_size", 8 * data}, {"micro_batch_size", 1}, {"precision", precision}};
}

/// A profile of software that does not run the kind.
bool isForeignFramework(const Json& document, const std::string& kind, const Catalog& catalog) {
    const Json* framework = valueIn(document, "/execution/framework");
    if (!framework || !framework->is_string()) return false;
    const FrameworkProfile* profile = catalog.framework(framework->get<std::string>());
    const char* use = kind == "training" ? "training" : "inference";
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

} // namespace orrery
