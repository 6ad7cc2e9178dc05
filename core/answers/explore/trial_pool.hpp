// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/sweep.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace orrery {

/// Who simulates combinations of a space: threads of this process, or other processes. Whoever asks names combinations, and takes each point as
/// it comes back, in whatever order. For one thread.
class TrialPool {
public:
    struct Done {
        std::size_t index = 0;
        SweptPoint point;
    };

    virtual ~TrialPool() = default;
    /// How many combinations it can have on their way at once; at least 1.
    virtual std::size_t places() const = 0;
    /// Sends a combination on its way; one that is on its way is not sent again.
    virtual void begin(std::size_t index) = 0;
    /// Waits for the next of those on their way. Nothing: the run was stopped, or nothing is on its way.
    virtual std::optional<Done> next() = 0;
    /// Nobody waits for what is on its way any more: it ends as soon as it can, and `next` does not give it.
    virtual void drop() = 0;
};

/// Simulates a combination. A simulation that throws, say for want of memory, is a point without a result that says so.
SweptPoint triedPoint(const Trials& trials, const SweepQuestion& question, std::size_t index, const RunControl& control);

/// `control.threads` threads of this process; with one, the caller's own. All of these outlive the pool.
std::unique_ptr<TrialPool> threadPool(const Trials& trials, const SweepQuestion& question, const RunControl& control);

} // namespace orrery
