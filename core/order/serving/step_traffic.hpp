// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/step_batch.hpp"

#include <vector>

namespace orrery {

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
