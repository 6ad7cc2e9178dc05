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

/// What instances' steps send over links that others use too. A step computes first and then sends: how much of its sending meets others' is what
/// both do of their time, wherever in the step it lies.
class StepTraffic {
public:
    virtual ~StepTraffic() = default;
    /// Whether the instance's steps may meet others. Where they don't, they take what its clock says.
    virtual bool meetsOthers(int instance) const = 0;
    /// s of a step of `batch` in which it sends, its links to itself; not more than the step.
    virtual double alone(int instance, const StepBatch& batch) const = 0;
    /// An instance that computed sends what takes `seconds` alone, more than 0, from `now` on.
    virtual void start(int instance, double seconds, double now) = 0;
    /// When something happens to what is under way next, s: one ends, or goes on otherwise. Infinity: nothing is.
    virtual double nextEvent() = 0;
    /// Lets time pass to `now`, not beyond nextEvent(), and adds the instances that have sent all, in order.
    virtual void takeEnded(double now, std::vector<int>& instances) = 0;
};

} // namespace orrery
