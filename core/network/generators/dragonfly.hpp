// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

namespace orrery {

/// The dragonfly of Kim, Dally, Scott and Abts (ISCA 2008): groups of a routers that are all joined to one another, p hosts
/// and h links to other groups on each router. The a·h global links of a group lead to as many other groups, so there are
/// up to a·h + 1 of them. Balanced at a = 2p = 2h.
///
/// Global link j of group i, on router ⌊j/h⌋, leads to group i + j + 1 (modulo their number). With fewer groups the links
/// go around again, each pair of groups getting as many as there are for all. A host's n interfaces make every link n
/// cables, so that the paper's balance holds.
struct Dragonfly {
    HostSpec host;
    int hostsPerRouter = 2;       ///< p
    int routersPerGroup = 4;      ///< a
    int globalLinksPerRouter = 2; ///< h
    int groups = 0;               ///< 0: a·h + 1
    bool valiant = false;         ///< traffic between groups by way of a third, drawn by turns, instead of the shortest way
    bool stacks = false;          ///< the hosts of a router as one node with replicas
};

GeneratedTopology generateDragonfly(const Dragonfly& fly);

} // namespace orrery
