// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/jitter_edits.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"

#include <string>

namespace orrery {
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

} // namespace orrery
