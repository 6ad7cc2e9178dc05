// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/collectives/expert_exchange.hpp"
#include "core/network/routing/router.hpp"
#include "core/network/transfers/pattern_maker.hpp"
#include "core/scenario/scenario.hpp"

#include <vector>

namespace orrery {

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
