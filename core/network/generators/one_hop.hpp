// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/generators/generated.hpp"
#include "core/network/generators/host_spec.hpp"

namespace orrery {

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

} // namespace orrery
