// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/cluster.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// Which hosts of a drawing can exchange data, without asking which way it goes: what checks need of a drawing that may be
/// broken. Links with unknown ends are passed over.
///
/// Switches forward, and so do hosts without a single link to a switch (a torus of hosts); other hosts only send and
/// receive. A node with replicas stands for that many; a link between two nodes of equally many replicas joins them
/// pairwise, any other link is there once for each.
class Reachability {
public:
    explicit Reachability(const Cluster& cluster);

    /// True when every replica of one host reaches every replica of the other; of the same index: each other.
    bool reaches(int host, int other) const;

    /// The usual case, told fast: some part of which there is only one has a way to every host, so that all reach all.
    bool allMeet() const;

    /// Hosts that reach the same others are of one class; every host of the drawing is in one.
    struct HostClass {
        std::vector<int> hosts;    ///< node indices, ascending
        std::int64_t replicas = 0; ///< of all of them
    };
    const std::vector<HostClass>& classes() const { return classes_; }

    /// Switches (or forwarding hosts) that the host has a way to, a set each; -1s are never given.
    const std::vector<int>& partsOf(int host) const { return parts_[static_cast<std::size_t>(host)]; }
    int partOf(int forwarder) const { return part_[static_cast<std::size_t>(forwarder)]; } ///< -1: a host that doesn't forward
    bool forwards(int node) const { return part_[static_cast<std::size_t>(node)] >= 0; }

private:
    const Cluster& cluster_;
    std::vector<int> part_;                ///< of each forwarder: joined ones have the same
    std::vector<std::vector<int>> parts_;  ///< of each node: the parts it is in or linked to, ascending
    std::vector<bool> whole_;              ///< of each part: all its replicas are joined, not so many parts side by side
    std::vector<int> domain_;              ///< of each node: its scale-up domain, where it shares one with others; -1
    std::vector<std::vector<int>> direct_; ///< of hosts that don't forward: those they have a cable to
    std::vector<HostClass> classes_;
};

} // namespace orrery
