#pragma once

#include "core/catalog/catalog.hpp"

#include <string>

namespace orrery {

/// How hosts are cabled. Rail-optimised: accelerator i of every host on leaf i. Leaf-spine: all of a host on one of
/// several leaves. Own leaf: one for each host, below one spine.
enum class Fabric { rail_optimised, leaf_spine, single_switch, own_leaf };

/// Few numbers that a whole cluster is drawn from.
struct PlatformRequest {
    std::string stem = "host"; ///< of the hosts' ids
    std::string accelerator;
    int acceleratorsPerHost = 8;
    int hosts = 1;
    int hostsPerDomain = 1; ///< hosts that share a scale-up fabric: 18 for an NVL72 rack; 1: each its own
    Fabric fabric = Fabric::rail_optimised;
    double bandwidth = 50;     ///< GB/s per accelerator and direction
    double latency = 2;        ///< µs one way, each link
    double oversubscription = 1; ///< a leaf's links up carry 1/r of those down
    int hostsPerLeaf = 8;      ///< leaf-spine only
    int spines = -1;           ///< -1: as many as suit the number of hosts
    int drawnHosts = 64;       ///< above this, hosts of one leaf or domain are drawn as one stack of replicas
};

/// A request for `hosts` of a platform as sold.
PlatformRequest requestFor(const Platform& platform, int hosts, Fabric fabric);

/// The cluster as a fragment (see cluster_fragment.hpp). A rail's leaf stands for the whole rail however many hosts it
/// has: port counts of real switches are not drawn.
Json generatePlatform(const PlatformRequest& request);

} // namespace orrery
