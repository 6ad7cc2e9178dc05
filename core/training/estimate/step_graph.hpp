// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace orrery {

/// Whether a chunk's weight gradients are whole for the micro-batch when the pass has ended.
inline bool endsGradients(PassKind kind) { return kind == PassKind::backward || kind == PassKind::backward_weight; }

/// What the passes of all micro-batches through one chunk on one stage have in common.
struct PassClass {
    PassKind kind = PassKind::forward;
    int chunk = 0; ///< of the model
    int stage = 0;
    int slot = 0;
    int sendTo = -1; ///< stage that gets the result over a link; -1: nobody
};

/// What a stage runs at once: a pass, or a forward and a backward together.
struct WorkClass {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::array<std::uint32_t, 2> passes{none, none}; ///< indices into StepGraph::passes
    int stage = 0;
    bool isPair() const { return passes[1] != none; }
};

/// A pipeline schedule ready to be played fast: all stages' work in one list in which each stands behind what it waits for.
struct StepGraph {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Step {
        std::uint32_t work = 0;                          ///< index into `works`
        std::array<std::uint32_t, 2> awaits{none, none}; ///< by pass: 2 × a step of another stage + which of its passes hands its result on
        bool forwardIsFirst = false;                     ///< of its slot
        bool gradientsAreLast = false;                   ///< of its slot
        std::uint32_t nextWork = none;                   ///< of what its stage runs next
    };
    /// Work at which a stage's memory may be at its peak: no other of its class finds more micro-batches everywhere.
    struct FullMoments {
        std::vector<std::uint32_t> works; ///< by moment
        std::vector<int> inFlight;        ///< by moment and slot, as the work begins: forward done, no backward
        std::vector<int> halfDone;        ///< likewise: the weight part is left
    };

    int stages = 1;
    int chunks = 1; ///< of the model
    int microBatchCount = 1;
    std::vector<PassClass> passes;
    std::vector<WorkClass> works;
    std::vector<int> stepsOf; ///< by work: how many steps run it
    std::vector<Step> steps;
    std::vector<std::array<int, 2>> microBatches; ///< by step and pass
    std::vector<std::uint32_t> nextStep;          ///< by step: what its stage runs next, or none
    std::vector<std::uint32_t> firstStep;         ///< by stage
    std::vector<std::vector<int>> held;           ///< by stage: chunks of the model, by slot
    std::vector<FullMoments> fullMoments;         ///< by stage
    int firstStage = 0, lastStage = 0;            ///< of the model's first and last chunk
    std::vector<int> mostInFlight;                ///< by stage, as in the schedule
    bool hasPairs = false;
    bool splits = false; ///< some backwards run in two parts
    bool twoWay = false; ///< stages hold the same chunks two by two
};

/// The schedule has no communication steps. Throws std::logic_error when it waits in a circle.
StepGraph makeStepGraph(const PipelineSchedule& schedule);

} // namespace orrery
