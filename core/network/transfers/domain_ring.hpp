// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/router.hpp"
#include "core/network/transfers/group_layout.hpp"
#include "core/network/transfers/transfer_pattern.hpp"

namespace orrery {

/// What a group sends between its scale-up domains: every member to its like in the next domain, the last domain's to the first's, all at the same
/// pace, as the rings of a communication library do with an interface each. For any number of bytes of one member; no latency. Of a group
/// within one domain empty.
TransferPattern domainRing(Router& router, const GroupLayout& layout);

/// Bytes/s of each member at which these go alone on their links: the narrowest link over the members that cross it.
double aloneRate(const TransferPattern& ring, const std::vector<double>& capacities);

} // namespace orrery
