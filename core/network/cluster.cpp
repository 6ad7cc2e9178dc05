// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/network/cluster.hpp"

#include <algorithm>
#include <limits>

namespace orrery {
namespace {

/// Sums of counts that files may state go beyond 32 bits; more than these nobody asks for by number.
int counted32(std::int64_t total) { return static_cast<int>(std::min<std::int64_t>(total, std::numeric_limits<int>::max())); }

} // namespace

int Cluster::hosts() const {
    std::int64_t total = 0;
    for (const TopologyNode& node : nodes)
        if (node.kind == NodeKind::host) total += node.replicas;
    return counted32(total);
}

int Cluster::accelerators() const {
    std::int64_t total = 0;
    for (const TopologyNode& node : nodes)
        if (node.kind == NodeKind::host) total += std::int64_t{node.count} * node.replicas;
    return counted32(total);
}

} // namespace orrery
