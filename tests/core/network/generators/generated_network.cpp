// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/network/generators/generated_network.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <limits>

namespace orrery::test {
namespace {

bool begins(const std::string& text, const std::string& stem) { return text.compare(0, stem.size(), stem) == 0; }

} // namespace

int GeneratedNetwork::hosts() const {
    return static_cast<int>(std::count_if(machines.begin(), machines.end(), [](const Machine& m) { return m.isHost; }));
}

int GeneratedNetwork::switches(const std::string& stem) const {
    return static_cast<int>(
        std::count_if(machines.begin(), machines.end(), [&](const Machine& m) { return !m.isHost && begins(m.node, stem); }));
}

int GeneratedNetwork::cablesAt(int machine) const {
    int count = 0;
    for (const Cable& cable : cables)
        if (cable.from == machine || cable.to == machine) count += cable.count;
    return count;
}

int GeneratedNetwork::cablesBetween(const std::string& stem, const std::string& other) const {
    int count = 0;
    for (const Cable& cable : cables) {
        const std::string &a = machines[static_cast<std::size_t>(cable.from)].node, &b = machines[static_cast<std::size_t>(cable.to)].node;
        if ((begins(a, stem) && begins(b, other)) || (begins(b, stem) && begins(a, other))) count += cable.count;
    }
    return count;
}

std::vector<int> GeneratedNetwork::neighbours(int machine) const {
    std::vector<int> others;
    for (const Cable& cable : cables) {
        if (cable.from == machine) others.push_back(cable.to);
        if (cable.to == machine) others.push_back(cable.from);
    }
    return others;
}

double GeneratedNetwork::cut(const std::vector<int>& from, const std::vector<int>& to) const {
    struct Arc {
        int to;
        double room;
        std::size_t back;
    };
    const std::size_t source = machines.size(), sink = source + 1;
    std::vector<std::vector<Arc>> arcs(machines.size() + 2);
    const auto join = [&](std::size_t a, std::size_t b, double there, double back) {
        arcs[a].push_back({static_cast<int>(b), there, arcs[b].size()});
        arcs[b].push_back({static_cast<int>(a), back, arcs[a].size() - 1});
    };
    for (const Cable& cable : cables) {
        const double all = cable.bandwidth * cable.count;
        join(static_cast<std::size_t>(cable.from), static_cast<std::size_t>(cable.to), all, all);
    }
    constexpr double endless = 1e18;
    for (const int machine : from) join(source, static_cast<std::size_t>(machine), endless, 0);
    for (const int machine : to) join(static_cast<std::size_t>(machine), sink, endless, 0);

    double total = 0;
    for (;;) {
        // Shortest ways first (Dinic 1970): layers, then a blocking flow along them.
        std::vector<int> layer(arcs.size(), -1);
        std::vector<std::size_t> queue{source};
        layer[source] = 0;
        for (std::size_t next = 0; next < queue.size(); ++next)
            for (const Arc& arc : arcs[queue[next]])
                if (arc.room > 1e-6 && layer[static_cast<std::size_t>(arc.to)] < 0) {
                    layer[static_cast<std::size_t>(arc.to)] = layer[queue[next]] + 1;
                    queue.push_back(static_cast<std::size_t>(arc.to));
                }
        if (layer[sink] < 0) return total;
        std::vector<std::size_t> at(arcs.size(), 0);
        const auto push = [&](const auto& self, std::size_t node, double room) -> double {
            if (node == sink) return room;
            for (; at[node] < arcs[node].size(); ++at[node]) {
                Arc& arc = arcs[node][at[node]];
                const auto next = static_cast<std::size_t>(arc.to);
                if (arc.room <= 1e-6 || layer[next] != layer[node] + 1) continue;
                const double sent = self(self, next, std::min(room, arc.room));
                if (sent <= 1e-6) continue;
                arc.room -= sent;
                arcs[next][arc.back].room += sent;
                return sent;
            }
            return 0;
        };
        while (const double sent = push(push, source, endless)) total += sent;
    }
}

GeneratedNetwork networkOf(const Json& topology) {
    GeneratedNetwork network;
    std::map<std::string, std::pair<int, int>> first; // machine, replicas
    for (const Json& node : topology.at("nodes")) {
        const int replicas = node.value("replicas", 1);
        const auto id = node.at("id").get<std::string>();
        const bool added = first.emplace(id, std::pair(static_cast<int>(network.machines.size()), replicas)).second;
        EXPECT_TRUE(added) << id << " is there twice";
        for (int r = 0; r < replicas; ++r)
            network.machines.push_back({id, r, node.at("kind") == "host", node.value("count", 0), node.value("domain", std::string()),
                                        node.value("group", std::string()), node.value("coordinates", std::vector<int>())});
    }
    for (const Json& link : topology.at("links")) {
        const auto [a, copiesA] = first.at(link.at("from").get<std::string>());
        const auto [b, copiesB] = first.at(link.at("to").get<std::string>());
        const bool paired = copiesA == copiesB;
        EXPECT_TRUE(paired || copiesA == 1 || copiesB == 1) << link;
        for (int r = 0; r < std::max(copiesA, copiesB); ++r)
            network.cables.push_back({a + (copiesA > 1 ? r : 0), b + (copiesB > 1 ? r : 0), link.at("bandwidth_gb_s").get<double>(),
                                      link.at("count").get<int>()});
    }
    return network;
}

GeneratedNetwork networkOf(const GeneratedTopology& generated) {
    for (const Problem& problem : generated.problems) ADD_FAILURE() << toText(problem);
    return generated.ok() ? networkOf(generated.topology) : GeneratedNetwork{};
}

} // namespace orrery::test
