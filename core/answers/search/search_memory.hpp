// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/sweep.hpp"
#include "core/answers/explore/trials.hpp"
#include "core/base/boxed_json.hpp"
#include "core/training/estimate/estimated_plan.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace orrery {

/// One thread's estimators, by family (`Candidate::family`).
using FamilyEstimates = std::map<std::size_t, PlanEstimates>;

/// What a search of training plans found out about pieces, collectives and schedules, for the next search of the same scenario, or of one with
/// another global batch, other values of the plan, or links of another bandwidth or latency. What it finds does not depend on it. Not for two
/// searches at once.
class SearchMemory {
public:
    /// What is known for this search, by thread; nothing where the scenario differs in more, or reads its model from a file, which may have
    /// changed.
    std::vector<FamilyEstimates> take(const Trials& trials, const SweepQuestion& space, std::size_t threads);
    void keep(std::vector<FamilyEstimates> known) { known_ = std::move(known); }

private:
    BoxedJson scenario_;               ///< that `known_` is of, as far as estimators can't vary it and without links' figures
    BoxedJson links_;                  ///< and these
    const Catalog* catalog_ = nullptr; ///< likewise
    std::vector<FamilyEstimates> known_;
};

} // namespace orrery
