// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/flow_system.hpp"
#include "tests/support/random_topology.hpp"

#include <string>
#include <vector>

namespace orrery::test {

/// Flows on a network, to be simulated.
struct FlowCase {
    std::string what; ///< family, seed, topology and traffic in words, for a failure's message
    std::size_t hosts = 0;
    std::vector<double> capacities;
    std::vector<PointFlow> flows;
};

struct CaseSize {
    double fewestHosts = 10, mostHosts = 2000; ///< about; drawn so that every decade is as likely
    double mostFlows = 3000;
};

/// The same case from the same seed: random pairs, permutations, incast, all-to-all, shifted rings, or rings whose edges
/// advance together (one flow over the concatenation of the edges' paths); starts at once, in waves or one by one; equal or
/// widely different sizes (whole bytes, at least one); in some cases caps.
FlowCase randomFlowCase(TopologyFamily family, std::uint64_t seed, const CaseSize& size);

/// The flows of a case as demands of one moment, as if all had started.
std::vector<FlowDemand> demandsOf(const std::vector<PointFlow>& flows);

} // namespace orrery::test
