// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"
#include "core/transfers/pattern_maker.hpp"

namespace orrery {

/// How a collective of a group runs on the scenario's cluster: which algorithm, after which start, at which share of the links.
///
/// The communication library's measured behaviour: its choice of algorithm and protocol by size and place, its start, its share of the
/// links. A bandwidth or latency that the scenario states replaces that number. Where `execution.collectives` asks for stated timing
/// the closed forms hold: a ring unless it forces another algorithm, at the links' full rate and with their latencies as they stand.
PatternRequest chooseCollective(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind,
                                double bytes);

/// What the library is asked of a collective of these ranks, but for its bytes: where they sit, and what joins them.
LibraryRequest libraryQuestion(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind);
/// The same choice where the question is known already.
PatternRequest chooseCollective(const Scenario& scenario, LibraryRequest question, double bytes);

} // namespace orrery
