#pragma once

#include "core/network/cluster.hpp"

#include <optional>
#include <vector>

namespace orrery {

/// A way from one host to another over the drawn links.
struct Route {
    int hops = 0;
    double latency = 0;   ///< s, one way, all hops
    double bandwidth = 0; ///< bytes/s per accelerator and direction: its fair share when every accelerator sends
};

/// Shortest ways by hops between hosts, with static shares of the links; a flow-level network takes its place later.
///
/// Switches forward, hosts don't. A host's links to switches are used together (rails), so an accelerator's share is their
/// sum over the host's accelerators. A switch whose up-links carry less than its down-links passes each accelerator's
/// share on in that proportion, upwards on the sender's side and downwards on the receiver's; up is away from the hosts.
/// A trunk between switches of one height is shared by what hangs below the smaller side.
///
/// A node with replicas stands for that many; a link between two nodes of equally many replicas joins them pairwise,
/// any other link is there once for each replica.
class Routes {
public:
    explicit Routes(const Cluster& cluster);

    /// From a host to each node index; nothing where no way leads. To the same index: to another replica of that host.
    std::vector<std::optional<Route>> from(int host) const;

private:
    struct Edge {
        int to;
        double bandwidth; ///< bytes/s, parallel links together
        double latency;
        int copies;       ///< neighbours of one replica that this edge leads to
        bool paired;      ///< leads to the replica of the same number
    };
    struct Visit {
        int hops = -1;
        int parent = -1; ///< state
        const Edge* edge = nullptr;
    };

    Route trace(const std::vector<Visit>& visits, int state, int host) const;
    /// Of a host: the share of one accelerator in its links to switches.
    double share(int host) const;

    const Cluster& cluster_;
    std::vector<std::vector<Edge>> edges_; ///< by node index
    std::vector<int> height_;              ///< hops to the nearest host
    std::vector<double> down_;             ///< bytes/s of one replica's links to lower nodes
    std::vector<double> passed_;           ///< up-links over down-links, at most 1
};

} // namespace orrery
