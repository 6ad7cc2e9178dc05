// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/network/cluster.hpp"

#include <optional>

#include <vector>

namespace orrery {

/// What a network is called by: bytes/s per accelerator and direction that the best cabled host has to the network; 0: no host is
/// cabled. One 400 Gb/s interface an accelerator is 50 GB/s, in a short form and in a drawing alike.
double networkSpeed(const std::vector<TopologyNode>& nodes, const std::vector<TopologyLink>& links);

/// The same of a scenario document's cluster in GB/s: as it states it, else as its links are drawn; nothing where it says neither.
/// Reads what can be read: the scenario's reader tells what is wrong.
std::optional<double> statedNetworkSpeed(const Json& cluster);
/// The speed that `cluster/topology` draws, whatever is stated beside it.
double drawnNetworkSpeed(const Json& topology);

/// Makes all cables as many times as fast as it takes for the network to have this speed (bytes/s). What the drawing says of their
/// shares (leaves and spines, slower hosts) stays. False: no host is cabled, and nothing changed.
bool setNetworkSpeed(Cluster& cluster, double speed);

} // namespace orrery
