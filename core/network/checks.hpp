#pragma once

#include "core/base/problem.hpp"
#include "core/network/cluster.hpp"

#include <string>

namespace orrery {

/// What is wrong with a drawn cluster: names used twice, links that lead nowhere or carry nothing, hosts without
/// accelerators or that the others can't reach. Problems name the objects and point below `pointer`
/// ("/cluster/topology": nodes and links by index); where one edit mends it, the edit is there.
Problems checkTopology(const Cluster& cluster, const std::string& pointer);

} // namespace orrery
