// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/result.hpp"

namespace orrery {
namespace {

struct KindOf {
    std::string_view operator()(const TrainingMetrics&) const { return "training"; }
    std::string_view operator()(const InferenceMetrics&) const { return "inference"; }
    std::string_view operator()(const ServingReport&) const { return "serving"; }
    std::string_view operator()(const RlReport&) const { return "rl"; }
};

} // namespace

std::string_view kindOf(const Metrics& metrics) { return std::visit(KindOf{}, metrics); }

std::string_view toString(TimePart part) {
    switch (part) {
    case TimePart::forward: return "forward";
    case TimePart::backward: return "backward";
    case TimePart::recompute: return "recompute";
    case TimePart::tensor_exposed: return "tensor_exposed";
    case TimePart::context_exposed: return "context_exposed";
    case TimePart::expert_exposed: return "expert_exposed";
    case TimePart::pipeline_exposed: return "pipeline_exposed";
    case TimePart::data_exposed: return "data_exposed";
    case TimePart::bubble: return "bubble";
    case TimePart::optimizer: return "optimizer";
    case TimePart::overhead: return "overhead";
    }
    return "";
}

std::optional<OutOfMemory> outOfMemoryOf(const MemoryReport& memory) {
    if (memory.peakBytes <= memory.capacityBytes) return std::nullopt;
    OutOfMemory out;
    out.capacityBytes = memory.capacityBytes;
    for (const StageMemory& stage : memory.stages) {
        if (stage.peakBytes <= out.neededBytes) continue;
        out.neededBytes = stage.peakBytes;
        out.stage = stage.stage;
    }
    return out;
}

} // namespace orrery
