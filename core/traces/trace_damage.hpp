// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/traces/kineto_reader.hpp"

#include <string>
#include <string_view>

namespace orrery {

/// An error about a trace: what, in which file, the mend.
Problem traceFault(std::string code, const std::string& fileName, std::string message, std::string mend);

/// Warns of times that can't be read and of durations below 0: where the first of them is, and what was kept. `unit`: what the file counts, "event"
/// or "row of CUPTI_ACTIVITY_KIND_KERNEL".
void warnOfDamage(const KinetoTrace& trace, std::string_view unit, const std::string& fileName, Problems& problems);

/// Warns of numbers that calls share where each should have its own, and of events of the device that stand twice.
void warnOfDuplicates(const KinetoTrace& trace, const std::string& fileName, Problems& problems);

/// Warns of a device's clock that jumps by an hour or more.
void warnOfJump(const KinetoTrace& trace, const std::string& fileName, Problems& problems);

} // namespace orrery
