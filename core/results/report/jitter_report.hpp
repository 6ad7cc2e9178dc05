// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/jitter_model.hpp"

#include <vector>

namespace orrery {

/// What jitter makes of the iteration's time on so many ranks, s.
struct JitterPoint {
    int ranks = 0;
    double mean = 0, p5 = 0, p50 = 0, p95 = 0;
    double hosts = 0; ///< of the mean what hosts that differ cost, the slowest above all
};

/// Where the mean's seconds beyond an iteration without jitter come from; the parts sum to them.
struct JitterParts {
    double inLayers = 0;        ///< ranks of a tensor, context or expert group wait for the slowest at each collective
    double betweenStages = 0;   ///< stages of a pipeline for the slowest, micro-batch by micro-batch
    double betweenReplicas = 0; ///< pipelines for the slowest at the end of the iteration
    double hosts = 0;           ///< all for the slowest host
    double transfers = 0;       ///< exposed collectives and sends between replicas and stages
};

struct JitterReport {
    JitterMethod method = JitterMethod::analytic;
    std::uint64_t seed = 0;
    int draws = 0;      ///< of iterations behind mean and percentiles; 0: closed form
    double without = 0; ///< s of an iteration without jitter
    JitterPoint own;    ///< on the scenario's ranks
    JitterParts parts;
    int hostCount = 0;
    double slowestHost = 1; ///< expected factor of the slowest of all hosts
    /// Ascending by ranks, the scenario's own among them: the same work for each rank, with as many data-parallel ranks as that takes.
    std::vector<JitterPoint> curve;
};

} // namespace orrery
