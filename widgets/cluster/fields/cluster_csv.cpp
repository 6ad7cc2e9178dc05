// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/fields/cluster_csv.hpp"
#include "core/base/text.hpp"

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

} // namespace orrery
