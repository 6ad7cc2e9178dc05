// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/planner/asked_machine.hpp"
#include "core/answers/planner/planner.hpp"
#include "core/base/boxed_json.hpp"
#include "core/scenario/scenario.hpp"

#include <string>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// The scenario of a question without a plan: model, machine, work and framework.
Json askedScenario(const PlanRequest& request, const AskedMachine& machine, const Architecture& model);

/// The same with a `search` over all that a training plan may choose: degrees, chunks, experts' layout, ZeRO, micro-batch, recomputation and
/// tensor overlap. `ladder`: modules that recipes make again. `memoryLimit`: bytes that a plan's peak may reach. `offload`: also optimizer states in host memory.
Json trainingSpace(const Json& asked, const AskedMachine& machine, const Architecture& model, const FrameworkProfile& profile, const std::vector<std::vector<std::string>>& ladder, double memoryLimit, bool offload);

/// Why a framework would not start a plan that the scenario's rules allow; empty: it would. Megatron-Core hides experts' exchange (`overlap_moe_expert_parallel_comm`) behind
/// another micro-batch's layers: it takes experts on several ranks, chunks where there are stages, and no whole layers made again
/// (megatron/core/transformer/transformer_config.py of core 0.14).
std::string frameworkRefuses(const std::vector<ScenarioEdit>& plan);

/// The same over engines that serve: how they lie on accelerators, how many there are, limits of a step. Without a rate there is one engine, and the search
/// goes over how many users it has.
Json servedSpace(const Json& asked, const AskedServing& serve, const AskedMachine& machine, const Architecture& model);

/// Accelerators of one engine with a scenario's `/parallelism`.
int ranksOf(const Json& parallelism);

/// The framework profile of a question: the one that it names (null: nobody knows it), else the usual one for such work on such accelerators.
const FrameworkProfile* askedFramework(const PlanRequest& request, const AskedMachine& machine, const Catalog& catalog);

} // namespace orrery
