// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/result.hpp"

namespace orrery {

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
