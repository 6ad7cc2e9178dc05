// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/traces/kineto_reader.hpp"

#include <string>
#include <string_view>

namespace orrery {

/// Warns of times that can't be read and of durations below 0: where the first of them is, and what was kept. `unit`: what the file counts, "event"
/// or "row of CUPTI_ACTIVITY_KIND_KERNEL".
void warnOfDamage(const KinetoTrace& trace, std::string_view unit, const std::string& fileName, Problems& problems);

/// Warns of a device's clock that jumps by an hour or more.
void warnOfJump(const KinetoTrace& trace, const std::string& fileName, Problems& problems);

} // namespace orrery
