// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/pool_equipment.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/platform.hpp"
#include "core/operators/kernel_times.hpp"
#include "core/scenario/document/named_constants.hpp"
#include "core/scenario/document/problem_builder.hpp"
#include "core/scenario/reader/scenario_parts.hpp"
#include "core/scenario/reader/what_ifs.hpp"
#include "core/scenario/serving_workload.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace orrery {
namespace {

constexpr const char* poolsAt = "/workload/engine/disaggregation/";
constexpr const char* upRateAt = "/cluster/scale_up/bandwidth_gb_s";
constexpr const char* upLatencyAt = "/cluster/scale_up/latency_us";
constexpr const char* outRateAt = "/cluster/scale_out/bandwidth_gb_s";

/// What joins the hosts of a pool.
struct PoolFabrics {
    double upBandwidth = 0, upLatency = 0, outBandwidth = 0; ///< s, bytes/s
};

/// Host by host, replicas apart, in the cluster's order: the pool that gives it another accelerator; null: the cluster's own.
using HostPools = std::vector<const ServingPool*>;

HostPools poolsOfHosts(const Cluster& cluster, const Disaggregation& pools) {
    HostPools found;
    int first = 0;
    for (const TopologyNode& node : cluster.nodes)
        for (int replica = 0; node.kind == NodeKind::host && replica < node.replicas; ++replica, first += node.count) {
            found.push_back(nullptr);
            pools.eachPool([&](const char*, const ServingPool& pool) {
                for (const AcceleratorRange& range : pool.places)
                    if (pool.accelerator && range.first < first + node.count && first < range.first + range.count) found.back() = &pool;
            });
        }
    return found;
}

/// Cuts a node of several replicas into nodes of as many as `runs` says, in place; its links and what-ifs follow. The first keeps the id.
void cutNode(Cluster& cluster, std::size_t index, const std::vector<int>& runs) {
    const TopologyNode whole = cluster.nodes[index];
    std::vector<TopologyNode> parts;
    for (const int run : runs) {
        parts.push_back(whole);
        parts.back().replicas = run;
        if (parts.size() > 1) parts.back().id = whole.id + "." + std::to_string(parts.size() - 1);
    }
    cluster.nodes.erase(cluster.nodes.begin() + static_cast<std::ptrdiff_t>(index));
    cluster.nodes.insert(cluster.nodes.begin() + static_cast<std::ptrdiff_t>(index), parts.begin(), parts.end());
    const std::vector<TopologyLink> links = std::exchange(cluster.links, {});
    for (const TopologyLink& link : links) {
        if (link.from != whole.id && link.to != whole.id) {
            cluster.links.push_back(link);
            continue;
        }
        for (const TopologyNode& part : parts) {
            cluster.links.push_back(link);
            (link.from == whole.id ? cluster.links.back().from : cluster.links.back().to) = part.id;
        }
    }
    const std::vector<LinkChange> changes = std::exchange(cluster.changes, {});
    for (const LinkChange& change : changes) {
        int before = 0;
        for (const TopologyNode& part : parts) {
            LinkChange own = change;
            if (change.from == whole.id) own.from = part.id;
            if (change.to == whole.id) own.to = part.id;
            const bool names = change.from == whole.id || change.to == whole.id, here = change.replica >= before && change.replica < before + part.replicas;
            if (names && change.replica >= 0) own.replica = change.replica - before;
            if (!names || change.replica < 0 || here) cluster.changes.push_back(std::move(own));
            before += part.replicas;
            if (!names) break;
        }
    }
}

/// Lengths of runs of hosts alike.
std::vector<int> runsOf(HostPools::const_iterator begin, HostPools::const_iterator end) {
    std::vector<int> runs;
    for (auto host = begin; host != end; ++host) {
        if (host != begin && *host == *std::prev(host)) ++runs.back();
        else runs.push_back(1);
    }
    return runs;
}

/// Tells hosts of a short form apart that pools give different accelerators. A blocking leaf belongs to its host, and is cut with it.
void cutHosts(Cluster& cluster, const HostPools& pools) {
    std::ptrdiff_t first = 0;
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        if (cluster.nodes[i].kind != NodeKind::host) continue;
        const TopologyNode node = cluster.nodes[i];
        const std::vector<int> runs = runsOf(pools.begin() + first, pools.begin() + first + node.replicas);
        first += node.replicas;
        if (runs.size() == 1) continue;
        std::string leaf;
        for (const TopologyLink& link : cluster.links)
            if (link.from == node.id) leaf = link.to;
        cutNode(cluster, i, runs);
        i += runs.size() - 1;
        const auto paired = std::find_if(cluster.nodes.begin(), cluster.nodes.end(), [&](const TopologyNode& other) { return other.id == leaf && other.replicas == node.replicas; });
        if (paired == cluster.nodes.end() || paired->replicas == 1) continue;
        const auto at = static_cast<std::size_t>(paired - cluster.nodes.begin());
        // Each part of the host has its own part of the leaf: the other links between them are not there.
        cutNode(cluster, at, runs);
        if (at < i) i += runs.size() - 1;
        std::erase_if(cluster.links, [&](const TopologyLink& link) {
            const auto part = [](const std::string& id, const std::string& whole) { return id.starts_with(whole) ? id.substr(whole.size()) : std::string("?"); };
            const std::string host = part(link.from, node.id), below = part(link.to, leaf);
            return host != "?" && below != "?" && host != below;
        });
    }
}

PoolFabrics fabricsOf(const ServingPool& pool, const std::string& at, const Cluster& cluster, const Json& given, FilledDocument& document, const Catalog& catalog,
                      Problems& problems) {
    const UsualFabrics usual = usualFabrics(*pool.accelerator, catalog);
    const auto states = [&](const char* pointer) { return given.contains(Json::json_pointer(pointer)); };
    PoolFabrics fabrics{cluster.scaleUpBandwidth, cluster.scaleUpLatency, document.number(outRateAt) * units::gigabyte};
    if (!states(upRateAt)) {
        fabrics.upBandwidth = usual.scaleUpBandwidth;
        document.assume(at + "/accelerator/scale_up_bandwidth_gb_s", inUnit(usual.scaleUpBandwidth, units::gigabyte), usual.scaleUpWhy);
    }
    if (!states(upLatencyAt)) fabrics.upLatency = usual.scaleUpLatency;
    if (!cluster.drawn && !states(outRateAt)) {
        fabrics.outBandwidth = usual.scaleOutBandwidth;
        document.assume(at + "/accelerator/scale_out_bandwidth_gb_s", inUnit(usual.scaleOutBandwidth, units::gigabyte), usual.scaleOutWhy);
    }
    if (fabrics.upBandwidth <= 0)
        problems.push_back(error("missing-key", upRateAt, "No platform tells the scale_up bandwidth of " + pool.accelerator->id + ".").mend("Give bandwidth_gb_s, GB/s per accelerator and direction."));
    if (!cluster.drawn && fabrics.outBandwidth <= 0)
        problems.push_back(error("missing-key", outRateAt, "No platform tells the scale_out bandwidth of " + pool.accelerator->id + ".").mend("Give bandwidth_gb_s, GB/s per accelerator and direction."));
    return fabrics;
}

} // namespace

void joinPools(Cluster& cluster, const Disaggregation& pools, const Json& given, FilledDocument& document, const Catalog& catalog, Problems& problems) {
    bool anyOther = false;
    pools.eachPool([&](const char*, const ServingPool& pool) { anyOther = anyOther || pool.accelerator; });
    if (!anyOther) return;
    const HostPools ofHosts = poolsOfHosts(cluster, pools);
    if (!cluster.drawn) cutHosts(cluster, ofHosts);
    pools.eachPool([&](const char* key, const ServingPool& pool) {
        if (!pool.accelerator) return;
        const PoolFabrics fabrics = fabricsOf(pool, poolsAt + std::string(key), cluster, given, document, catalog, problems);
        std::size_t host = 0;
        for (TopologyNode& node : cluster.nodes) {
            if (node.kind != NodeKind::host) continue;
            const bool own = ofHosts[host] == &pool;
            host += static_cast<std::size_t>(node.replicas);
            if (!own) continue;
            node.accelerator = pool.accelerator->id;
            node.scaleUpBandwidth = fabrics.upBandwidth;
            node.scaleUpLatency = fabrics.upLatency;
            if (cluster.drawn) continue;
            node.domain.clear(); // what the short form says of domains is said of its own accelerator
            for (TopologyLink& link : cluster.links)
                if (link.from == node.id) link.bandwidth = fabrics.outBandwidth;
        }
    });
}

void equipPools(Scenario& scenario, FilledDocument& document, const Catalog& catalog) {
    auto* serving = std::get_if<ServingWorkload>(&scenario.workload);
    if (!serving || !serving->disaggregation) return;
    serving->disaggregation->eachPool([&](const char*, ServingPool& pool) {
        if (!pool.accelerator) return;
        PoolHardware hardware;
        hardware.kernels = readConstants(document, catalog.kernels(*pool.accelerator), scenario.execution);
        if (const Catalog::OperatorTimes& tables = catalog.operatorTimes(); tables.predictor || tables.measured)
            hardware.kernelTimes = std::make_shared<const KernelTimes>(*pool.accelerator, catalog, tables.predictor, tables.measured, kernelsOf(scenario.execution.profile));
        hardware.library = readLibrary(document, catalog, *pool.accelerator);
        const int first = pool.places.front().first;
        int before = 0;
        for (const TopologyNode& node : scenario.cluster.nodes) {
            if (node.kind != NodeKind::host) continue;
            const int after = before + node.count * node.replicas;
            if (first >= before && first < after) {
                hardware.scaleUpBandwidth = node.scaleUpBandwidth;
                hardware.scaleUpLatency = node.scaleUpLatency;
            }
            before = after;
        }
        hardware.usualScaleUpLatency = inUnit(usualFabrics(*pool.accelerator, catalog).scaleUpLatency, units::microsecond) * units::microsecond;
        pool.hardware = std::make_shared<const PoolHardware>(std::move(hardware));
    });
    for (Assumption& assumption : document.takeAssumptions()) {
        const bool listed = std::any_of(scenario.assumed.begin(), scenario.assumed.end(), [&](const Assumption& other) { return other.pointer == assumption.pointer; });
        if (!listed) scenario.assumed.push_back(std::move(assumption));
    }
}

} // namespace orrery
