// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/planner/planner.hpp"

#include <string>
#include <vector>

namespace orrery {

/// Why the best plan is the best, what it waits for and leaves unused, how sure it fits and how sure it is before the others; what was assumed.
/// Plain sentences. The answer's plans, margin and probabilities are known.
std::vector<std::string> reasonsOf(const PlanAnswer& answer, const PlanRequest& request);

} // namespace orrery
