// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

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

} // namespace orrery
