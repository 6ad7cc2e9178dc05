// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/topology_builder.hpp"

#include <vector>

namespace orrery {

/// A torus of hosts without switches, in two or three dimensions (any number is drawn): each host is joined to the next one
/// in every dimension, and the last to the first. A dimension of two has both of the ring's links between the same two
/// hosts, as one link of twice the cables; so each host has as many cables, whatever the extents. Hosts are numbered with
/// the first coordinate fastest; routes go dimension by dimension.
struct Torus {
    HostSpec host;                  ///< `bandwidth` is one cable's
    std::vector<int> extents{4, 4}; ///< hosts in each dimension
    std::vector<int> cables;        ///< parallel ones to a neighbour, by dimension; empty: the interfaces shared out, at least 1
    bool wrap = true;               ///< false: a mesh, without the links from last to first
};

GeneratedTopology generateTorus(const Torus& torus);

/// Google's TPU v5p (and v4): a 3D torus of chips, four of which (2 × 2 × 1) are a host. Extents in chips; a dimension with
/// a multiple of 4 chips closes to a ring through the optical switches, others stay open
/// (cloud.google.com/tpu/docs/v5p). The six links of a chip share its interconnect bandwidth evenly.
struct TpuTorus {
    HostSpec host;              ///< accelerators: 4
    double chipBandwidth = 600; ///< GB/s of one chip and direction over all six links
    std::vector<int> chips{4, 4, 4};
};

GeneratedTopology generateTpuTorus(const TpuTorus& torus);

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
