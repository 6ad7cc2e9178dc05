#pragma once

#include "core/scenario/scenario.hpp"
#include "core/transfers/pattern_maker.hpp"

namespace orrery {

/// How a collective of a group runs on the scenario's cluster: which algorithm, after which start, at which share of the links.
///
/// Where the scenario states a latency of its own for the network that the group uses, the closed forms hold with it: a ring
/// unless `execution.collectives` forces another algorithm, at the links' full rate. Otherwise the communication library's
/// measured behaviour stands in: its choice of algorithm and protocol by size and place, its start, its share of the links.
PatternRequest chooseCollective(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind,
                                double bytes);

} // namespace orrery
