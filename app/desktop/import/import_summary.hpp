// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"

#include <QString>

#include <vector>

namespace orrery {

/// One part of a scenario in a line: "Plan", "tensor 8, pipeline 16, sequence on".
struct SummaryLine {
    QString part;
    QString text;
};

/// A scenario document as a few lines, in the document's order: what it says, nothing that would be filled in.
std::vector<SummaryLine> scenarioSummary(const Json& scenario);

} // namespace orrery
