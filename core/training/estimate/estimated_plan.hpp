// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/scenario.hpp"
#include "core/training/estimate/estimator.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace orrery {

/// One step of what `recompute: auto` chooses from.
struct RecomputeChoice {
    RecomputeKind kind = RecomputeKind::none;
    int every = 1;
    double parked = 0; ///< share of activations in host memory
    std::vector<std::string> modules = {};
};

/// What `auto` chooses from, the least recomputation first: every n-th layer whole between the attention core of all and all of all; or
/// more and more of the activations in host memory before anything is made again.
std::vector<RecomputeChoice> recomputeLadder(const Scenario& scenario);

/// Whether `auto` parks activations in host memory: where the host's link carries them beside a layer's work.
bool parksActivations(const Scenario& scenario);

/// The scenario with a step of its ladder in place of `auto`.
void takeChoice(const RecomputeChoice& choice, Scenario& scenario);

/// Estimates of plans of one cluster, model and workload, whatever its global batch: what is found out for one plan is kept for the next. Not for two threads at once.
class PlanEstimates {
public:
    /// Nothing for a plan that is impossible, such as ranks that no way joins. `recompute: auto` takes the least that fits by the
    /// estimate's account.
    std::optional<Estimate> estimate(const Scenario& scenario);
    /// What no estimate says less than, at a small part of its cost; nothing with `recompute: auto`, which takes estimates to settle.
    std::optional<PlanFloor> floor(const Scenario& scenario);
    /// The estimate, with what `recompute: auto` takes put in its place.
    std::optional<Estimate> settle(Scenario& scenario);

    /// The links' bandwidths and latencies are others from now on, and nothing else.
    void rewire() { ++wiring_; }

private:
    Estimator& estimatorOf(const Scenario& scenario);
    std::optional<Estimate> ofSettled(const Scenario& scenario);

    /// What a plan says that an estimator can't vary: attention's kernels and format, and how unevenly experts are loaded.
    using Fixed = std::tuple<AttentionKind, bool, double>;
    struct Known {
        std::unique_ptr<Estimator> estimator;
        int wiring = 0; ///< as `wiring_`
    };
    std::map<Fixed, Known> estimators_;
    int wiring_ = 0; ///< counts sets of links
};

} // namespace orrery
