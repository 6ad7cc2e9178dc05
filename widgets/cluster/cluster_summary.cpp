#include "widgets/cluster/cluster_summary.hpp"

#include "widgets/cluster/cluster_defaults.hpp"
#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>
#include <map>

namespace orrery {
namespace {

/// What a host is cabled to: total GB/s, and cables by switch.
struct Cabling {
    double bandwidth = 0;
    std::map<int, int> cables;
};

std::map<int, Cabling> cablings(const ClusterDocument& document) {
    std::map<int, Cabling> all;
    for (const DrawnLink& link : document.links()) {
        for (const auto& [host, other] : {std::pair(link.from, link.to), std::pair(link.to, link.from)}) {
            if (!document.nodes()[static_cast<std::size_t>(host)].isHost()) continue;
            all[host].bandwidth += link.total();
            all[host].cables[other] += link.count;
        }
    }
    return all;
}

/// The platform that a rack's hosts make together, where each domain is a whole one of it; null otherwise.
const Platform* rackOf(const ClusterDocument& document, const Catalog& catalog, int& racks) {
    std::map<std::string, int> accelerators;
    const Platform* platform = nullptr;
    for (const DrawnNode& node : document.nodes()) {
        if (!node.isHost()) continue;
        const Platform* own = platformOf(node, catalog);
        if (!own || node.domain.empty() || own->acceleratorsPerNode != node.count || (platform && platform != own)) return nullptr;
        platform = own;
        accelerators[node.domain] += node.accelerators();
    }
    for (const auto& [domain, count] : accelerators)
        if (count != platform->scaleUpDomain) return nullptr;
    racks = static_cast<int>(accelerators.size());
    return platform;
}

} // namespace

FabricShape fabricShape(const ClusterDocument& document) {
    const std::map<int, Cabling> all = cablings(document);
    int hosts = 0, switches = 0;
    bool rails = true, oneSwitchEach = true, everyHost = true;
    const Cabling* first = nullptr;
    for (std::size_t i = 0; i < document.nodes().size(); ++i) {
        const DrawnNode& node = document.nodes()[i];
        if (!node.isHost()) {
            ++switches;
            continue;
        }
        ++hosts;
        const auto it = all.find(static_cast<int>(i));
        if (it == all.end()) {
            everyHost = false;
            continue;
        }
        if (!first) first = &it->second;
        rails = rails && it->second.cables.size() > 1 && it->second.cables == first->cables;
        oneSwitchEach = oneSwitchEach && it->second.cables.size() == 1;
    }
    if (hosts == 0 || (hosts == 1 && document.links().empty())) return FabricShape::none;
    if (all.empty()) return FabricShape::unconnected;
    if (!everyHost) return FabricShape::mixed;
    if (rails) return FabricShape::rail_optimised;
    if (oneSwitchEach && switches == 1) return FabricShape::single_switch;
    return oneSwitchEach && switches > 1 ? FabricShape::leaf_spine : FabricShape::mixed;
}

double scaleOutPerAccelerator(const ClusterDocument& document) {
    double common = 0;
    for (const auto& [host, cabling] : cablings(document)) {
        const int count = document.nodes()[static_cast<std::size_t>(host)].count;
        if (count == 0) return 0;
        const double each = cabling.bandwidth / count;
        if (common != 0 && std::abs(each - common) > 1e-9 * common) return 0;
        common = each;
    }
    return common;
}

QString clusterSummary(const ClusterDocument& document, const Catalog& catalog) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("ClusterSummary", text); };
    if (document.isEmpty()) return {};
    QStringList parts;
    std::vector<std::pair<QString, int>> kinds;
    int switches = 0;
    for (const DrawnNode& node : document.nodes()) {
        if (!node.isHost()) {
            ++switches;
            continue;
        }
        const QString name = hostName(node, catalog);
        const auto it = std::find_if(kinds.begin(), kinds.end(), [&name](const auto& kind) { return kind.first == name; });
        if (it == kinds.end()) kinds.emplace_back(name, node.replicas);
        else it->second += node.replicas;
    }
    QStringList hosts;
    for (const auto& [name, count] : kinds) {
        // "2 × (4 × H100)" where the host is no platform of the catalogue.
        const QString inner = name.contains(QStringLiteral(" × ")) ? QStringLiteral("(%1)").arg(name) : name;
        hosts << grouped(count) + QStringLiteral(" × ") + inner;
    }
    int racks = 0;
    if (const Platform* rack = rackOf(document, catalog, racks))
        hosts = {grouped(racks) + QStringLiteral(" × ") + QString::fromStdString(rack->name)};
    if (hosts.size() > 3) hosts = {grouped(document.hosts()) + ' ' + tr("hosts")};
    if (!hosts.isEmpty()) parts << hosts.join(QStringLiteral(", "));
    switch (fabricShape(document)) {
    case FabricShape::none: break;
    case FabricShape::unconnected: parts << tr("not connected"); break;
    case FabricShape::single_switch: parts << tr("one switch"); break;
    case FabricShape::rail_optimised: parts << tr("rail-optimised"); break;
    case FabricShape::leaf_spine: parts << tr("leaf and spine"); break;
    case FabricShape::mixed: parts << tr("%1 switches").arg(grouped(switches)); break;
    }
    if (const double each = scaleOutPerAccelerator(document); each > 0) parts << bitRate(each) + ' ' + tr("per GPU");
    return parts.join(QStringLiteral(" · "));
}

} // namespace orrery
