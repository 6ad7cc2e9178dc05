// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

namespace orrery {

/// Two levels: all interfaces of a host on one leaf, every leaf to every spine, a leaf's links up worth exactly 1/r of
/// those down.
struct LeafSpine {
    HostSpec host;
    int hosts = 16;
    int hostsPerLeaf = 8;
    int spines = 0; ///< 0: as many as leaves, from 2 to 8
    double oversubscription = 1;
    bool stacks = false;
};

GeneratedTopology generateLeafSpine(const LeafSpine& fabric);

} // namespace orrery
