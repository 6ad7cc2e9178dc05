// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/schedule/pipeline_schedule.hpp"

namespace orrery {
namespace {

const char* nameOf(PassKind kind) {
    switch (kind) {
    case PassKind::forward: return "forward";
    case PassKind::backward: return "backward";
    case PassKind::backward_input: return "backward of the input";
    case PassKind::backward_weight: return "backward of the weights";
    case PassKind::send_activations: return "sending the activations";
    case PassKind::receive_activations: return "receiving the activations";
    case PassKind::send_gradients: return "sending the gradients";
    case PassKind::receive_gradients: return "receiving the gradients";
    }
    return "unknown step";
}

} // namespace

std::string toText(const PipelineStep& step) {
    return std::string(nameOf(step.kind)) + " of micro-batch " + std::to_string(step.microBatch) + ", chunk " + std::to_string(step.chunk);
}

std::string withArticle(const PipelineStep& step) { return (isCommunication(step.kind) ? "" : "the ") + toText(step); }

} // namespace orrery
