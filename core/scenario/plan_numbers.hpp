// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/architecture.hpp"
#include "core/order/schedule/generators.hpp"
#include "core/scenario/scenario.hpp"

#include <cstdint>
#include <optional>

namespace orrery {

/// The numbers of a training plan that must fit together, wide enough that no product of them overflows.
struct PlanNumbers {
    std::int64_t accelerators = 1;
    std::int64_t tensor = 1;
    std::int64_t context = 1;
    std::int64_t pipeline = 1;
    std::int64_t expert = 1;
    std::int64_t expertTensor = 1;
    std::int64_t chunksPerStage = 1;
    std::int64_t sequenceLength = 1;
    std::int64_t globalBatch = 1;
    std::int64_t microBatch = 1;
    bool sequence = false;
    bool exchangesHeads = false; ///< context ranks exchange heads for tokens
    bool copiesKeyHeads = true;  ///< FrameworkProfile::copiesKeyHeads
    std::int64_t shardGroup = 0; ///< 0: not given
    ScheduleKind schedule = ScheduleKind::one_f_one_b;
    std::optional<Architecture> model; ///< empty while the model has a problem of its own

    std::int64_t modelRanks() const { return tensor * context * pipeline; }
    std::int64_t chunks() const { return pipeline * chunksPerStage; }
    /// Data-parallel ranks; meaningful when the ranks fit.
    std::int64_t data() const { return accelerators / modelRanks(); }
    std::int64_t microBatches() const { return globalBatch / (microBatch * data()); }
};

/// One predicate a rule; what the problems name and what a mend must keep true.
bool headsSplit(const PlanNumbers& plan);
bool keyValueHeadsSplit(const PlanNumbers& plan);
bool feedForwardSplits(const PlanNumbers& plan);
bool ranksFit(const PlanNumbers& plan);
bool expertsSplit(const PlanNumbers& plan); ///< true while the ranks do not fit
bool layersSplit(const PlanNumbers& plan);
bool batchSplits(const PlanNumbers& plan); ///< false too when the ranks do not fit
bool sequenceSplits(const PlanNumbers& plan);
bool contextSplits(const PlanNumbers& plan); ///< the sequence, in two pieces a rank
bool contextHeadsSplit(const PlanNumbers& plan);
bool shardGroupFits(const PlanNumbers& plan); ///< true while the ranks do not fit
bool scheduleFits(const PlanNumbers& plan);   ///< chunks, stages and micro-batches that the schedule can run
/// Why the schedule can't run these stages and micro-batches; nothing when it can or when nobody knows them.
std::optional<ShapeRefusal> scheduleRefusal(const PlanNumbers& plan);
bool sizeIsFeasible(const PlanNumbers& plan);

/// The most forward (or backward) pieces of work of one iteration, micro-batches × chunks: beyond it a simulation event
/// by event would need minutes and gigabytes.
inline constexpr std::int64_t mostPieces = 4'000'000;

/// The value of one number nearest in ratio to the present one that satisfies `rule`; of several, one that satisfies
/// every rule is preferred. Nothing when no value in 1…most does.
using PlanRule = bool (*)(const PlanNumbers&);
std::optional<std::int64_t> nearestWorking(const PlanNumbers& plan, std::int64_t PlanNumbers::*number, std::int64_t most,
                                           PlanRule rule);

} // namespace orrery
