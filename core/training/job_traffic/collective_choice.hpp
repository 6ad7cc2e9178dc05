// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/expert_exchange.hpp"
#include "core/network/routing/router.hpp"
#include "core/network/transfers/pattern_maker.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

/// One way to run a collective, and what it is predicted to take on a network that joins its domains evenly.
struct CollectiveOption {
    PatternRequest request;
    double time = 0; ///< s
};

/// What the library is asked of a collective of these ranks, but for its bytes: where they sit, and what joins them.
LibraryRequest libraryQuestion(const Scenario& scenario, Router& router, const std::vector<int>& ranks, CollectiveKind kind);

/// How a collective of a group may run on the scenario's cluster, what is predicted to be fastest first: with which algorithm, after which
/// start, at which share of the links. At least one.
///
/// The communication library's measured behaviour: its algorithms and protocols by size and place, their start, their share of the
/// links. A bandwidth or latency that the scenario states replaces that number. Where `execution.collectives` asks for stated timing
/// the closed forms hold: a ring unless it forces another algorithm, at the links' full rate and with their latencies as they stand.
std::vector<CollectiveOption> collectiveOptions(const Scenario& scenario, LibraryRequest question, double bytes);

/// The fastest of the options (fastest predicted first) by what `timeOf(request)` says each takes where it runs. Bytes between domains that are
/// joined unevenly take longer than predicted, never shorter: what is predicted to take longer than the best one found is not tried.
template <typename TimeOf>
const PatternRequest& fastestOption(const std::vector<CollectiveOption>& options, TimeOf timeOf) {
    const CollectiveOption* best = &options.front();
    double shortest = options.size() > 1 ? timeOf(best->request) : 0;
    for (std::size_t i = 1; i < options.size() && options[i].time < shortest; ++i) {
        const double time = timeOf(options[i].request);
        if (!(time < shortest)) continue;
        shortest = time;
        best = &options[i];
    }
    return best->request;
}

/// How the model's router chooses among its experts.
Routing routingOf(const Scenario& scenario);

/// Whether tokens go once to each rank. Experts of a fixed capacity get rows by the communication library's all-to-all whatever the
/// profile says (Megatron-Core: moe_expert_capacity_factor only works with the alltoall dispatcher), and so do experts whose
/// matrices are shared out.
bool deduplicatesTokens(const Scenario& scenario);
/// Whether every rank gathers all tokens of its expert group (Megatron-Core's allgather dispatcher). Not so either with a fixed capacity or shared matrices.
bool gathersTokens(const Scenario& scenario);

/// The deduplicated exchange of a group of ranks; the collective's bytes are those of its tokens, each once per rank it goes to.
PatternRequest chooseExchange(const Scenario& scenario, Router& router, const std::vector<int>& ranks);

} // namespace orrery
