// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

namespace orrery {

/// The k-ary fat tree of three levels (Al-Fares et al., SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches,
/// (k/2)² cores, k/2 hosts an edge switch: k³/4 hosts and 5k²/4 switches.
///
/// A host with n interfaces has all on its edge switch, and every link between switches is n cables, so that the tree is as
/// wide as its hosts. With `rails` each interface is a port of its own: interface i goes to edge switch i of the host's
/// unit, and k counts real ports: k³/(4n) hosts.
struct FatTree {
    HostSpec host;
    int k = 4;                   ///< even
    double oversubscription = 1; ///< an edge switch's cables up carry 1/r of those down
    bool rails = false;          ///< needs interfaces that divide k/2
    bool stacks = false;
};

GeneratedTopology generateFatTree(const FatTree& tree);

/// A three-level fat tree for a given number of hosts, not tied to one k: as many hosts on an edge switch as edge switches
/// in a pod, a power of two near the cube root, and as many pods as it takes. 2,048 hosts: 16 an edge switch, 16 edge
/// switches a pod, 8 pods; 16,384: 32, 32, 16.
struct SizedFatTree {
    HostSpec host;
    int hosts = 64;
    double oversubscription = 1;
    bool stacks = false;
};

GeneratedTopology generateSizedFatTree(const SizedFatTree& tree);

} // namespace orrery
