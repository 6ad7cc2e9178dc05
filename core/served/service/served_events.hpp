// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/results/report/result.hpp"
#include "core/scenario/scenario.hpp"
#include "core/served/service/engine_pool.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// What came of requests, and of the jobs beside them.
struct ServedEvents {
    std::optional<ServingOutcome> outcome; ///< nothing: it was stopped, or can't run
    std::vector<BesideReport> beside;
    Problems problems; ///< what makes it impossible
};

/// How much of a run is asked for.
struct ServedAsked {
    bool steps = true;                        ///< one by one
    bool gaps = true;                         ///< between tokens
    LatencyCaps* caps = nullptr;              ///< once these are broken the run is not gone on with; null: none
    std::vector<int>* mostRequests = nullptr; ///< as in ServingSettings
    std::shared_ptr<RoutedFabric> fabric;     ///< of the scenario's cluster, where it is known already
};

/// Runs the requests on the pools' instances. Keys and values that go from prefill to decode share the drawn network's links with each other,
/// with traffic that the drawing states and with the jobs beside. Where no instance sends another anything and nothing runs beside, no
/// network is looked at.
ServedEvents runServed(const Scenario& scenario, const ServingWorkload& workload, const RequestList& requests, const std::vector<EnginePool>& pools, const RunControl& control, const ServedAsked& asked = {});

} // namespace orrery
