// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/result.hpp"

namespace orrery {
namespace {

struct KindOf {
    std::string_view operator()(const TrainingMetrics&) const { return "training"; }
    std::string_view operator()(const InferenceMetrics&) const { return "inference"; }
    std::string_view operator()(const ServingReport&) const { return "serving"; }
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

} // namespace orrery
