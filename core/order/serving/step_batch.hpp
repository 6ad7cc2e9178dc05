// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace orrery {

/// What an engine computes in one step: all that the time of the step depends on.
struct StepBatch {
    /// Part of a prompt (or of what a preempted request had generated).
    struct Chunk {
        int tokens = 0;  ///< that are computed
        int context = 0; ///< tokens before them, whose keys and values are in the cache
    };
    std::vector<Chunk> prefills;
    int decodes = 0;          ///< requests that compute their newest token, and draft tokens behind it
    double decodeContext = 0; ///< tokens before it in the cache: mean of these requests
    int draftTokens = 0;      ///< that are verified: sum of these requests

    bool isEmpty() const { return prefills.empty() && decodes == 0; }
    /// All that the step computes.
    int tokens() const {
        int sum = decodes + draftTokens;
        for (const Chunk& chunk : prefills) sum += chunk.tokens;
        return sum;
    }
};

/// How long a step takes. The engine knows nothing else of models and machines.
class StepClock {
public:
    virtual ~StepClock() = default;
    /// s, at least 0, the same for the same batch: the engine asks for steps that it may not run.
    virtual double seconds(const StepBatch& batch) const = 0;
};

} // namespace orrery
