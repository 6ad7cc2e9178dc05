// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/engine_settings.hpp"

#include <memory>

namespace orrery {

class Scheduler;

/// The rules by which an engine chooses what runs in a step. It moves requests between the scheduler's queues and puts chunks into the plan.
class SchedulingStrategy {
public:
    virtual ~SchedulingStrategy() = default;
    virtual void plan(Scheduler& scheduler) = 0;
    /// A request this long could be admitted and run to its end, if it had the engine for itself.
    virtual bool canEverRun(const Scheduler& scheduler, int input, int target) const;
    /// After a plan of decodes alone, in which nobody was preempted: until a request ends or arrives, further plans are like it.
    virtual bool isSteady(const Scheduler& scheduler) const;
    virtual void skippedLikeSteps(int steps) { (void)steps; }
};

/// Running requests first, each gets its tokens; then those waiting fill the step. Engines of this kind differ in whom they admit.
struct RunningFirstRules {
    bool wholePrompt = false;    ///< a request is admitted when all its tokens so far have a place, not only the first chunk
    double watermark = 0;        ///< share of the pool that admission leaves free
    bool reservesAnswer = false; ///< admitted only if it can run to its end without anybody's preemption
};
std::unique_ptr<SchedulingStrategy> makeRunningFirst(const RunningFirstRules& rules);
/// Waiting prompts have steps of their own, as long as some can be admitted (vLLM V0 without chunked prefill).
std::unique_ptr<SchedulingStrategy> makePrefillFirst(double watermark);
/// SGLang's: prefill first, admission by an estimate of what running requests will come to need.
std::unique_ptr<SchedulingStrategy> makeSglang();

} // namespace orrery
