// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/reachability.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace orrery {
namespace {

int rootOf(std::vector<int>& parent, int node) {
    int root = node;
    while (parent[static_cast<std::size_t>(root)] != root) root = parent[static_cast<std::size_t>(root)];
    while (parent[static_cast<std::size_t>(node)] != root) node = std::exchange(parent[static_cast<std::size_t>(node)], root);
    return root;
}

bool shareOne(const std::vector<int>& a, const std::vector<int>& b, const std::vector<bool>& whole, bool orAny) {
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (*i < *j) ++i;
        else if (*j < *i) ++j;
        else if (orAny || whole[static_cast<std::size_t>(*i)]) return true;
        else ++i, ++j;
    }
    return false;
}

} // namespace

Reachability::Reachability(const Cluster& cluster) : cluster_(cluster) {
    const std::size_t count = cluster.nodes.size();
    std::unordered_map<std::string_view, int> byId;
    for (std::size_t i = 0; i < count; ++i) byId.emplace(cluster.nodes[i].id, static_cast<int>(i));
    std::vector<std::pair<int, int>> links;
    std::vector<bool> atSwitch(count, false);
    for (const TopologyLink& link : cluster.links) {
        const auto from = byId.find(link.from), to = byId.find(link.to);
        if (from == byId.end() || to == byId.end() || from == to) continue;
        links.emplace_back(from->second, to->second);
        for (const auto& [node, other] : {links.back(), std::pair(links.back().second, links.back().first)})
            if (cluster.nodes[static_cast<std::size_t>(other)].kind == NodeKind::switch_) atSwitch[static_cast<std::size_t>(node)] = true;
    }
    const auto isForwarder = [&](int node) {
        return cluster.nodes[static_cast<std::size_t>(node)].kind == NodeKind::switch_ || !atSwitch[static_cast<std::size_t>(node)];
    };

    // A union of drawn nodes does for their replicas too: without a single node among them all have equally many and every
    // link is pairwise, so that replica i of each makes a part of its own; a single one joins them all.
    std::vector<int> parent(count);
    std::iota(parent.begin(), parent.end(), 0);
    for (const auto& [from, to] : links)
        if (isForwarder(from) && isForwarder(to)) parent[static_cast<std::size_t>(rootOf(parent, from))] = rootOf(parent, to);
    part_.assign(count, -1);
    parts_.resize(count);
    std::vector<int> partOfRoot(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
        if (!isForwarder(static_cast<int>(i))) continue;
        int& part = partOfRoot[static_cast<std::size_t>(rootOf(parent, static_cast<int>(i)))];
        if (part < 0) {
            part = static_cast<int>(whole_.size());
            whole_.push_back(false);
        }
        part_[i] = part;
        parts_[i].push_back(part);
        if (cluster.nodes[i].replicas == 1) whole_[static_cast<std::size_t>(part)] = true;
    }
    direct_.resize(count);
    for (const auto& [from, to] : links) {
        const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
        if (part_[a] < 0 && part_[b] < 0) {
            direct_[a].push_back(to);
            direct_[b].push_back(from);
        } else {
            if (part_[a] < 0) parts_[a].push_back(part_[b]);
            if (part_[b] < 0) parts_[b].push_back(part_[a]);
        }
    }
    for (std::vector<std::vector<int>>* lists : {&parts_, &direct_})
        for (std::vector<int>& list : *lists) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }

    std::map<std::string_view, std::pair<int, std::int64_t>> domains; // number, hosts
    for (const TopologyNode& node : cluster.nodes)
        if (node.kind == NodeKind::host && !node.domain.empty())
            domains.try_emplace(node.domain, static_cast<int>(domains.size()), 0).first->second.second += node.replicas;
    domain_.assign(count, -1);
    using Signature = std::tuple<std::vector<int>, std::vector<int>, int, bool, int>;
    std::map<Signature, std::size_t> known;
    for (std::size_t i = 0; i < count; ++i) {
        const TopologyNode& node = cluster.nodes[i];
        if (node.kind != NodeKind::host) continue;
        if (!node.domain.empty() && domains[node.domain].second > 1) domain_[i] = domains[node.domain].first;
        // Hosts with cables of their own to other hosts are each a class; that is rare.
        const Signature signature{parts_[i], direct_[i], domain_[i], node.replicas > 1, direct_[i].empty() ? -1 : static_cast<int>(i)};
        const auto [entry, added] = known.emplace(signature, classes_.size());
        if (added) classes_.emplace_back();
        HostClass& own = classes_[entry->second];
        own.hosts.push_back(static_cast<int>(i));
        own.replicas += node.replicas;
    }
}

bool Reachability::allMeet() const {
    if (classes_.empty()) return true;
    std::vector<int> common;
    for (const int part : parts_[static_cast<std::size_t>(classes_.front().hosts.front())])
        if (whole_[static_cast<std::size_t>(part)]) common.push_back(part);
    for (const HostClass& c : classes_) {
        const std::vector<int>& own = parts_[static_cast<std::size_t>(c.hosts.front())];
        std::erase_if(common, [&](int part) { return !std::binary_search(own.begin(), own.end(), part); });
    }
    return !common.empty();
}

bool Reachability::reaches(int host, int other) const {
    const auto a = static_cast<std::size_t>(host), b = static_cast<std::size_t>(other);
    const bool oneEach = cluster_.nodes[a].replicas == 1 || cluster_.nodes[b].replicas == 1;
    if (a == b && cluster_.nodes[a].replicas == 1) return true;
    if (domain_[a] >= 0 && domain_[a] == domain_[b]) return true;
    // Part i of several side by side is all that replica i of a host is on; a single host is on each of them.
    if (shareOne(parts_[a], parts_[b], whole_, oneEach && a != b)) return true;
    return oneEach && std::binary_search(direct_[a].begin(), direct_[a].end(), other);
}

} // namespace orrery
