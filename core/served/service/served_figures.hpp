// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/network/routing/routed_fabric.hpp"
#include "core/results/report/result.hpp"
#include "core/results/report/serving_report.hpp"
#include "core/served/service/engine_pool.hpp"
#include "core/served/service/known_steps.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// The cache of the instances that decode.
CacheReport cacheOf(const std::vector<EnginePool>& pools);

/// What a served workload comes to per accelerator, in money and energy, and its cache.
void fillServedFigures(ServingReport& report, const Economics& economics, const std::vector<EnginePool>& pools, const ServingOutcome& outcome);

/// Rows of a typical step of each phase, as often as the tokens of the instances ask for, mean over all accelerators: what the steps' time went into.
void addServedOperations(Result& result, const std::vector<EnginePool>& pools, const ServingReport& report);

/// All instances in time.
Timeline servedTimelineOf(const std::vector<EnginePool>& pools, const ServingReport& report);

/// A scenario's place among those that a search asks for.
struct ServedPlace {
    std::size_t hardware = 0;    ///< those with the same number differ in nothing but plans, limits of engines and requests
    std::size_t otherLimits = 0; ///< those with the same number differ in max_num_seqs alone
};

/// Figures of served scenarios, bit for bit those of simulateServing, without what explains them: no steps, timeline, causes, operators. What
/// depends on fewer keys than all is found out once: engines and the times of their steps, the way over the network, runs whose limit of
/// sequences nobody came up against. One thread's.
class ServedFigures {
public:
    struct Answer {
        std::optional<ServingReport> report; ///< nothing: a cap can't be kept
    };

    /// Nothing: only simulateServing says what is with it (no room, no way, jobs beside), or it was stopped. `gaps`: whether anybody asks for
    /// the time between tokens.
    std::optional<Answer> of(const Scenario& scenario, const ServingWorkload& workload, const ServedPlace& place, const std::vector<LatencyCap>& caps, bool gaps, const RunControl& control = {});

private:
    /// A run of engines with these settings, by instance, and how many requests each had at most.
    struct Run {
        std::vector<EngineSettings> settings;
        std::vector<int> most;
        Answer answer;
    };
    /// A fabric refers to its cluster; that of a scenario is gone before the next.
    struct OwnedFabric {
        explicit OwnedFabric(const Cluster& given) : cluster(given), routed(cluster) {}
        Cluster cluster;
        RoutedFabric routed;
    };
    const Answer* sameRun(std::size_t otherLimits, const std::vector<EngineSettings>& settings) const;
    static bool isSame(const Run& run, const std::vector<EngineSettings>& settings);

    EngineShelf shelf_;
    std::map<std::size_t, std::shared_ptr<OwnedFabric>> fabrics_; ///< by hardware
    std::map<std::size_t, std::vector<Run>> runs_;                ///< by `otherLimits`
};

} // namespace orrery
