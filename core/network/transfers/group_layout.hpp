// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/fabric.hpp"
#include "core/network/routing/router.hpp"
#include "core/network/transfers/transfer_pattern.hpp"

#include <vector>

namespace orrery {

/// Where the ranks of a group sit: its scale-up domains in the order in which the ranks name them, and in each its members
/// in the ranks' order.
struct GroupLayout {
    std::vector<std::vector<int>> domains; ///< ranks
    int ranks = 0;
    int members = 0;       ///< g: the smallest number of members in a domain
    bool even = true;      ///< all domains have g
    bool connected = true; ///< one domain, or a fabric between domains

    int domainCount() const { return static_cast<int>(domains.size()); }
};

GroupLayout layoutOf(const Fabric& fabric, const std::vector<int>& ranks);

/// Bytes/s that a rank's own network interfaces carry per direction; the least over the ranks. One that several of them own is
/// shared out evenly. 0: some rank has none.
double interfaceBandwidth(const Fabric& fabric, const std::vector<int>& ranks);

/// What a group sends between its scale-up domains: every member to its like in the next domain, the last domain's to the first's, all at the same
/// pace, as the rings of a communication library do with an interface each. For any number of bytes of one member; no latency. Of a group
/// within one domain empty.
TransferPattern domainRing(Router& router, const GroupLayout& layout);

/// Bytes/s of each member at which these go alone on their links: the narrowest link over the members that cross it.
double aloneRate(const TransferPattern& ring, const std::vector<double>& capacities);

} // namespace orrery
