// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/cluster.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

/// The accelerators of the cluster's largest hosts: ranks are numbered host by host.
int acceleratorsPerHost(const Cluster& cluster);

/// Which ranks work together, by `parallelism.order` (the first dimension is contiguous; Megatron's rank grid).
class RankGrid {
public:
    explicit RankGrid(const Parallelism& parallelism);

    int rank(int tensor, int context, int data, int pipeline) const;
    std::vector<int> stageRanks(int stage) const; ///< ascending

private:
    Parallelism plan_;
    int tensorStride_ = 1, contextStride_ = 1, dataStride_ = 1, pipelineStride_ = 1;
};

/// "0-31" or "0, 2, 4 … 62" for people.
std::string describeRanks(const std::vector<int>& ranks);

/// Which ranks share a scale-up fabric.
struct RankDomains {
    std::vector<int> ofRank;        ///< the domain's number
    std::vector<std::string> names; ///< the text that the hosts share, else the host's id, with its number where it stands for several
    std::vector<int> sizes;         ///< accelerators
    bool wide = false;              ///< some domain holds more than one host
};
RankDomains rankDomains(const Cluster& cluster);

/// Groups that all work alike: the tensor groups, or the expert groups, of a whole job.
using RankGroups = std::vector<std::vector<int>>;
RankGroups tensorGroups(const Parallelism& plan);
RankGroups contextGroups(const Parallelism& plan);
RankGroups expertGroups(const Parallelism& plan); ///< ranks that exchange tokens, those that share out an expert's matrices included

/// What of such groups lies in more than one domain.
struct DomainCrossings {
    int groups = 0;                ///< in all
    int crossing = 0;              ///< that reach over domains
    bool avoidable = false;        ///< some reaches over more domains than its extent, from its first rank to its last, needs
    std::vector<int> first;        ///< the first that crosses
    std::vector<int> firstDomains; ///< where that one lies
};
DomainCrossings crossingsOf(const RankGroups& groups, const RankDomains& domains);

} // namespace orrery
