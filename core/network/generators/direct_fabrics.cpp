// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/generators/direct_fabrics.hpp"
#include "core/base/json.hpp"
#include "core/network/generators/topology_builder.hpp"

#include <algorithm>
#include <array>

namespace orrery {
namespace {

constexpr std::array<const char*, 6> axes{"x", "y", "z", "u", "v", "w"};

/// A host has one cable for each interface; they are shared by the two directions of each dimension that has neighbours.
std::vector<int> sharedCables(const HostSpec& host, const std::vector<int>& extents) {
    const auto dimensions = std::count_if(extents.begin(), extents.end(), [](int n) { return n > 1; });
    const int each = dimensions > 0 ? std::max(1, host.interfaces() / static_cast<int>(2 * dimensions)) : 1;
    return std::vector<int>(extents.size(), each);
}

Json drawTorus(const HostSpec& host, const std::vector<int>& extents, const std::vector<int>& cables, const std::vector<bool>& wraps) {
    TopologyBuilder builder(host);
    std::vector<std::string> ids;
    std::vector<std::vector<int>> places;
    std::vector<int> at(extents.size(), 0);
    for (bool more = true; more;) {
        ids.push_back(builder.addHostAt(at));
        places.push_back(at);
        more = false;
        for (std::size_t d = 0; d < extents.size() && !more; ++d) {
            more = ++at[d] < extents[d];
            if (!more) at[d] = 0;
        }
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::size_t stride = 1;
        for (std::size_t d = 0; d < extents.size(); ++d) {
            const auto extent = static_cast<std::size_t>(extents[d]);
            const bool last = places[i][d] + 1 == extents[d];
            const bool pair = extents[d] == 2; // the ring's second link is the first one's twin
            if (extents[d] > 1 && (!last || (wraps[d] && !pair)))
                builder.link(ids[i], ids[last ? i - (extent - 1) * stride : i + stride], host.bandwidth,
                             pair && wraps[d] ? 2 * cables[d] : cables[d]);
            stride *= extent;
        }
    }
    return builder.take("dimension_order");
}

} // namespace

GeneratedTopology generateTorus(const Torus& torus) {
    ParameterChecks checks(torus.host);
    if (torus.extents.empty() || torus.extents.size() > axes.size()) checks.fail("extents", "A torus has 1 to 6 dimensions.", "Use 2 or 3.");
    if (!torus.cables.empty() && torus.cables.size() != torus.extents.size())
        checks.fail("cables", "There is a number of cables for some dimensions only.", "Give one for each.");
    if (!checks.ok()) return checks.refuse();
    double hosts = 1;
    for (std::size_t d = 0; d < torus.extents.size(); ++d) {
        checks.range(axes[d], torus.extents[d], 1, 4096);
        hosts *= std::max(1, torus.extents[d]);
    }
    for (const int count : torus.cables) checks.range("cables", count, 1, 4096);
    // No stacks here: each host has a place of its own.
    checks.size("x", hosts, hosts * static_cast<double>(torus.extents.size()), true);
    if (!checks.ok()) return checks.refuse();
    return {drawTorus(torus.host, torus.extents, torus.cables.empty() ? sharedCables(torus.host, torus.extents) : torus.cables,
                      std::vector<bool>(torus.extents.size(), torus.wrap)),
            {}};
}

GeneratedTopology generateTpuTorus(const TpuTorus& torus) {
    constexpr std::array<int, 3> hostChips{2, 2, 1};
    constexpr int ringStep = 4; // the cubes of 4 × 4 × 4 that the optical switches join
    ParameterChecks checks(torus.host);
    checks.range("accelerators", torus.host.accelerators, 4, 4);
    checks.range("chip_bandwidth_gb_s", torus.chipBandwidth, 1e-3, 1e6);
    if (torus.chips.size() != 3) checks.fail("extents", "A TPU pod has three dimensions.", "Give x, y and z.");
    if (!checks.ok()) return checks.refuse();
    std::vector<int> extents, cables;
    std::vector<bool> wraps;
    double hosts = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        checks.range(axes[d], torus.chips[d], hostChips[d], 1024);
        if (checks.ok() && torus.chips[d] % hostChips[d] != 0)
            checks.fail(axes[d], "A host has 2 × 2 × 1 chips, so " + std::string(axes[d]) + " can't be " + std::to_string(torus.chips[d]) + ".",
                        "Use " + std::to_string(torus.chips[d] + 1) + ".", torus.chips[d] + 1);
        extents.push_back(std::max(1, torus.chips[d] / hostChips[d]));
        wraps.push_back(torus.chips[d] % ringStep == 0);
        cables.push_back(4 / hostChips[d]); // a host's face has the chips that aren't along the dimension
        hosts *= extents.back();
    }
    checks.size("x", hosts, 3 * hosts, true);
    if (!checks.ok()) return checks.refuse();
    HostSpec host = torus.host;
    host.bandwidth = torus.chipBandwidth / 6;
    return {drawTorus(host, extents, cables, wraps), {}};
}

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
