// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/topology_builder.hpp"

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

/// How hosts are cabled where nothing says how many share a switch. Rail-optimised: interface i of every host on switch i.
/// Single switch: all on one. Own leaf: a switch for each host, below one spine, whose link up carries 1/r.
enum class OneHopFabric { rail_optimised,
                          single_switch,
                          own_leaf };

/// A cluster whose switches have as many ports as it takes: what a short form, which knows no switches, stands for.
struct OneHop {
    HostSpec host;
    int hosts = 1;
    OneHopFabric fabric = OneHopFabric::rail_optimised;
    double oversubscription = 1; ///< own leaf only
    int drawnHosts = 64;         ///< above this, hosts (of one domain) are drawn as stacks of replicas
};

GeneratedTopology generateOneHop(const OneHop& cluster);

/// NVIDIA's DGX SuperPOD: scalable units of hosts, rail-optimised (interface i of every host of a unit on leaf i of the
/// unit), spines above, and a third level where one pod no longer holds all.
///
/// Switch counts follow from the ports, and give the reference architecture's for DGX H100 and B200 (units of 32, 64 ports
/// of 400 Gb/s; "Larger SuperPOD component counts"): 2 units 16 leaves and 8 spines; 4: 32, 16; 8: 64, 32; 16: 128, 128 and
/// 64 cores; 32: 256, 256, 128; 64: 512, 512, 256. DGX A100's has units of 20 and 40 ports of 200 Gb/s.
/// A unit that isn't full keeps all cables of a full one to the spines; a cluster of less than a unit is a unit
/// of that size.
struct SuperPod {
    HostSpec host;
    int hosts = 32;
    int hostsPerUnit = 32;
    int switchPorts = 64;
    double oversubscription = 1;
    bool stacks = false;
};

GeneratedTopology generateSuperPod(const SuperPod& pod);

/// Racks whose hosts share one scale-up fabric, such as GB200 NVL72: as a SuperPOD whose units are racks, each with a leaf
/// for every rail.
struct RackPod {
    HostSpec host; ///< `hostsPerDomain` is the rack
    int racks = 1;
    int switchPorts = 64;
    double oversubscription = 1;
    bool stacks = false;
};

GeneratedTopology generateRackPod(const RackPod& pod);

/// Leaves that a host's interfaces are spread over as rails: up to eight, evenly. 5 interfaces have 5, 16 have 8 with two each.
int railsOf(const HostSpec& host);

} // namespace orrery
