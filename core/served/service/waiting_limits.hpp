// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/serving_report.hpp"
#include "core/served/service/engine_pool.hpp"

#include <cstddef>
#include <vector>

namespace orrery {

/// Mean tokens of prompts and answers.
struct MeanRequest {
    double input = 0, output = 0;

    explicit MeanRequest(const ServingReport& report);
    /// Tokens in the cache halfway through the answer.
    double context() const { return input + output / 2; }
};

/// What keeps requests waiting behind a step.
enum class WaitingLimit { cache,
                          sequences,
                          tokens };

/// A step is written down as it was planned: who waits then was not let in, for want of a place, of tokens or of blocks. Blocks are what
/// lacks where a mean request finds too few beside those that run, or where places and tokens are left all the same: engines keep blocks
/// back for answers that are expected, or after one who lost theirs.
WaitingLimit limitOf(const StepRecord& step, const EnginePool& pool, const MeanRequest& request);

/// Visits the steps of the instances that do one of two phases, with the pool they belong to.
template <typename Visit> void eachStep(const std::vector<EnginePool>& pools, const ServingReport& report, InstanceRole without, Visit visit) {
    std::size_t instance = 0;
    for (const EnginePool& pool : pools)
        for (int i = 0; i < pool.instances() && instance < report.steps.size(); ++i, ++instance)
            if (pool.role != without)
                for (const StepRecord& step : report.steps[instance]) visit(pool, step);
}

/// The cache of an instance by which requests wait, in figures: what it holds, what a mean request takes of it, and how many ran and waited
/// while it was full.
struct FullCache {
    double bytesPerAccelerator = 0; ///< of memory that the engine gives it
    double blocks = 0, blockSize = 0;
    double requestTokens = 0;        ///< of a mean request when its last token is made, or when its prompt is through where answers are made elsewhere
    double requestsHeld = 0;         ///< as many such requests as the blocks hold
    double running = 0, waiting = 0; ///< mean over the time in which the cache was the limit; 0: it never was
};

/// `without`: the role of instances that do not do the phase asked for.
FullCache fullCache(const std::vector<EnginePool>& pools, const ServingReport& report, InstanceRole without);

} // namespace orrery
