// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/document/cluster_document.hpp"

#include <QByteArray>
#include <QString>

namespace orrery {

/// The drawing as a table: a line for each node, then one for each link.
QByteArray clusterCsv(const ClusterDocument& document);

class Catalog; // core/catalog

/// How the hosts are cabled, as read off the drawing.
enum class FabricShape { none,
                         unconnected,
                         single_switch,
                         rail_optimised,
                         leaf_spine,
                         fat_tree,
                         dragonfly,
                         torus,
                         mesh,
                         mixed };
FabricShape fabricShape(const ClusterDocument& document);

/// GB/s out of a host per accelerator, if all hosts have the same; 0 otherwise.
double scaleOutPerAccelerator(const ClusterDocument& document);

/// "8 × DGX H100 · rail-optimised · 400 Gb/s per GPU".
QString clusterSummary(const ClusterDocument& document, const Catalog& catalog);

} // namespace orrery
