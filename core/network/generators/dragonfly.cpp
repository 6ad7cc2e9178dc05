// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/dragonfly.hpp"

#include "core/network/generators/checks.hpp"
#include "core/network/generators/topology_builder.hpp"

#include <algorithm>

namespace orrery {

GeneratedTopology generateDragonfly(const Dragonfly& fly) {
    ParameterChecks checks(fly.host);
    checks.range("hosts_per_router", fly.hostsPerRouter, 1, 256);
    checks.range("routers_per_group", fly.routersPerGroup, 1, 256);
    checks.range("global_links_per_router", fly.globalLinksPerRouter, 1, 256);
    if (!checks.ok()) return checks.refuse();
    const int a = fly.routersPerGroup, h = fly.globalLinksPerRouter, most = a * h + 1;
    checks.range("groups", fly.groups, 0, most);
    if (!checks.ok()) return checks.refuse();
    const int groups = fly.groups > 0 ? fly.groups : most;
    const double routers = static_cast<double>(groups) * a;
    const double hosts = routers * fly.hostsPerRouter;
    checks.size("routers_per_group", hosts, (fly.stacks ? routers : hosts) + routers * (a - 1 + h) / 2, fly.stacks);
    if (!checks.ok()) return checks.refuse();

    TopologyBuilder builder(fly.host);
    const int cables = fly.host.interfaces();
    const auto router = [&](int group, int r) { return numbered("router", group * a + r); };
    std::vector<std::string> ids;
    const int perRouter = fly.stacks ? 1 : fly.hostsPerRouter;
    const int perDomain = fly.host.hostsPerDomain;
    int first = 0;
    for (int r = 0; r < groups * a; ++r)
        for (int i = 0; i < perRouter; ++i) {
            const int replicas = fly.stacks ? fly.hostsPerRouter : 1;
            ids.push_back(builder.addHost(replicas, perDomain > 1 ? numbered("rack", first / perDomain) : std::string()));
            first += replicas;
        }
    for (int group = 0; group < groups; ++group)
        for (int r = 0; r < a; ++r) builder.addSwitch(router(group, r), 1, numbered("group", group));
    for (std::size_t i = 0; i < ids.size(); ++i)
        builder.link(ids[i], numbered("router", static_cast<int>(i) / perRouter), fly.host.bandwidth, cables);
    for (int group = 0; group < groups; ++group)
        for (int r = 0; r < a; ++r)
            for (int other = r + 1; other < a; ++other) builder.link(router(group, r), router(group, other), fly.host.bandwidth, cables);

    // Port j of a group leads `offset` groups on in round `round`; that group's port for the way back is as far from the end.
    const int others = groups - 1;
    const int rounds = others > 0 ? a * h / others : 0;
    for (int group = 0; group < groups; ++group)
        for (int j = 0; j < rounds * others; ++j) {
            const int round = j / others, offset = j % others + 1;
            const int peer = (group + offset) % groups;
            if (peer < group) continue; // drawn from there
            const int back = round * others + (groups - offset) - 1;
            builder.link(router(group, j / h), router(peer, back / h), fly.host.bandwidth, cables);
        }
    return {builder.take(fly.valiant ? "valiant" : nullptr), {}};
}

} // namespace orrery
