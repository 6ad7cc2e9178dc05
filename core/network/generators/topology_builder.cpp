// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/topology_builder.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// 50, not 50.0.
Json compact(double value) {
    if (value == std::round(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
    return value;
}

} // namespace

std::string numbered(const std::string& stem, int n) { return stem + "-" + std::to_string(n); }

std::string TopologyBuilder::addHost(int replicas, const std::string& domain) {
    std::string id = numbered(host_.stem, hosts_++);
    Json node{{"id", id}, {"kind", "host"}, {"accelerator", host_.accelerator}, {"count", host_.accelerators}};
    if (replicas > 1) node["replicas"] = replicas;
    if (!domain.empty()) node["domain"] = domain;
    nodes_.push_back(std::move(node));
    return id;
}

std::string TopologyBuilder::addHostAt(const std::vector<int>& coordinates) {
    std::string id = addHost();
    nodes_.back()["coordinates"] = coordinates;
    return id;
}

void TopologyBuilder::addSwitch(const std::string& id, int replicas, const std::string& group) {
    Json node{{"id", id}, {"kind", "switch"}};
    if (replicas > 1) node["replicas"] = replicas;
    if (!group.empty()) node["group"] = group;
    nodes_.push_back(std::move(node));
}

void TopologyBuilder::link(const std::string& from, const std::string& to, double bandwidth, int count) {
    Json link{{"from", from}, {"to", to}, {"bandwidth_gb_s", compact(bandwidth)}};
    if (host_.latency) link["latency_us"] = compact(*host_.latency);
    link["count"] = count;
    links_.push_back(std::move(link));
}

void TopologyBuilder::fanOut(const std::string& from, const std::vector<std::string>& to, double cables, double bandwidth, bool exact) {
    const double each = cables / static_cast<double>(to.size());
    // A hair under a whole number is that number: 32/1.6 cables are 20.
    const int count = std::max(1, static_cast<int>(std::ceil(each - 1e-9)));
    const double rate = exact && std::abs(each - count) > 1e-9 ? bandwidth * each / count : bandwidth;
    for (const std::string& above : to) link(from, above, rate, count);
}

Json TopologyBuilder::take(const char* routing) {
    Json topology = Json::object();
    if (routing) topology["routing"] = routing;
    topology["nodes"] = std::move(nodes_);
    topology["links"] = std::move(links_);
    return topology;
}

} // namespace orrery
