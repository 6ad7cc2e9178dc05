#include "widgets/cluster/platform_generators.hpp"

#include "widgets/cluster/cluster_defaults.hpp"
#include "widgets/cluster/cluster_fragment.hpp"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr int stackSize = 32; ///< hosts of a scalable unit, drawn as one stack in a large cluster

std::string numbered(const std::string& stem, int n) { return stem + "-" + std::to_string(n); }

Json link(const std::string& from, const std::string& to, double bandwidth, double latency, int count) {
    return {{"from", from},
            {"to", to},
            {"bandwidth_gb_s", jsonNumber(bandwidth)},
            {"latency_us", jsonNumber(latency)},
            {"count", count}};
}

/// Links from a leaf up to all spines that together carry `capacity` GB/s, exactly.
void addUplinks(Json& links, const std::string& leaf, int spines, double capacity, const PlatformRequest& request) {
    const double perSpine = capacity / spines;
    const int count = std::max(1, static_cast<int>(std::lround(perSpine / request.bandwidth)));
    for (int s = 0; s < spines; ++s) links.push_back(link(leaf, numbered("spine", s), perSpine / count, request.latency, count));
}

} // namespace

PlatformRequest requestFor(const Platform& platform, int hosts, Fabric fabric) {
    PlatformRequest request;
    request.stem = hostStem(platform);
    request.accelerator = platform.accelerator;
    request.acceleratorsPerHost = platform.acceleratorsPerNode;
    request.hosts = hosts;
    request.hostsPerDomain = std::max(1, platform.scaleUpDomain / std::max(1, platform.acceleratorsPerNode));
    request.fabric = fabric;
    if (platform.scaleOutBandwidth > 0) request.bandwidth = platform.scaleOutBandwidth / 1e9;
    if (platform.scaleOutLatency > 0) request.latency = std::round(platform.scaleOutLatency * 1e9) / 1e3;
    return request;
}

Json generatePlatform(const PlatformRequest& request) {
    Json nodes = Json::array(), links = Json::array();
    const int hosts = std::max(1, request.hosts);
    const int accelerators = std::max(1, request.acceleratorsPerHost);
    const bool rails = request.fabric == Fabric::rail_optimised;
    const int perDomain = std::max(1, request.hostsPerDomain);
    const int perLeaf = request.fabric == Fabric::leaf_spine ? std::max(1, request.hostsPerLeaf) : hosts;
    int group = 1;
    if (hosts > request.drawnHosts) {
        // Not more than about sixty-four stacks, and none across a leaf or a domain.
        while (group < stackSize || group * 64 < hosts) group *= 2;
        if (perDomain > 1) group = perDomain;
        else group = std::min(group, perLeaf);
    }

    // Hosts first: ranks are numbered by their order in the file.
    struct Drawn {
        std::string id;
        int first;
        int replicas;
    };
    std::vector<Drawn> drawn;
    for (int first = 0; first < hosts;) {
        const int replicas = std::min(group, hosts - first);
        const std::string id = numbered(request.stem, static_cast<int>(drawn.size()));
        Json node{{"id", id}, {"kind", "host"}, {"accelerator", request.accelerator}, {"count", accelerators}};
        if (replicas > 1) node["replicas"] = replicas;
        if (perDomain > 1) node["domain"] = numbered("rack", first / perDomain);
        nodes.push_back(std::move(node));
        drawn.push_back({id, first, replicas});
        first += replicas;
    }
    if (hosts == 1) return makeFragment(std::move(nodes), std::move(links), {});

    const auto addSwitch = [&nodes](const std::string& id, int replicas = 1) {
        Json node{{"id", id}, {"kind", "switch"}};
        if (replicas > 1) node["replicas"] = replicas;
        nodes.push_back(std::move(node));
    };
    const double oversubscription = std::max(1.0, request.oversubscription);
    if (request.fabric == Fabric::own_leaf) {
        addSwitch("spine-0");
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            const std::string leaf = numbered("leaf", static_cast<int>(i));
            addSwitch(leaf, drawn[i].replicas); // as many as hosts: joined one to one
            links.push_back(link(drawn[i].id, leaf, request.bandwidth, request.latency, accelerators));
            links.push_back(link(leaf, "spine-0", request.bandwidth * accelerators / oversubscription, request.latency, 1));
        }
        return makeFragment(std::move(nodes), std::move(links), {});
    }

    // Rails divide a host's accelerators evenly; 5 accelerators have 5 rails, 16 have 8 with two each.
    int leaves = (hosts + perLeaf - 1) / perLeaf;
    if (rails)
        for (leaves = std::min(accelerators, 8); accelerators % leaves != 0;) --leaves;
    const int spines = leaves == 1 ? 0 : request.spines >= 0 ? request.spines : std::clamp(hosts / 8, 2, 8);
    for (int s = 0; s < spines; ++s) addSwitch(numbered("spine", s));
    for (int l = 0; l < leaves; ++l) addSwitch(numbered("leaf", l));

    for (const Drawn& host : drawn) {
        if (rails)
            for (int rail = 0; rail < leaves; ++rail)
                links.push_back(link(host.id, numbered("leaf", rail), request.bandwidth, request.latency, accelerators / leaves));
        else
            links.push_back(link(host.id, numbered("leaf", host.first / perLeaf), request.bandwidth, request.latency, accelerators));
    }
    for (int l = 0; l < leaves && spines > 0; ++l) {
        const int below = rails ? hosts : std::min(perLeaf, hosts - l * perLeaf);
        const double down = below * request.bandwidth * (rails ? accelerators / leaves : accelerators);
        addUplinks(links, numbered("leaf", l), spines, down / oversubscription, request);
    }
    return makeFragment(std::move(nodes), std::move(links), {});
}

} // namespace orrery
