// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/document/short_form_drawing.hpp"

#include "core/base/json.hpp"
#include "core/base/units.hpp"
#include "core/catalog/catalog.hpp"
#include "core/catalog/platform.hpp"
#include "core/network/generators/clos_fabrics.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

constexpr int mostNodes = 100000; ///< as the schema allows

double numberFrom(const Json& object, const char* group, const char* key, double least, double otherwise) {
    const auto inner = object.find(group);
    if (inner == object.end() || !inner->is_object()) return otherwise;
    const auto it = inner->find(key);
    if (it == inner->end() || !it->is_number()) return otherwise;
    const double value = it->get<double>();
    return std::isfinite(value) && value >= least ? value : otherwise;
}

double positiveNumber(const Json& object, const char* group, const char* key, double otherwise) {
    return numberFrom(object, group, key, std::numeric_limits<double>::min(), otherwise);
}

int positiveInteger(const Json& object, const char* key, int otherwise) {
    const auto it = object.find(key);
    if (it == object.end() || !it->is_number()) return otherwise;
    const double value = it->get<double>();
    return std::isfinite(value) && value >= 1 && value <= mostNodes ? static_cast<int>(value) : otherwise;
}

} // namespace

std::optional<ShortForm> readShortForm(const Json& cluster, const Catalog& catalog) {
    if (!cluster.is_object() || cluster.contains("topology")) return std::nullopt;
    const auto it = cluster.find("accelerator");
    if (it == cluster.end()) return std::nullopt;
    ShortForm form;
    std::optional<Accelerator> accelerator;
    if (it->is_string()) {
        form.accelerator = it->get<std::string>();
        if (const Accelerator* known = catalog.accelerator(form.accelerator)) accelerator = *known;
    } else if (it->is_object()) {
        Problems ignored; // the scenario's reader reports them
        accelerator = readAccelerator(*it, catalog, "/cluster/accelerator", ignored);
        if (accelerator) form.accelerator = accelerator->id;
    } else {
        return std::nullopt;
    }
    if (const Platform* platform = catalog.usualPlatform(form.accelerator)) form.acceleratorsPerNode = platform->acceleratorsPerNode;
    if (accelerator) {
        const UsualFabrics usual = usualFabrics(*accelerator, catalog);
        form.scaleUpBandwidth = inUnit(usual.scaleUpBandwidth, units::gigabyte);
        form.scaleUpLatency = inUnit(usual.scaleUpLatency, units::microsecond);
        form.scaleOutBandwidth = inUnit(usual.scaleOutBandwidth, units::gigabyte);
        form.scaleOutLatency = inUnit(usual.scaleOutLatency, units::microsecond);
    }
    form.acceleratorsPerNode = positiveInteger(cluster, "accelerators_per_node", form.acceleratorsPerNode);
    form.nodes = positiveInteger(cluster, "nodes", form.nodes);
    form.scaleUpBandwidth = positiveNumber(cluster, "scale_up", "bandwidth_gb_s", form.scaleUpBandwidth);
    form.scaleUpLatency = numberFrom(cluster, "scale_up", "latency_us", 0, form.scaleUpLatency);
    // The contract's default is one node, also for racks: 72 has to be said.
    form.domainSize = static_cast<int>(std::min(1e6, positiveNumber(cluster, "scale_up", "domain_size", form.acceleratorsPerNode)));
    form.scaleOutBandwidth = positiveNumber(cluster, "scale_out", "bandwidth_gb_s", form.scaleOutBandwidth);
    form.scaleOutLatency = numberFrom(cluster, "scale_out", "latency_us", 0, form.scaleOutLatency);
    form.oversubscription = std::max(1.0, positiveNumber(cluster, "scale_out", "oversubscription", 1));
    return form;
}

std::optional<Json> shortFormTopology(const Json& cluster, const Catalog& catalog) {
    const std::optional<ShortForm> form = readShortForm(cluster, catalog);
    if (!form) return std::nullopt;
    const Platform* platform = catalog.usualPlatform(form->accelerator);
    OneHop request;
    request.host.stem = platform && platform->acceleratorsPerNode == form->acceleratorsPerNode ? hostStem(*platform) : "node";
    request.host.accelerator = form->accelerator;
    // A domain smaller than a node cuts it into hosts of that size, each with its share of the network cards.
    const bool cut = form->domainSize < form->acceleratorsPerNode && form->acceleratorsPerNode % form->domainSize == 0;
    request.host.accelerators = cut ? form->domainSize : form->acceleratorsPerNode;
    request.hosts = form->nodes * (form->acceleratorsPerNode / request.host.accelerators);
    request.host.hostsPerDomain = std::clamp(form->domainSize / request.host.accelerators, 1, request.hosts);
    request.host.bandwidth = form->scaleOutBandwidth;
    request.host.latency = form->scaleOutLatency;
    request.oversubscription = form->oversubscription;
    // What core/network/short_form.hpp draws, with every host by itself: one switch between any two, or with oversubscription
    // a leaf of each host's own below one spine. Rails would send data between slots over another way.
    request.fabric = form->oversubscription > 1 ? OneHopFabric::own_leaf : OneHopFabric::single_switch;
    Json topology = generateOneHop(request).topology;
    if (topology.is_null()) return std::nullopt;
    // An accelerator given with its fields goes along with each host.
    if (cluster["accelerator"].is_object())
        for (Json& node : topology["nodes"])
            if (node.contains("accelerator")) node["accelerator"] = cluster["accelerator"];
    return topology;
}

Json drawnCluster(const Json& cluster, Json topology) {
    Json drawn = Json::object();
    if (cluster.is_object()) {
        if (const auto it = cluster.find("scale_up"); it != cluster.end() && it->is_object()) {
            Json scaleUp = *it;
            // Said by the hosts' domains and by the links now.
            scaleUp.erase("domain_size");
            scaleUp.erase("oversubscription");
            if (!scaleUp.empty()) drawn["scale_up"] = std::move(scaleUp);
        }
    }
    drawn["topology"] = std::move(topology);
    return drawn;
}

} // namespace orrery
