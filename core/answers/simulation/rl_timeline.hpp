// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/rl_report.hpp"
#include "core/results/report/timeline.hpp"
#include "core/scenario/rl_workload.hpp"

namespace orrery {

/// One steady step: a row a half, a span a part of the step. With staleness the answers of the next step come beside the training on this one's.
/// Empty where no step ends.
Timeline rlTimeline(const RlReport& report, const RlWorkload& loop);

} // namespace orrery
