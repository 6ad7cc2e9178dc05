// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/cluster.hpp"

namespace orrery {

int Cluster::hosts() const {
    int total = 0;
    for (const TopologyNode& node : nodes)
        if (node.kind == NodeKind::host) total += node.replicas;
    return total;
}

int Cluster::accelerators() const {
    int total = 0;
    for (const TopologyNode& node : nodes)
        if (node.kind == NodeKind::host) total += node.count * node.replicas;
    return total;
}

} // namespace orrery
