// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/cluster.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

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
