// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/fields/cluster_summary.hpp"
#include "core/base/text.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace orrery {
namespace {

QByteArray csvField(const std::string& text) {
    return QByteArray::fromStdString(csvCell(text));
}

} // namespace

QByteArray clusterCsv(const ClusterDocument& document) {
    QByteArray out = "type,id,kind,accelerator,accelerators,replicas,domain,first_rank,from,to,bandwidth_gb_s,latency_us,cables\n";
    for (const DrawnNode& node : document.nodes()) {
        out += "node," + csvField(node.id) + (node.isHost() ? ",host," : ",switch,") + csvField(node.accelerator) + ',';
        out += (node.isHost() ? QByteArray::number(node.count) : QByteArray()) + ',' + QByteArray::number(node.replicas) + ',';
        out += csvField(node.domain) + ',' + (node.isHost() ? QByteArray::number(node.firstRank) : QByteArray()) + ",,,,,\n";
    }
    for (const DrawnLink& link : document.links()) {
        out += "link,,,,,,,," + csvField(document.nodes()[static_cast<std::size_t>(link.from)].id) + ',' +
               csvField(document.nodes()[static_cast<std::size_t>(link.to)].id) + ',';
        out += QByteArray::number(link.bandwidth, 'g', 12) + ',' + QByteArray::number(link.latency, 'g', 12) + ',' +
               QByteArray::number(link.count) + '\n';
    }
    return out;
}

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

/// Switch levels between the hosts and the switch farthest from any.
int switchLevels(const ClusterDocument& document) {
    std::vector<std::vector<int>> neighbours(document.nodes().size());
    for (const DrawnLink& link : document.links()) {
        neighbours[static_cast<std::size_t>(link.from)].push_back(link.to);
        neighbours[static_cast<std::size_t>(link.to)].push_back(link.from);
    }
    std::vector<int> level(neighbours.size(), -1), queue;
    for (std::size_t i = 0; i < neighbours.size(); ++i)
        if (document.nodes()[i].isHost()) {
            level[i] = 0;
            queue.push_back(static_cast<int>(i));
        }
    int highest = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
        for (const int other : neighbours[static_cast<std::size_t>(queue[next])])
            if (int& own = level[static_cast<std::size_t>(other)]; own < 0) {
                own = level[static_cast<std::size_t>(queue[next])] + 1;
                highest = std::max(highest, own);
                queue.push_back(other);
            }
    return highest;
}

/// Each host on several switches, all in the same way, and no switch shared by hosts that have others different: rails,
/// unit by unit.
bool areRails(const std::map<int, Cabling>& all) {
    std::map<int, const Cabling*> unitOf; // by switch
    const Cabling& first = all.begin()->second;
    for (const auto& [host, cabling] : all) {
        if (cabling.cables.size() < 2 || cabling.cables.size() != first.cables.size()) return false;
        const bool alike = std::equal(cabling.cables.begin(), cabling.cables.end(), first.cables.begin(),
                                      [](const auto& a, const auto& b) { return a.second == b.second; });
        if (!alike) return false;
        for (const auto& [leaf, count] : cabling.cables)
            if (const auto [it, added] = unitOf.try_emplace(leaf, &cabling); !added && it->second->cables != cabling.cables) return false;
    }
    return true;
}

/// Hosts of a torus in each dimension, or nothing.
std::vector<int> torusExtents(const ClusterDocument& document) {
    std::vector<std::set<int>> places;
    for (const DrawnNode& node : document.nodes()) {
        if (!node.isHost() || node.coordinates.empty()) return {};
        places.resize(std::max(places.size(), node.coordinates.size()));
        for (std::size_t d = 0; d < node.coordinates.size(); ++d) places[d].insert(node.coordinates[d]);
    }
    std::vector<int> extents;
    for (const std::set<int>& along : places) extents.push_back(static_cast<int>(along.size()));
    return extents;
}

/// Some link leads from one end of a dimension to the other.
bool closesRings(const ClusterDocument& document) {
    return std::any_of(document.links().begin(), document.links().end(), [&document](const DrawnLink& link) {
        const std::vector<int>&a = document.nodes()[static_cast<std::size_t>(link.from)].coordinates,
              &b = document.nodes()[static_cast<std::size_t>(link.to)].coordinates;
        for (std::size_t d = 0; d < std::min(a.size(), b.size()); ++d)
            if (std::abs(a[d] - b[d]) > 1) return true;
        return false;
    });
}

} // namespace

FabricShape fabricShape(const ClusterDocument& document) {
    const std::map<int, Cabling> all = cablings(document);
    int hosts = 0, switches = 0;
    bool oneSwitchEach = true, everyHost = true, grouped = true;
    for (std::size_t i = 0; i < document.nodes().size(); ++i) {
        const DrawnNode& node = document.nodes()[i];
        if (!node.isHost()) {
            ++switches;
            grouped = grouped && !node.group.empty();
            continue;
        }
        ++hosts;
        const auto it = all.find(static_cast<int>(i));
        if (it == all.end()) {
            everyHost = false;
            continue;
        }
        oneSwitchEach = oneSwitchEach && it->second.cables.size() == 1;
    }
    if (hosts == 0 || (hosts == 1 && document.links().empty())) return FabricShape::none;
    if (all.empty()) return FabricShape::unconnected;
    if (!everyHost) return FabricShape::mixed;
    if (switches == 0) {
        const std::vector<int> extents = torusExtents(document);
        if (extents.empty()) return FabricShape::mixed;
        const bool tooSmall = *std::max_element(extents.begin(), extents.end()) < 3; // a ring of two is a line
        return tooSmall || closesRings(document) ? FabricShape::torus : FabricShape::mesh;
    }
    if (grouped) return FabricShape::dragonfly;
    if (areRails(all)) return FabricShape::rail_optimised;
    if (oneSwitchEach && switches == 1) return FabricShape::single_switch;
    if (oneSwitchEach) return switchLevels(document) > 2 ? FabricShape::fat_tree : FabricShape::leaf_spine;
    return FabricShape::mixed;
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

namespace {

struct SummaryText {
    Q_DECLARE_TR_FUNCTIONS(ClusterSummary)
};

} // namespace

QString clusterSummary(const ClusterDocument& document, const Catalog& catalog) {
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
    if (hosts.size() > 3) hosts = {SummaryText::tr("%1 hosts").arg(grouped(document.hosts()))};
    if (!hosts.isEmpty()) parts << hosts.join(QStringLiteral(", "));
    switch (fabricShape(document)) {
    case FabricShape::none: break;
    case FabricShape::unconnected: parts << SummaryText::tr("not connected"); break;
    case FabricShape::single_switch: parts << SummaryText::tr("one switch"); break;
    case FabricShape::rail_optimised: parts << SummaryText::tr("rail-optimised"); break;
    case FabricShape::leaf_spine: parts << SummaryText::tr("leaf and spine"); break;
    case FabricShape::fat_tree: parts << SummaryText::tr("fat tree"); break;
    case FabricShape::dragonfly: parts << SummaryText::tr("dragonfly"); break;
    case FabricShape::torus:
    case FabricShape::mesh: {
        QStringList extents;
        for (const int extent : torusExtents(document)) extents << grouped(extent);
        parts << (fabricShape(document) == FabricShape::torus ? SummaryText::tr("%1 torus") : SummaryText::tr("%1 mesh")).arg(extents.join(QStringLiteral(" × ")));
        break;
    }
    case FabricShape::mixed: parts << SummaryText::tr("%1 switches").arg(grouped(switches)); break;
    }
    if (const double each = scaleOutPerAccelerator(document); each > 0) parts << SummaryText::tr("%1 per GPU").arg(bitRate(each));
    return parts.join(QStringLiteral(" · "));
}

} // namespace orrery
