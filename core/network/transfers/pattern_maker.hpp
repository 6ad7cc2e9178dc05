// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/library.hpp"
#include "core/model/graph.hpp"
#include "core/network/routing/router.hpp"
#include "core/network/transfers/group_layout.hpp"
#include "core/network/transfers/transfer_pattern.hpp"

#include <string>
#include <vector>

namespace orrery {

/// How a collective is to run: what the library chose, or what the scenario forces.
struct PatternRequest {
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::string algorithm{wordOf(CollectiveWay::ring)}; ///< a word of CollectiveWay; all-to-all and send-receive have their own, whatever is asked
    std::string protocol;                               ///< of the library, for people; empty where closed forms hold
    double start = 0;                                   ///< s; see TransferPattern
    double upShare = 1;
    double outShare = 1;
    double upWire = 1; ///< see TransferPattern
    double outWire = 1;
    bool stepLatency = true; ///< false: `start` holds the latency of the steps already
    double upPerByte = 0;    ///< of a deduplicated all-to-all: bytes that leave a rank inside its domain, for each byte of the collective
    double outPerByte = 0;   ///< the same between domains
};

/// Turns collectives of ranks into flows over the fabric's links. `bytes` count as in nccl-tests (core/training/job_traffic/lone_collective.hpp).
///
/// A group of n ranks in D domains of at least g members. W = min(scale-up, g · interface) where a rank moves all its data
/// through its ports once more than through its interface: no flow is let through faster than scale-up/channels.
///
/// - ring: 2(n − 1)/n · S/W + 2(n − 1) a for an all-reduce, half for reduce-scatter and all-gather, S/W + (n − 1) a for a
///   pipelined broadcast (Patarasuk, Yuan 2009; Thakur et al. 2005). g rings run side by side, each with 1/g of the data; each enters
///   and leaves every domain over a pair of interfaces of its own, and leaves on the rail on which it enters the next.
/// - tree: two binary trees, each with half the data, each rank inner in one at most (Sanders, Speck, Träff 2009): f S/W +
///   2 ceil(log2 D) a, plus 2(g − 1) steps along the chain in each domain; the busiest port carries f = 1, 3/2, 2 for D = 2, 3,
///   4 and more, but not less than 2(g − 1)/g S/scale-up along the chain. With one domain its ranks are the trees' nodes.
///   A broadcast goes down only, half of each tree's steps and chain; its root feeds both trees, so f/2 is 1 whatever D.
/// - hierarchical: reduce-scatter in each domain, g all-reduces of S/g between domains, all-gather in each domain (Cho et al. 2019, BlueConnect).
///   Needs as many members in every domain. Reduce-scatter and all-gather take the first or last two of these.
/// - nvls: the switch adds up and spreads: each port carries (1 + 1/n) S each way for an all-reduce, S for
///   reduce-scatter and all-gather, a rank's own part included, since the switch serves that too (Klenk et al. 2020). Over several domains the two trees join the domains at the same time.
/// - all-to-all: S/n to each other rank, directly; between domains by the receiver's rail (PXN).
///   max((g − 1)/n · S/scale-up, (n − g)/n · S/interface) + a
///   Deduplicated (core/catalog/collectives/expert_exchange.hpp): between domains to the rank of equal place, which passes on inside;
///   both at once. max(u S/scale-up, o S/interface) + a
/// - send-receive: each rank to the next of the list (two ranks: the first to the second), S/W₁ + a.
class PatternMaker {
public:
    explicit PatternMaker(Router& router);

    TransferPattern make(const std::vector<int>& ranks, const PatternRequest& request);

private:
    // Flows that advance together are collected one group at a time, as crossings by link.
    void addFlow(int from, int to, double flows = 1);
    void addPort(FlowLink link, double flows);
    PatternFlows collected(double bytesPerByte, double cap = unlimitedRate);

    struct Turn {
        int entry, exit; ///< places in the domain's members
    };
    std::vector<Turn> turns(int channel) const;

    void ring(double bytesPerByte, int steps, bool closed);
    void ringsBetweenDomains(double bytesPerByte, int steps);
    void ringsInDomains(double bytesPerByte, int steps);
    void tree(bool reduce);
    void addTrees(const std::vector<int>& nodes);
    void addTreesFromRoot(const std::vector<int>& nodes);
    void hierarchical();
    void nvls();
    void allToAll();
    void deduplicated();
    void sendReceive();
    double scaleUpCap(double flowsThroughOneRank) const;
    void addPhase(double latency, std::vector<PatternFlows> flows);

    Router& router_;
    const Fabric& fabric_;
    std::vector<double> crossings_; ///< by link
    std::vector<FlowLink> crossed_;
    double slowestUp_ = 0, slowestOut_ = 0; ///< s: ways within a domain and between domains since the pattern began

    const PatternRequest* request_ = nullptr;
    GroupLayout layout_;
    std::vector<int> ranks_;
    TransferPattern pattern_;
};

} // namespace orrery
