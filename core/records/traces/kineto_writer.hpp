// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <iosfwd>

namespace orrery {

/// Writes a trace as JSON that Perfetto, chrome://tracing and readTraceText open: operators, calls of the runtime, kernels with arrows from their launches, collectives,
/// memory, rank and world size, times to the nanosecond. Kernels that count as communication have "communication" among their arguments. What the reader counts and does not keep (other events' phases, arguments) is not there.
void writeKineto(const KinetoTrace& trace, std::ostream& out);

} // namespace orrery
