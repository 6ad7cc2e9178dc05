// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/serving/serving_run.hpp"
#include "core/scenario/scenario.hpp"
#include "core/served/inference/step_model.hpp"
#include "core/served/service/engine_account.hpp"
#include "core/served/service/known_steps.hpp"
#include "core/training/job_traffic/cache_traffic.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace orrery {

/// The time of a step by the model of an instance; with several stages, of a round of steps.
class ModelClock : public StepClock {
public:
    ModelClock(std::shared_ptr<const KnownSteps> steps, int mostTokens) : steps_(std::move(steps)), mostTokens_(mostTokens) {}
    double seconds(const StepBatch& batch) const override;
    const StepModel& model() const { return steps_->model(); }
    int mostTokens() const { return mostTokens_; }

private:
    std::shared_ptr<const KnownSteps> steps_;
    int mostTokens_; ///< of a micro-batch
};

/// Instances of an engine that are alike, on the accelerators that they have.
struct EnginePool {
    InstanceRole role = InstanceRole::both;
    EngineOptions options;
    double watts = 0; ///< of an accelerator, by its data sheet; 0: unknown
    std::unique_ptr<ModelClock> clock;
    std::vector<EngineMemory> stages; ///< the cache: what the engine gives it
    EngineMemory memory;              ///< of the fullest stage
    std::int64_t blocks = 0;
    CacheWindow window;                   ///< what layers with windows leave of these behind a long sequence; none in engines that keep it all
    std::vector<std::vector<int>> ranks;  ///< by instance: the cluster's ranks, in the instance's own order
    int apartAccelerators = 0;            ///< that hold the routed experts of its one instance
    EngineMemory apartMemory;             ///< of each of these
    std::optional<EncoderStage> encoders; ///< that prompts come through before they come to this pool
    int encoderAccelerators = 0;

    const StepModel& model() const { return clock->model(); }
    const Parallelism& plan() const { return model().engine().parallelism; }
    int instances() const { return static_cast<int>(ranks.size()); }
    int accelerators() const { return instances() * plan().ranks() + apartAccelerators + encoderAccelerators; }
    /// Bytes that weights, a step, software and cache may take together.
    double mostMemory() const;
    /// What keys and values of a token take over an instance, each counted once.
    double cacheBytesPerToken() const;
    CacheHolder holder(int instance) const { return {plan(), ranks[static_cast<std::size_t>(instance)]}; }
    /// Tokens of the longest request that an empty cache has room for; layers that look back over a window keep no more than that
    /// and a step's tokens.
    std::int64_t longestContext() const;
    /// What one instance plans by.
    InstanceSettings settings() const;
};

/// The pools of a served workload: one, or prefill and decode.
std::vector<EnginePool> enginePools(const Scenario& scenario, const ServingWorkload& workload);
/// The same with engines that are kept from scenario to scenario: `hardware` as EngineShelf takes it.
std::vector<EnginePool> enginePools(const Scenario& scenario, const ServingWorkload& workload, EngineShelf& shelf, std::size_t hardware);

} // namespace orrery
