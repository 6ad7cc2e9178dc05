// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/reader/cluster_reader.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/platform.hpp"
#include "core/catalog/technology_design.hpp"
#include "core/network/checks.hpp"
#include "core/network/network_speed.hpp"
#include "core/network/short_form.hpp"
#include "core/scenario/document/named_files.hpp"
#include "core/scenario/document/problem_builder.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// The most accelerators a cluster may have: ranks are counted in 32 bits, and nobody owns more.
constexpr double mostAccelerators = 4e6;

/// Fills what the two fabrics leave out; the reasons name the platform.
void fillFabrics(FilledDocument& document, const Accelerator& accelerator, const Platform* platform, const UsualFabrics& usual, bool drawn) {
    const auto fillRate = [&](const std::string& pointer, double bytes, const std::string& why) {
        if (bytes > 0) document.fill(pointer, inUnit(bytes, units::gigabyte), why);
    };
    fillRate("/cluster/scale_up/bandwidth_gb_s", usual.scaleUpBandwidth, usual.scaleUpWhy);
    document.fill("/cluster/scale_up/latency_us", inUnit(usual.scaleUpLatency, units::microsecond), usual.latencyWhy);
    if (drawn) return;
    // A TPU's host is no border: the pod's interconnect joins the chips directly.
    const bool pod = platform && accelerator.vendor == "Google";
    document.fill("/cluster/scale_up/domain_size", pod ? platform->scaleUpDomain : document.integer("/cluster/accelerators_per_node"),
                  pod ? usual.latencyWhy : "one node");
    fillRate("/cluster/scale_out/bandwidth_gb_s", usual.scaleOutBandwidth, usual.scaleOutWhy);
    document.fill("/cluster/scale_out/latency_us", inUnit(usual.scaleOutLatency, units::microsecond), usual.latencyWhy);
    document.fill("/cluster/scale_out/oversubscription", 1, "a fabric with full bisection bandwidth");
}

/// A fabric key that means nothing where it stands.
void warnOfIdleKey(const FilledDocument& document, const std::string& pointer, const std::string& why, Problems& problems) {
    if (!document.has(pointer)) return;
    problems.push_back(warning("no-effect", pointer, why).mend("Remove it.").edit(pointer, nullptr));
}

bool fabricKnown(const FilledDocument& document, const std::string& fabric, const std::string& accelerator, Problems& problems) {
    const std::string pointer = "/cluster/" + fabric + "/bandwidth_gb_s";
    if (document.number(pointer) > 0) return true;
    problems.push_back(error("missing-key", pointer, "No platform tells the " + fabric + " bandwidth of " + accelerator + ".")
                           .mend("Give bandwidth_gb_s, GB/s per accelerator and direction."));
    return false;
}

bool sizeIsSane(double accelerators, const std::string& pointer, Problems& problems) {
    if (accelerators <= mostAccelerators) return true;
    problems.push_back(error("out-of-range", pointer, "A cluster of " + formatNumber(accelerators) + " accelerators is larger than any.")
                           .mend("Use up to " + formatNumber(mostAccelerators) + "."));
    return false;
}

std::optional<Cluster> readShortForm(FilledDocument& document, const Catalog& catalog, Problems& problems) {
    warnOfIdleKey(document, "/cluster/scale_out/domain_size", "domain_size is a property of the scale-up fabric.", problems);
    warnOfIdleKey(document, "/cluster/scale_up/oversubscription", "Only the scale-out network can be oversubscribed.", problems);
    const auto accelerator = readAcceleratorAt(document, "/cluster/accelerator", catalog, problems);
    if (!accelerator) return std::nullopt;
    const Platform* platform = catalog.usualPlatform(accelerator->id);
    const int perNodeDefault = platform ? platform->acceleratorsPerNode : 8;
    document.fill("/cluster/accelerators_per_node", perNodeDefault,
                  platform ? "usual platform of " + accelerator->id + ": " + platform->name : "most nodes have 8");
    const int perNode = document.integer("/cluster/accelerators_per_node");
    const int nodes = document.integer("/cluster/nodes");
    if (!sizeIsSane(static_cast<double>(perNode) * nodes, "/cluster/nodes", problems)) return std::nullopt;
    const UsualFabrics usual = usualFabrics(*accelerator, catalog);
    fillFabrics(document, *accelerator, platform, usual, false);

    const int domain = document.integer("/cluster/scale_up/domain_size");
    const bool wholeNodes = domain % perNode == 0;
    const bool wholeParts = domain < perNode && perNode % domain == 0;
    if (!wholeNodes && !wholeParts) {
        const int mended = std::max(1, domain / perNode) * perNode;
        problems.push_back(error("domain-not-whole-nodes", "/cluster/scale_up/domain_size",
                                 "A scale-up domain of " + counted(domain, "accelerator") + " does not hold whole nodes of " +
                                     std::to_string(perNode) + ".")
                               .mend("Use " + std::to_string(mended) + ".")
                               .edit("/cluster/scale_up/domain_size", mended));
        return std::nullopt;
    }
    const std::int64_t total = static_cast<std::int64_t>(perNode) * nodes;
    const bool scaleUpUsed = domain > 1 && total > 1;
    const bool scaleOutUsed = total > domain;
    if (scaleUpUsed && !fabricKnown(document, "scale_up", accelerator->id, problems)) return std::nullopt;
    if (scaleOutUsed && !fabricKnown(document, "scale_out", accelerator->id, problems)) return std::nullopt;

    ScaleUp up;
    up.bandwidth = document.number("/cluster/scale_up/bandwidth_gb_s") * units::gigabyte;
    up.latency = document.number("/cluster/scale_up/latency_us") * units::microsecond;
    up.domainSize = domain;
    ScaleOut out;
    out.bandwidth = document.number("/cluster/scale_out/bandwidth_gb_s") * units::gigabyte;
    out.latency = document.number("/cluster/scale_out/latency_us") * units::microsecond;
    out.oversubscription = document.number("/cluster/scale_out/oversubscription", 1);
    Cluster cluster = expandShortForm(*accelerator, perNode, nodes, up, out);
    cluster.usualScaleUpLatency = inUnit(usual.scaleUpLatency, units::microsecond) * units::microsecond;
    return cluster;
}

/// The first host's accelerator, which all carry unless pools may have their own; hosts without one take the cluster's.
std::optional<Accelerator> readHostAccelerator(FilledDocument& document, const Catalog& catalog, Problems& problems) {
    const Json nodes = *document.find("/cluster/topology/nodes");
    std::string firstAt;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].at("kind") != Json(wordOf(NodeKind::host))) continue;
        const std::string own = "/cluster/topology/nodes/" + std::to_string(i) + "/accelerator";
        const std::string at = document.has(own) ? own : "/cluster/accelerator";
        if (!document.has(at)) {
            problems.push_back(error("missing-key", own, "Host \"" + nodes[i].at("id").get<std::string>() + "\" names no accelerator.")
                                   .mend("Add \"accelerator\", an id of the catalogue."));
            return std::nullopt;
        }
        if (firstAt.empty()) {
            firstAt = at;
        } else if (!document.has("/workload/engine/disaggregation") && *document.find(at) != *document.find(firstAt)) {
            const Json first = *document.find(firstAt);
            problems.push_back(error("not-supported-yet", at, "Hosts with different accelerators in one cluster are not supported yet.")
                                   .mend(first.is_string() ? "Use " + first.get<std::string>() + " here too." : "Use one kind for all hosts.")
                                   .edit(at, first));
            return std::nullopt;
        }
    }
    if (firstAt.empty()) {
        problems.push_back(error("no-host", "/cluster/topology/nodes", "The drawing has no host.").mend("Add a host with accelerators."));
        return std::nullopt;
    }
    return readAcceleratorAt(document, firstAt, catalog, problems);
}

/// The id of what a host carries.
std::string drawnAccelerator(const FilledDocument& document, const std::string& nodeAt, const std::string& usual) {
    const Json* own = document.find(nodeAt + "/accelerator");
    if (!own) own = document.find("/cluster/accelerator");
    if (own && own->is_string()) return own->get<std::string>();
    return own && own->is_object() ? own->value("id", usual) : usual;
}

void readTraffic(const FilledDocument& document, Cluster& cluster) {
    cluster.routing = document.word("/cluster/topology/routing", RoutingKind::shortest);
    const std::string trafficAt = "/cluster/topology/traffic";
    const std::size_t demands = document.has(trafficAt) ? document.find(trafficAt)->size() : 0;
    for (std::size_t i = 0; i < demands; ++i) {
        const std::string at = trafficAt + "/" + std::to_string(i);
        TrafficDemand demand;
        demand.name = document.text(at + "/name");
        demand.from = document.text(at + "/from");
        demand.to = document.text(at + "/to");
        demand.bandwidth = document.number(at + "/bandwidth_gb_s") * units::gigabyte;
        cluster.traffic.push_back(std::move(demand));
    }
}

std::optional<Cluster> readDrawnForm(FilledDocument& document, const Catalog& catalog, Problems& problems) {
    warnOfIdleKey(document, "/cluster/scale_up/domain_size", "In a drawing the domain of each host says who shares a fabric.", problems);
    warnOfIdleKey(document, "/cluster/scale_up/oversubscription", "In a drawing the links say what is oversubscribed.", problems);
    const auto accelerator = readHostAccelerator(document, catalog, problems);
    if (!accelerator) return std::nullopt;
    const Platform* platform = catalog.usualPlatform(accelerator->id);
    const UsualFabrics usual = usualFabrics(*accelerator, catalog);
    fillFabrics(document, *accelerator, platform, usual, true);
    const std::string why = platform ? "usual platform of " + accelerator->id + ": " + platform->name : "no platform is known";

    Cluster cluster;
    cluster.drawn = true;
    cluster.accelerator = *accelerator;
    double total = 0;
    const std::string nodesAt = "/cluster/topology/nodes";
    for (std::size_t i = 0; i < document.find(nodesAt)->size(); ++i) {
        const std::string at = nodesAt + "/" + std::to_string(i);
        TopologyNode node;
        node.id = document.text(at + "/id");
        node.kind = document.word(at + "/kind", NodeKind::switch_);
        node.replicas = document.integer(at + "/replicas", 1);
        if (node.kind == NodeKind::host) {
            document.fill(at + "/count", platform ? platform->acceleratorsPerNode : 8, why);
            node.accelerator = drawnAccelerator(document, at, accelerator->id);
            if (node.accelerator != accelerator->id) cluster.mixesAccelerators = true;
            node.count = document.integer(at + "/count");
            node.domain = document.text(at + "/domain");
            node.pcieBandwidth = document.number(at + "/pcie_bandwidth_gb_s") * units::gigabyte;
            node.acceleratorsPerPcieSwitch = document.integer(at + "/accelerators_per_pcie_switch", 1);
            total += static_cast<double>(node.count) * node.replicas;
        }
        node.group = document.text(at + "/group");
        if (const Json* coordinates = document.find(at + "/coordinates")) node.coordinates = coordinates->get<std::vector<int>>();
        cluster.nodes.push_back(std::move(node));
    }
    if (!sizeIsSane(total, nodesAt, problems)) return std::nullopt;
    const std::string linksAt = "/cluster/topology/links";
    const std::size_t links = document.has(linksAt) ? document.find(linksAt)->size() : 0;
    const double latencyUs = inUnit(usual.scaleOutLatency, units::microsecond);
    for (std::size_t i = 0; i < links; ++i) {
        const std::string at = linksAt + "/" + std::to_string(i);
        document.fill(at + "/latency_us", latencyUs, why);
        TopologyLink link;
        link.from = document.text(at + "/from");
        link.to = document.text(at + "/to");
        link.bandwidth = document.number(at + "/bandwidth_gb_s") * units::gigabyte;
        link.latency = document.number(at + "/latency_us") * units::microsecond;
        link.count = document.integer(at + "/count", 1);
        cluster.links.push_back(std::move(link));
    }
    for (const char* key : {"latency_us", "domain_size", "oversubscription"})
        warnOfIdleKey(document, std::string("/cluster/scale_out/") + key, "A drawing's links and hosts say this.", problems);
    const char* speed = "/cluster/scale_out/bandwidth_gb_s";
    if (document.has(speed) && !setNetworkSpeed(cluster, document.number(speed) * units::gigabyte))
        warnOfIdleKey(document, speed, "No drawn host is cabled to a network.", problems);
    if (total > 1 && !fabricKnown(document, "scale_up", accelerator->id, problems)) return std::nullopt;
    cluster.scaleUpBandwidth = document.number("/cluster/scale_up/bandwidth_gb_s") * units::gigabyte;
    cluster.scaleUpLatency = document.number("/cluster/scale_up/latency_us") * units::microsecond;
    cluster.usualScaleUpLatency = inUnit(usual.scaleUpLatency, units::microsecond) * units::microsecond;
    readTraffic(document, cluster);
    return cluster;
}

/// What nodes are called where they are drawn.
NodeLabels drawnLabels(const FilledDocument& document) {
    const std::string nodesAt = "/cluster/topology/nodes";
    NodeLabels labels;
    for (std::size_t i = 0; document.has(nodesAt) && i < document.find(nodesAt)->size(); ++i) {
        const std::string at = nodesAt + "/" + std::to_string(i);
        if (document.has(at + "/label")) labels.try_emplace(document.text(at + "/id"), document.text(at + "/label"));
    }
    return labels;
}

} // namespace

std::optional<Accelerator> readAcceleratorAt(const FilledDocument& document, const std::string& pointer, const Catalog& catalog,
                                             Problems& problems) {
    const Json& value = *document.find(pointer);
    if (value.is_object()) return readAccelerator(value, catalog, pointer, problems);
    const std::string& id = value.get_ref<const std::string&>();
    if (const Accelerator* known = catalog.accelerator(id)) return *known;
    problems.push_back(unknownEntry("unknown-accelerator", pointer, "accelerator", id, catalog.accelerators()));
    return std::nullopt;
}

std::optional<Cluster> readCluster(FilledDocument& document, const Catalog& catalog, Problems& problems) {
    const bool drawn = document.has("/cluster/topology");
    Problems found;
    std::optional<Cluster> cluster = drawn ? readDrawnForm(document, catalog, found) : readShortForm(document, catalog, found);
    if (cluster && drawn) {
        const Problems topology = checkTopology(*cluster, "/cluster/topology", drawnLabels(document));
        found.insert(found.end(), topology.begin(), topology.end());
    }
    if (hasErrors(found)) cluster.reset();
    if (cluster && document.has("/cluster/accelerator"))
        for (const DerivedField& field : fieldsByTechnology(*document.find("/cluster/accelerator"), catalog))
            document.assume("/cluster/accelerator" + field.pointer, *field.value, field.why);
    problems.insert(problems.end(), found.begin(), found.end());
    return cluster;
}

} // namespace orrery
