#pragma once

#include "core/model/graph.hpp"
#include "core/network/cluster.hpp"

#include <string>
#include <vector>

namespace orrery {

/// Where the ranks of a group sit. A scale-up domain is a host, or the hosts that share a fabric.
struct GroupPlacement {
    int ranks = 0;
    int domains = 0;
    int membersPerDomain = 0;      ///< g: the smallest number of members over the domains that have any
    double scaleUpBandwidth = 0;   ///< bytes/s per accelerator and direction
    double scaleUpLatency = 0;     ///< s, one way
    double scaleOutBandwidth = 0;  ///< bytes/s per accelerator and direction, of the slowest step between domains; 0 in one domain
    double scaleOutLatency = 0;    ///< s, the whole route of the slowest such step; 0 in one domain
    bool connected = true;         ///< false: some step has no route; a checked cluster never gives this
};

/// `count` ranks from `begin`, `stride` apart.
struct RankSpan {
    int begin = 0;
    int stride = 1;
    int count = 1;
};

/// Ranks are numbered by host order in the file, then replica, then accelerator; each must be below `cluster.accelerators()`.
/// A ring visits one domain after the other, in the order in which the ranks name them. Linear in the number of ranks.
GroupPlacement place(const Cluster& cluster, const std::vector<int>& ranks);
GroupPlacement place(const Cluster& cluster, const RankSpan& ranks);

/// What one collective takes, alone on the cluster.
struct CollectiveTime {
    double time = 0;     ///< s: transfer + latency
    double transfer = 0; ///< s, the part that grows with the bytes
    double latency = 0;  ///< s, the part that grows with the steps
    std::string algorithm;         ///< "ring", "pairwise", "direct"; "none" when nothing is sent
    std::string formula;           ///< with n ranks, g members a domain, S bytes, W bandwidth, a latency of a step
    double algorithmBandwidth = 0; ///< bytes/s: S/time
    double busBandwidth = 0;       ///< bytes/s: nccl-tests' algorithm bandwidth times its factor for the operation
};

/// `bytes` as nccl-tests counts its size: the whole buffer that every rank ends with (all-gather), begins with
/// (reduce-scatter) or both (all-reduce, broadcast); what one rank sends in all (all-to-all) or to its peer (send-receive).
///
/// A ring over n ranks takes n − 1 steps for a reduce-scatter or an all-gather, 2(n − 1) for an all-reduce, each of S/n bytes:
///   all-reduce      2(n − 1)/n · S/W + 2(n − 1) a   (Thakur, Rabenseifner, Gropp 2005, section 4.5; Patarasu, Yuan 2009)
///   reduce-scatter, all-gather   (n − 1)/n · S/W + (n − 1) a
///   broadcast       S/W + (n − 1) a                 (pipelined ring)
/// W = min(scale-up, g · scale-out) over several domains, since g members drive g network interfaces; W = scale-up in one.
/// a is the slowest step's whole route.
///   all-to-all      max((g − 1)/n · S/scale-up, (n − g)/n · S/scale-out) + a
///   send-receive    S/W₁ + a, W₁ = min(scale-up, scale-out) when the pair is in two domains: one interface carries it
/// One rank, or no bytes to send, takes no time.
CollectiveTime collectiveTime(const GroupPlacement& placement, CollectiveKind kind, double bytes);

} // namespace orrery
