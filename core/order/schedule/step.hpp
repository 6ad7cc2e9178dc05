// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

/// What a stage does in one step of a pipeline schedule: a pass through a chunk of the model, or one side of handing its result on.
enum class PassKind : std::uint8_t {
    forward,
    backward,        ///< gradients of the input and of the weights at once
    backward_input,  ///< the part the chunk before waits for (Qi et al. 2023 write B)
    backward_weight, ///< the rest, which nothing on another stage waits for (Qi et al. write W)
    send_activations,
    receive_activations,
    send_gradients,
    receive_gradients,
};

/// One step of a stage. Whose list it stands in says on which stage it runs.
struct PipelineStep {
    PassKind kind = PassKind::forward;
    /// The forward or backward runs overlapped with the step after it (DualPipe's F&B): both start together and end together.
    bool withNext = false;
    std::int16_t chunk = 0;      ///< of the model, from 0; of a communication step: the chunk that made what is handed on
    std::int32_t microBatch = 0; ///< from 0

    friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

constexpr bool isCommunication(PassKind kind) { return kind >= PassKind::send_activations; }
constexpr bool isSend(PassKind kind) { return kind == PassKind::send_activations || kind == PassKind::send_gradients; }

/// "backward of the input of micro-batch 3, chunk 1", for messages about schedules.
std::string toText(const PipelineStep& step);
/// The same within a sentence: "the backward of …", "sending the …".
std::string withArticle(const PipelineStep& step);

} // namespace orrery
