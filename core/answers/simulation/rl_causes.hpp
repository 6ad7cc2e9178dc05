// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <vector>

namespace orrery {

/// Why a step takes as long as it does, largest first: the parts that it waits for, and what would shorten them by the hosts' shares alone.
std::vector<Cause> rlCauses(const RlReport& report, const RlWorkload& loop);

} // namespace orrery
