// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/routing/routed_fabric.hpp"

namespace orrery {

/// Whether every accelerator can send to the one half the cluster further at the rate of its own interface while all others do so too: full bisection
/// bandwidth along the ways that traffic really takes. With less, links above the hosts hold back what is unhindered below.
bool hasFullBisection(RoutedFabric& fabric);

} // namespace orrery
