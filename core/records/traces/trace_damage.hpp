// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/traces/kineto_reader.hpp"
#include "core/records/traces/loose_json.hpp"

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

/// Says what of a text was repaired, what was left out, and where it breaks off.
void warnOfRepairs(const TextRepairs& repairs, std::size_t bytes, std::int64_t events, const std::string& fileName, Problems& problems);

/// Leaves out events whose time was never set: it is 0, while the others lie an hour later or more. Warns of them.
void dropUnsetTimes(KinetoTrace& trace, const std::string& fileName, Problems& problems);

/// Warns of a trace with events of which none is known as a device's work or as an operator.
void warnOfNothing(const KinetoTrace& trace, const std::string& fileName, Problems& problems);

} // namespace orrery
