// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/network_speed.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

namespace orrery {

double networkSpeed(const std::vector<TopologyNode>& nodes, const std::vector<TopologyLink>& links) {
    struct Cabled {
        int accelerators = 0;
        double bandwidth = 0;
    };
    std::unordered_map<std::string_view, Cabled> hosts;
    for (const TopologyNode& node : nodes)
        if (node.kind == NodeKind::host && node.count > 0) hosts[node.id].accelerators = node.count;
    for (const TopologyLink& link : links)
        for (const std::string* end : {&link.from, &link.to})
            if (const auto host = hosts.find(*end); host != hosts.end()) host->second.bandwidth += link.bandwidth * link.count;
    double best = 0;
    for (const auto& [id, host] : hosts) best = std::max(best, host.bandwidth / host.accelerators);
    return best;
}

namespace {

const Json* memberOf(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

double numberOf(const Json& object, const char* key, double otherwise) {
    const Json* value = memberOf(object, key);
    return value && value->is_number() ? value->get<double>() : otherwise;
}

std::string_view textOf(const Json& object, const char* key) {
    const Json* value = memberOf(object, key);
    return value && value->is_string() ? std::string_view(value->get_ref<const std::string&>()) : std::string_view();
}

} // namespace

double drawnNetworkSpeed(const Json& topology) {
    struct Cabled {
        double accelerators = 0, bandwidth = 0;
    };
    const Json* nodes = memberOf(topology, "nodes");
    const Json* links = memberOf(topology, "links");
    if (!nodes || !nodes->is_array() || !links || !links->is_array()) return 0;
    std::unordered_map<std::string_view, Cabled> hosts;
    for (const Json& node : *nodes)
        if (const double count = numberOf(node, "count", 0); textOf(node, "kind") == "host" && count > 0) hosts[textOf(node, "id")].accelerators = count;
    for (const Json& link : *links)
        for (const char* end : {"from", "to"})
            if (const auto host = hosts.find(textOf(link, end)); host != hosts.end()) host->second.bandwidth += numberOf(link, "bandwidth_gb_s", 0) * numberOf(link, "count", 1);
    double best = 0;
    for (const auto& [id, host] : hosts) best = std::max(best, host.bandwidth / host.accelerators);
    return best;
}

std::optional<double> statedNetworkSpeed(const Json& cluster) {
    if (const Json* out = memberOf(cluster, "scale_out"))
        if (const double stated = numberOf(*out, "bandwidth_gb_s", 0); stated > 0) return stated;
    const Json* topology = memberOf(cluster, "topology");
    const double drawn = topology ? drawnNetworkSpeed(*topology) : 0;
    return drawn > 0 ? std::optional(drawn) : std::nullopt;
}

bool setNetworkSpeed(Cluster& cluster, double speed) {
    const double drawn = networkSpeed(cluster.nodes, cluster.links);
    if (!(drawn > 0)) return false;
    if (speed == drawn) return true;
    const double factor = speed / drawn;
    for (TopologyLink& link : cluster.links) link.bandwidth *= factor;
    return true;
}

} // namespace orrery
