// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <vector>

namespace orrery {

/// Which events of the device were launched before the record began: the last of a step that it doesn't have. Where launches are recorded,
/// these have none and stand before the first in their stream that has one.
std::vector<bool> launchedBefore(const KinetoTrace& trace);

} // namespace orrery
