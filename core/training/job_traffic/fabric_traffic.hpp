// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/network/transfers/transfer_pattern.hpp"

#include <vector>

namespace orrery {

/// Traffic of others that the fabric's cluster states: it is on its way all the time.
std::vector<FlowDemand> backgroundTraffic(RoutedFabric& routed);

/// The problem with a pattern that is not connected.
Problem noWay(const Fabric& fabric, const TransferPattern& pattern);

} // namespace orrery
