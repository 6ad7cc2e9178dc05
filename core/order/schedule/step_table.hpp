// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/schedule/pipeline_schedule.hpp"

#include <array>
#include <optional>
#include <vector>

namespace orrery {

struct StepPlace {
    int stage = -1;
    int index = -1; ///< in the stage's list, from 0
};

/// What a pass leaves behind for others: activations, the gradient of its input, the gradient of its weights.
enum class PassResult : std::uint8_t { activations,
                                       gradient,
                                       weight_gradient };

struct PassInput {
    PassResult result = PassResult::activations;
    int chunk = 0;
    int microBatch = 0;
};

/// The results a pass (not a communication step) needs: a forward those of the chunk before, a backward those of the chunk after and its
/// own forward's, a weight part its input part's.
struct PassInputs {
    std::array<PassInput, 2> inputs;
    int count = 0;

    const PassInput* begin() const { return inputs.data(); }
    const PassInput* end() const { return inputs.data() + count; }
};
PassInputs inputsOf(const PipelineStep& pass, const Placement& placement);

/// Which step leaves which result; every step's chunk and micro-batch within the placement's, the first of several counts.
class StepTable {
public:
    explicit StepTable(const PipelineSchedule& schedule);

    /// The step that leaves `input`, or a place with stage −1.
    const StepPlace& maker(const PassInput& input) const { return places_[slot(input.result, input.chunk, input.microBatch)]; }

private:
    std::size_t slot(PassResult result, int chunk, int microBatch) const {
        const auto row = static_cast<std::size_t>(result) * static_cast<std::size_t>(chunks_) + static_cast<std::size_t>(chunk);
        return row * static_cast<std::size_t>(microBatches_) + static_cast<std::size_t>(microBatch);
    }

    int chunks_;
    int microBatches_;
    std::vector<StepPlace> places_;
};

/// Steps that run at once, from `index` on: a pass, a pair that runs together, or a run of communication steps posted together.
int unitLength(const std::vector<PipelineStep>& steps, int index);

} // namespace orrery
