// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/training/plan/run_size.hpp"

#include <optional>

namespace orrery {

/// The problem with a run that would need more memory than it may have; nothing when it may run. The mend is the same plan with as
/// many micro-batches as there is room for; the message holds what the estimate (core/training/estimate) says of the whole batch.
std::optional<Problem> beyondCeiling(const Scenario& scenario, const RunSize& size, const RunControl& control);

/// The same for the cluster alone, whose machines and ways are laid out before anything runs on them.
std::optional<Problem> clusterBeyondCeiling(const Scenario& scenario, const RunControl& control);

} // namespace orrery
