// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/search/search_memory.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/search/plan_survey.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

/// The document without what estimators vary, and what numbers the families.
Json fixedPart(Json document, const SweepQuestion& space) {
    if (!document.is_object()) return document;
    for (const char* key : {"search", "variants", "measures", "view", "name", "notes", "economics", "parallelism"}) document.erase(key);
    const auto workload = document.find("workload");
    if (workload != document.end() && workload->is_object())
        for (const char* key : {"global_batch_size", "micro_batch_size"}) workload->erase(key);
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
    const BoxedJson asked = fixedPart(trials.document(), space);
    std::vector<FamilyEstimates> known = std::exchange(known_, {});
    if (!(asked == scenario_) || catalog_ != &trials.catalog() || readsModel(trials.document(), space)) known.clear();
    scenario_ = asked;
    catalog_ = &trials.catalog();
    known.resize(threads);
    return known;
}

} // namespace orrery
