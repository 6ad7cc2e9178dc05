// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/one_hop.hpp"

#include "core/network/generators/checks.hpp"
#include "core/network/generators/superpod.hpp"
#include "core/network/generators/topology_builder.hpp"
#include "core/network/short_form.hpp"

#include <algorithm>

namespace orrery {
namespace {

constexpr int stackSize = 32;
constexpr int mostStacks = 64;

} // namespace

GeneratedTopology generateOneHop(const OneHop& cluster) {
    ParameterChecks checks(cluster.host, 0); // of an accelerator that nobody knows; the drawing's checks will say so
    checks.range("hosts", cluster.hosts, 1, 4e6);
    checks.range("oversubscription", cluster.oversubscription, 1, 1e4);
    checks.size("hosts", cluster.hosts, 0, true);
    if (!checks.ok()) return checks.refuse();
    const HostSpec& host = cluster.host;
    const int perDomain = std::max(1, host.hostsPerDomain);
    int group = 1; // hosts of one stack, whole domains where hosts share one
    if (cluster.hosts > cluster.drawnHosts) {
        while (group < stackSize || group * mostStacks < cluster.hosts) group *= 2;
        if (perDomain > 1) group = perDomain;
    }
    TopologyBuilder builder(host);
    struct Stack {
        std::string id;
        int replicas;
    };
    std::vector<Stack> stacks;
    const std::vector<int> held = hostsByDomain(cluster.hosts, perDomain > 1 ? perDomain : cluster.hosts);
    for (std::size_t domain = 0; domain < held.size(); ++domain)
        for (int first = 0; first < held[domain]; first += stacks.back().replicas) {
            const int replicas = std::min(group, held[domain] - first);
            stacks.push_back({builder.addHost(replicas, perDomain > 1 ? numbered("rack", static_cast<int>(domain)) : std::string()), replicas});
        }
    if (cluster.hosts == 1) return {builder.take(), {}};

    if (cluster.fabric == OneHopFabric::own_leaf) {
        builder.addSwitch("spine-0");
        const double up = host.bandwidth * host.interfaces() / cluster.oversubscription;
        for (std::size_t i = 0; i < stacks.size(); ++i) {
            const std::string leaf = numbered("leaf", static_cast<int>(i));
            builder.addSwitch(leaf, stacks[i].replicas); // as many as hosts: joined one to one
            builder.link(stacks[i].id, leaf, host.bandwidth, host.interfaces());
            builder.link(leaf, "spine-0", up, 1);
        }
        return {builder.take(), {}};
    }
    const int leaves = cluster.fabric == OneHopFabric::rail_optimised ? railsOf(host) : 1;
    for (int l = 0; l < leaves; ++l) builder.addSwitch(numbered("leaf", l));
    for (const Stack& stack : stacks)
        for (int l = 0; l < leaves; ++l) builder.link(stack.id, numbered("leaf", l), host.bandwidth, host.interfaces() / leaves);
    return {builder.take(), {}};
}

} // namespace orrery
