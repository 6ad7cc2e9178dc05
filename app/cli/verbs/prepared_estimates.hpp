// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/scenario_files.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/catalog/catalog.hpp"
#include "core/training/estimate/estimated_plan.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Estimates of a training scenario and of what some changes make of it (`orrery-estimate/1`): time and peak memory of an iteration, without a simulation.
/// What is found out for one is kept for the next, so that changes of the plan cost some ten µs where all of their values were seen before. An answer is the
/// same whatever was asked before. Not for two threads at once.
class PreparedEstimates {
public:
    /// Null, with problems, where `path` is no sound scenario (app/common/scenario_files.hpp says what a path may be).
    static std::unique_ptr<PreparedEstimates> of(const std::string& path, Problems& problems);
    PreparedEstimates(const PreparedEstimates&) = delete;
    PreparedEstimates& operator=(const PreparedEstimates&) = delete;
    ~PreparedEstimates();

    /// Nothing, with problems, where the changes make no sound scenario; nothing without one where there is no estimate: of work that is no training, of an
    /// impossible plan, or where links above the hosts hold several stages back.
    std::optional<Json> at(const std::vector<ScenarioEdit>& changes, Problems& problems);

private:
    /// Plans that differ in the values of the same keys.
    struct Family {
        std::vector<PlanKey> keys;          ///< with the values seen
        std::unique_ptr<PlanReader> reader; ///< of those; null: only whole readings do
        std::optional<Scenario> whole;      ///< as it was read last, where a whole reading was needed
    };
    /// What is the same for plans on the same cluster, model and workload.
    struct Ground {
        PlanEstimates estimates;
        std::optional<bool> isUnhindered;       ///< links above the hosts hold nothing back
        std::map<std::string, Family> families; ///< by the keys of the plan that are changed
    };

    PreparedEstimates(Catalog catalog, Json document, FileReader readFile);
    const Scenario* read(Family& family, const std::vector<ScenarioEdit>& plan, const std::vector<ScenarioEdit>& others, const std::vector<ScenarioEdit>& changes, Problems& problems);

    Catalog catalog_;
    Trials trials_;                         ///< of the catalogue above
    std::map<std::string, Ground> grounds_; ///< by the changes that are not the plan's
};

} // namespace orrery
