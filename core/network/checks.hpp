// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/network/cluster.hpp"

#include <map>
#include <string>

namespace orrery {

/// What the drawing shows of nodes in place of their ids, by id.
using NodeLabels = std::map<std::string, std::string>;

/// How a message names a node: as the drawing does, with the id that links refer to: Rail 0 ("leaf-0"); or the id alone.
std::string spokenName(const std::string& id, const NodeLabels& labels);

/// What is wrong with a drawn cluster: names used twice, links that lead nowhere, to where they come from or carry nothing,
/// cables drawn twice, hosts without accelerators or that the others can't reach, a routing that the nodes don't tell enough
/// for. Problems name the objects and point below `pointer`
/// ("/cluster/topology": nodes and links by index); where one edit mends it, the edit is there.
Problems checkTopology(const Cluster& cluster, const std::string& pointer, const NodeLabels& labels = {});

} // namespace orrery
