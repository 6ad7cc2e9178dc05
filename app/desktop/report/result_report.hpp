// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/report/report.hpp"
#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"

namespace orrery {

/// The report of a result: its figures, why they are so, charts, memory, operators, what was assumed, how sure it is, where each figure comes
/// from, and the scenario that gives it again.
Report reportOf(const Result& result, const Json& scenario, std::vector<ReportChart> charts);

} // namespace orrery
