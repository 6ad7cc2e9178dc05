// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/cluster.hpp"

#include <vector>

namespace orrery {

/// The fabric inside a node or rack.
struct ScaleUp {
    double bandwidth = 0; ///< bytes/s per accelerator and direction
    double latency = 0;   ///< s, one way, per hop
    int domainSize = 1;   ///< accelerators that share one fabric
};

/// The network between nodes.
struct ScaleOut {
    double bandwidth = 0;        ///< bytes/s per accelerator and direction
    double latency = 0;          ///< s, one way, per hop
    double oversubscription = 1; ///< r >= 1: a leaf's up-links carry 1/r of its down-links
};

/// Hosts of each scale-up domain, in order: whole hosts over the fewest domains of `most` hosts that hold them, as evenly as they go,
/// as block schedulers place jobs (64 hosts of 4 with 18 a rack: 4 times 16). Where they don't divide, the first domains have one more.
std::vector<int> hostsByDomain(int hosts, int most);

/// Draws the short form. `scaleUp.domainSize` must be a multiple of `acceleratorsPerNode` or divide it.
///
/// Equal hosts become one host with replicas, one for each scale-up domain where a domain spans nodes (`hostsByDomain`). Every accelerator
/// gets a link of its own to one switch that never blocks. With oversubscription nothing says how many hosts share a leaf,
/// so each host gets its own, whose up-link to a common spine carries 1/r: all traffic between hosts feels r.
/// A domain smaller than a node cuts the node into hosts of that size, each with its share of the network interfaces.
Cluster expandShortForm(const Accelerator& accelerator, int acceleratorsPerNode, int nodes, const ScaleUp& scaleUp,
                        const ScaleOut& scaleOut);

} // namespace orrery
