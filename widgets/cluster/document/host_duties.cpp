// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/host_duties.hpp"

#include "core/base/json_edits.hpp"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

const std::string splitPointer = "/workload/engine/disaggregation";
const std::string besidePointer = "/beside";

std::vector<std::string> texts(const Json* list) {
    std::vector<std::string> found;
    if (list && list->is_array())
        for (const Json& entry : *list)
            if (entry.is_string()) found.push_back(entry.get<std::string>());
    return found;
}

bool contains(const std::vector<std::string>& list, const std::string& text) { return std::find(list.begin(), list.end(), text) != list.end(); }

std::string otherOf(const std::string& pool) { return pool == "prefill" ? "decode" : "prefill"; }

} // namespace

bool HostDuties::canBeGiven() const {
    const Json* kind = valueAt(scenario_, "/workload/kind");
    return kind && *kind == "serving" && !document_.isShortForm() && !document_.isEmpty();
}

std::string HostDuties::poolOf(const std::string& host) const {
    if (!valueAt(scenario_, splitPointer)) return {};
    for (const char* pool : {"prefill", "decode"})
        if (contains(hostsOf(pool), host)) return pool;
    return {};
}

std::string HostDuties::namedPool(const std::string& host) const {
    for (const char* pool : {"prefill", "decode"})
        if (contains(texts(valueAt(scenario_, splitPointer + "/" + pool + "/hosts")), host)) return pool;
    return {};
}

std::string HostDuties::jobOf(const std::string& host) const {
    const Json* jobs = valueAt(scenario_, besidePointer);
    for (std::size_t i = 0; jobs && jobs->is_array() && i < jobs->size(); ++i) {
        const std::string at = besidePointer + "/" + std::to_string(i);
        const Json* file = valueAt(scenario_, at + "/scenario");
        if (file && file->is_string() && contains(texts(valueAt(scenario_, at + "/hosts")), host)) return file->get<std::string>();
    }
    return {};
}

std::vector<std::string> HostDuties::poolPointers(const std::string& host) const {
    const std::string pool = poolOf(host);
    if (pool.empty()) return {};
    const std::string at = splitPointer + "/" + pool;
    const std::vector<std::string> named = texts(valueAt(scenario_, at + "/hosts"));
    const auto place = std::find(named.begin(), named.end(), host) - named.begin();
    return {at + "/hosts", at + "/hosts/" + std::to_string(place), at + "/instances"};
}

std::vector<std::string> HostDuties::jobPointers(const std::string& host) const {
    std::vector<std::string> pointers;
    const Json* jobs = valueAt(scenario_, besidePointer);
    for (std::size_t i = 0; jobs && jobs->is_array() && i < jobs->size(); ++i) {
        const std::string at = besidePointer + "/" + std::to_string(i);
        const std::vector<std::string> named = texts(valueAt(scenario_, at + "/hosts"));
        const auto place = std::find(named.begin(), named.end(), host);
        if (place == named.end()) continue;
        pointers = {at, at + "/scenario", at + "/hosts", at + "/hosts/" + std::to_string(place - named.begin())};
    }
    return pointers;
}

std::vector<std::string> HostDuties::freeHosts() const {
    std::vector<std::string> hosts;
    for (const DrawnNode& node : document_.nodes())
        if (node.isHost() && jobOf(node.id).empty()) hosts.push_back(node.id);
    return hosts;
}

std::vector<std::string> HostDuties::hostsOf(const std::string& pool) const {
    const Json* own = valueAt(scenario_, splitPointer + "/" + pool + "/hosts");
    if (own && own->is_array()) return texts(own);
    std::vector<std::string> left;
    for (const std::string& host : freeHosts())
        if (namedPool(host).empty()) left.push_back(host);
    const Json* other = valueAt(scenario_, splitPointer + "/" + otherOf(pool) + "/hosts");
    const auto all = static_cast<std::ptrdiff_t>(left.size());
    const auto number = [&](const Json* count, std::ptrdiff_t usual) { return count && count->is_number_integer() ? std::clamp<std::ptrdiff_t>(count->get<std::ptrdiff_t>(), 0, all) : usual; };
    // Prompts come first in the file's order; what nobody numbered is shared out by halves.
    const std::ptrdiff_t prompts = pool == "prefill" ? number(own, other && other->is_array() ? all : all - number(other, all / 2)) : other && other->is_array() ? 0
                                                                                                                                                                 : number(other, own ? all - number(own, all / 2) : all / 2);
    if (pool == "prefill") return {left.begin(), left.begin() + prompts};
    return {left.begin() + prompts, left.end()};
}

std::vector<ScenarioEdit> HostDuties::poolEdits(const std::vector<std::string>& prefill, const std::vector<std::string>& decode) const {
    const Json* now = valueAt(scenario_, splitPointer);
    Json split = now && now->is_object() ? *now : Json::object();
    const auto give = [&](const char* name, const std::vector<std::string>& hosts) {
        Json& pool = split[name];
        if (!pool.is_object()) pool = Json::object();
        if (pool.value("hosts", Json()) == Json(hosts)) return;
        pool["hosts"] = hosts;
        pool.erase("instances"); // as many as the hosts hold
    };
    give("prefill", prefill);
    give("decode", decode);
    if (now && split == *now) return {};
    return {{splitPointer, std::move(split)}};
}

std::vector<ScenarioEdit> HostDuties::toPool(const std::set<std::string>& hosts, const std::string& pool) const {
    const Json* now = valueAt(scenario_, splitPointer);
    if (pool.empty()) return now ? std::vector<ScenarioEdit>{{splitPointer, nullptr}} : std::vector<ScenarioEdit>{};
    std::vector<std::string> own, other;
    const std::vector<std::string> before = now ? hostsOf(pool) : std::vector<std::string>{}, others = now ? hostsOf(otherOf(pool)) : freeHosts();
    for (const std::string& host : freeHosts()) {
        if (hosts.contains(host) || contains(before, host)) own.push_back(host);
        else if (contains(others, host)) other.push_back(host);
    }
    return pool == "prefill" ? poolEdits(own, other) : poolEdits(other, own);
}

std::vector<ScenarioEdit> HostDuties::toJob(const std::set<std::string>& hosts, const std::string& file) const {
    const Json* now = valueAt(scenario_, besidePointer);
    Json jobs = Json::array();
    bool found = false;
    if (now && now->is_array())
        for (const Json& job : *now) {
            Json kept = job;
            std::vector<std::string> named;
            for (const std::string& host : texts(valueAt(job, "/hosts")))
                if (!hosts.contains(host)) named.push_back(host);
            if (!file.empty() && !found && job.value("scenario", "") == file) {
                found = true;
                for (const DrawnNode& node : document_.nodes())
                    if (node.isHost() && hosts.contains(node.id)) named.push_back(node.id);
            }
            if (named.empty()) continue; // a job on no host is none
            kept["hosts"] = named;
            jobs.push_back(std::move(kept));
        }
    if (!file.empty() && !found) {
        std::vector<std::string> named;
        for (const DrawnNode& node : document_.nodes())
            if (node.isHost() && hosts.contains(node.id)) named.push_back(node.id);
        jobs.push_back({{"scenario", file}, {"hosts", named}});
    }
    std::vector<ScenarioEdit> edits;
    if (!(now ? *now == jobs : jobs.empty())) edits.push_back({besidePointer, jobs.empty() ? Json() : std::move(jobs)});
    // A host that goes to a job leaves its pool.
    if (!file.empty() && valueAt(scenario_, splitPointer)) {
        const auto without = [&](const char* pool) {
            std::vector<std::string> left;
            for (const std::string& host : hostsOf(pool))
                if (!hosts.contains(host)) left.push_back(host);
            return left;
        };
        const std::vector<ScenarioEdit> pools = poolEdits(without("prefill"), without("decode"));
        edits.insert(edits.end(), pools.begin(), pools.end());
    }
    return edits;
}

std::vector<ScenarioEdit> HostDuties::afterRename(const std::string& from, const std::string& to) const {
    std::vector<ScenarioEdit> edits;
    const auto follow = [&](const std::string& pointer) {
        std::vector<std::string> named = texts(valueAt(scenario_, pointer));
        if (!contains(named, from)) return;
        std::replace(named.begin(), named.end(), from, to);
        edits.push_back({pointer, Json(named)});
    };
    for (const char* pool : {"prefill", "decode"}) follow(splitPointer + "/" + pool + "/hosts");
    const Json* jobs = valueAt(scenario_, besidePointer);
    for (std::size_t i = 0; jobs && jobs->is_array() && i < jobs->size(); ++i) follow(besidePointer + "/" + std::to_string(i) + "/hosts");
    return edits;
}

std::vector<ScenarioEdit> HostDuties::afterRemoval(const std::set<std::string>& gone) const {
    std::vector<ScenarioEdit> edits;
    for (const char* pool : {"prefill", "decode"}) {
        const std::string pointer = splitPointer + "/" + pool + "/hosts";
        std::vector<std::string> named = texts(valueAt(scenario_, pointer));
        if (std::erase_if(named, [&](const std::string& host) { return gone.contains(host); }) > 0) edits.push_back({pointer, Json(named)});
    }
    const bool anyRuns = std::any_of(gone.begin(), gone.end(), [&](const std::string& host) { return !jobOf(host).empty(); });
    if (anyRuns)
        for (ScenarioEdit& edit : toJob(gone, {})) edits.push_back(std::move(edit));
    return edits;
}

} // namespace orrery
