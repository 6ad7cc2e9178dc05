// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/rl_halves.hpp"

#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace orrery {
namespace {

/// Keys of a rollout that are sections of its own document.
constexpr std::array<std::string_view, 2> ownSections{"parallelism", "execution"};

std::string placeOf(RlHalf half) { return "/workload/" + std::string(wordOf(half)); }

/// One host, where a node of the drawing may stand for many.
struct Host {
    const TopologyNode* node = nullptr;
    int firstAccelerator = 0;
    std::optional<RlHalf> owner;
};

class HostShares {
public:
    HostShares(const Json& document, const Cluster& cluster, Problems& problems) : document_(document), drawn_(cluster.drawn), problems_(problems) {
        int first = 0;
        for (const TopologyNode& node : cluster.nodes)
            for (int replica = 0; node.kind == NodeKind::host && replica < node.replicas; ++replica, first += node.count) hosts_.push_back({&node, first, {}});
    }

    RlGrounds share() {
        constexpr std::array halves{RlHalf::rollout, RlHalf::training};
        RlGrounds grounds;
        grounds.colocated = std::none_of(halves.begin(), halves.end(), [this](RlHalf half) { return wanted(half) != nullptr; });
        if (grounds.colocated) {
            grounds.rollout = grounds.training = ground({});
            return grounds;
        }
        for (const RlHalf half : halves)
            if (const Json* hosts = wanted(half); hosts && hosts->is_array()) takeNamed(*hosts, half);
        for (const RlHalf half : halves)
            if (const Json* hosts = wanted(half); hosts && hosts->is_number()) takeNext(hosts->get<std::int64_t>(), half);
        for (const RlHalf half : halves)
            if (!wanted(half)) takeNext(static_cast<std::int64_t>(std::count_if(hosts_.begin(), hosts_.end(), [](const Host& host) { return !host.owner; })), half);
        grounds.rollout = ground(RlHalf::rollout);
        grounds.training = ground(RlHalf::training);
        for (const RlHalf half : halves)
            if (!hasErrors(problems_) && (half == RlHalf::rollout ? grounds.rollout : grounds.training).placement.empty())
                problems_.push_back(error("too-few-hosts", placeOf(half == RlHalf::rollout ? RlHalf::training : RlHalf::rollout) + "/hosts", "No host is left for " + std::string(wordOf(half)) + ".").mend("Leave it one, or leave \"hosts\" out: then both take turns on all of them."));
        return grounds;
    }

private:
    const Json* wanted(RlHalf half) const { return valueAt(document_, placeOf(half) + "/hosts"); }

    void takeNamed(const Json& ids, RlHalf half) {
        const std::string at = placeOf(half) + "/hosts";
        if (!drawn_) {
            problems_.push_back(error("unknown-host", at, "Hosts have names in a drawn cluster alone.").mend("Say how many."));
            return;
        }
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::string id = ids[i].get<std::string>(), idAt = at + "/" + std::to_string(i);
            bool known = false, free = true;
            for (Host& host : hosts_) {
                if (host.node->id != id) continue;
                known = true;
                free = free && !host.owner;
                host.owner = half;
            }
            if (!known) problems_.push_back(unknownHost(id, idAt));
            else if (!free) problems_.push_back(error("hosts-overlap", idAt, "Host \"" + id + "\" is named twice: a host belongs to one half.").mend("Name it in one half, once.").edit(idAt, nullptr));
        }
    }

    Problem unknownHost(const std::string& id, const std::string& at) const {
        std::vector<std::string> ids;
        for (const Host& host : hosts_)
            if (ids.empty() || ids.back() != host.node->id) ids.push_back(host.node->id);
        Problem problem = error("unknown-host", at, "The cluster has no host \"" + id + "\".").mend("Name a host of the drawing, or say how many.");
        if (const auto nearest = nearestWord(id, ids)) {
            problem.mend = "The nearest is \"" + nearest->word + "\".";
            problem.edits.push_back({at, nearest->word});
        }
        return problem;
    }

    void takeNext(std::int64_t count, RlHalf half) {
        std::int64_t taken = 0;
        for (Host& host : hosts_) {
            if (taken == count) break;
            if (host.owner) continue;
            host.owner = half;
            ++taken;
        }
        if (taken == count) return;
        const std::string at = placeOf(half) + "/hosts";
        problems_.push_back(error("too-few-hosts", at, counted(count, "host") + " for " + std::string(wordOf(half)) + ", but " + std::to_string(taken) + (taken == 1 ? " is left." : " are left."))
                                .mend("Use fewer hosts, or a larger cluster.")
                                .edit(at, std::max<std::int64_t>(1, taken)));
    }

    /// What one owner has; without an owner, all of it.
    RlGround ground(std::optional<RlHalf> owner) const {
        RlGround ground;
        ground.cluster = document_.at("cluster");
        std::vector<std::pair<const TopologyNode*, int>> kept;
        for (const Host& host : hosts_) {
            if (owner && host.owner != owner) continue;
            for (int i = 0; i < host.node->count; ++i) ground.placement.push_back(host.firstAccelerator + i);
            if (kept.empty() || kept.back().first != host.node) kept.emplace_back(host.node, 0);
            ++kept.back().second;
        }
        if (!owner) return ground;
        if (drawn_) {
            keepHosts(ground.cluster.at("topology"), kept);
        } else {
            int hosts = 0;
            for (const auto& [node, replicas] : kept) hosts += replicas;
            ground.cluster["nodes"] = std::max(1, hosts);
        }
        return ground;
    }

    /// Leaves out the other half's hosts with their cables.
    static void keepHosts(Json& topology, const std::vector<std::pair<const TopologyNode*, int>>& kept) {
        Json nodes = Json::array(), links = Json::array();
        std::vector<std::string> gone;
        for (Json& node : topology.at("nodes")) {
            if (node.at("kind") != "host") {
                nodes.push_back(std::move(node));
                continue;
            }
            const std::string id = node.at("id").get<std::string>();
            const auto own = std::find_if(kept.begin(), kept.end(), [&id](const auto& one) { return one.first->id == id; });
            if (own == kept.end()) {
                gone.push_back(id);
                continue;
            }
            if (own->second != own->first->replicas) node["replicas"] = own->second;
            nodes.push_back(std::move(node));
        }
        const auto isGone = [&gone](const Json& id) { return std::find(gone.begin(), gone.end(), id.get<std::string>()) != gone.end(); };
        if (topology.contains("links"))
            for (Json& link : topology.at("links"))
                if (!isGone(link.at("from")) && !isGone(link.at("to"))) links.push_back(std::move(link));
        topology["nodes"] = std::move(nodes);
        topology["links"] = std::move(links);
    }

    const Json& document_;
    bool drawn_;
    Problems& problems_;
    std::vector<Host> hosts_;
};

} // namespace

RlGrounds shareHosts(const Json& document, const Cluster& cluster, Problems& problems) { return HostShares(document, cluster, problems).share(); }

Json halfDocument(const Json& document, RlHalf half, const Json& cluster) {
    Json made = Json::object();
    for (const char* key : {"format", "name", "model", "economics"})
        if (document.contains(key)) made[key] = document.at(key);
    made["cluster"] = cluster;
    Json workload = document.at("workload").at(std::string(wordOf(half)));
    workload.erase("hosts");
    for (const std::string_view section : ownSections) {
        const std::string key(section);
        if (half == RlHalf::training) {
            if (document.contains(key)) made[key] = document.at(key);
        } else if (workload.contains(key)) {
            made[key] = workload.at(key);
            workload.erase(key);
        }
    }
    made["workload"] = std::move(workload);
    return made;
}

std::string placeInWhole(RlHalf half, std::string_view pointer) {
    const auto isIn = [pointer](std::string_view section) { return pointer == section || (pointer.starts_with(section) && pointer[section.size()] == '/'); };
    constexpr std::string_view workload = "/workload";
    if (isIn(workload)) return placeOf(half) + std::string(pointer.substr(workload.size()));
    const bool own = std::any_of(ownSections.begin(), ownSections.end(), [&](std::string_view section) { return isIn("/" + std::string(section)); });
    return (own && half == RlHalf::rollout ? placeOf(half) : std::string()) + std::string(pointer);
}

Problem inWhole(RlHalf half, Problem problem) {
    problem.pointer = placeInWhole(half, problem.pointer);
    for (ScenarioEdit& edit : problem.edits) edit.pointer = placeInWhole(half, edit.pointer);
    return problem;
}

} // namespace orrery
