// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

namespace orrery {

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
