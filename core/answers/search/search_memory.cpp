// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/search/search_memory.hpp"

#include "core/answers/search/plan_survey.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace orrery {
namespace {

/// Figures of a link that an edit changes without changing which links there are.
constexpr std::array linkFigures{"bandwidth_gb_s", "latency_us"};

/// The places of links' figures in a document: of short clusters, and of drawn ones.
template <typename Document, typename Visit> void eachLink(Document& document, Visit visit) {
    if (!document.is_object() || !document.contains("cluster") || !document["cluster"].is_object()) return;
    auto& cluster = document["cluster"];
    for (const char* scale : {"scale_up", "scale_out"})
        if (cluster.contains(scale) && cluster[scale].is_object()) visit(cluster[scale]);
    if (!cluster.contains("topology") || !cluster["topology"].is_object() || !cluster["topology"].contains("links") || !cluster["topology"]["links"].is_array()) return;
    for (auto& link : cluster["topology"]["links"])
        if (link.is_object()) visit(link);
}

Json linksOf(const Json& document) {
    Json figures = Json::array();
    eachLink(document, [&](const Json& link) {
        for (const char* figure : linkFigures) figures.push_back(link.contains(figure) ? link.at(figure) : Json());
    });
    return figures;
}

/// The document without what estimators vary, and what numbers the families.
Json fixedPart(Json document, const SweepQuestion& space) {
    if (!document.is_object()) return document;
    for (const char* key : {"search", "variants", "measures", "view", "name", "notes", "economics", "parallelism"}) document.erase(key);
    const auto workload = document.find("workload");
    if (workload != document.end() && workload->is_object())
        for (const char* key : {"global_batch_size", "micro_batch_size"}) workload->erase(key);
    eachLink(document, [](Json& link) {
        for (const char* figure : linkFigures) link.erase(figure);
    });
    Json families = Json::array();
    for (const SweptKey& axis : space.axes) {
        if (isOfPlan(axis.pointer)) continue;
        Json values = Json::array();
        for (const BoxedJson& value : axis.values) values.push_back(*value);
        families.push_back({axis.pointer, std::move(values)});
    }
    return {std::move(document), std::move(families)};
}

bool readsModel(const Json& document, const SweepQuestion& space) {
    const auto varied = [](const SweptKey& axis) { return axis.pointer.starts_with("/model"); };
    return valueAt(document, "/model/config_file") || valueAt(document, "/model/graph_file") || std::any_of(space.axes.begin(), space.axes.end(), varied);
}

} // namespace

std::vector<FamilyEstimates> SearchMemory::take(const Trials& trials, const SweepQuestion& space, std::size_t threads) {
    const BoxedJson links = linksOf(trials.document());
    const BoxedJson asked = fixedPart(trials.document(), space);
    std::vector<FamilyEstimates> known = std::exchange(known_, {});
    if (!(asked == scenario_) || catalog_ != &trials.catalog() || readsModel(trials.document(), space)) known.clear();
    if (!(links == links_))
        for (FamilyEstimates& families : known)
            for (auto& [family, estimates] : families) estimates.rewire();
    scenario_ = asked;
    links_ = links;
    catalog_ = &trials.catalog();
    known.resize(threads);
    return known;
}

} // namespace orrery
