// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/network/checks.hpp"
#include "core/network/cluster.hpp"

#include <string>

namespace orrery {

/// Hosts that can't exchange data with the others, one problem for each island of them, with the links that would join it
/// where the drawing suggests some. For drawings whose nodes and links make sense otherwise; see checkTopology.
Problems checkReach(const Cluster& cluster, const std::string& pointer, const NodeLabels& labels);

} // namespace orrery
