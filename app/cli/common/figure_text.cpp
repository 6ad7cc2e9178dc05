// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/common/figure_text.hpp"

#include "app/cli/common/text.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"

#include <vector>

namespace orrery {

std::string figureText(const Measure& measure, const Json& value) {
    if (value.is_null()) return "–";
    if (!value.is_number()) return value.is_string() ? value.get<std::string>() : value.dump();
    const std::vector<std::string> steps = pointerParts(measure.pointer);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (step->ends_with("bytes")) return bytesText(value);
        if (step->ends_with("_s") && !step->ends_with("per_s")) return timeText(value);
    }
    return formatNumber(value);
}

} // namespace orrery
