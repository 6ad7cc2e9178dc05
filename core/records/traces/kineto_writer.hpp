// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/kineto_reader.hpp"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A tensor that an operator was given.
struct TensorShape {
    std::vector<std::int64_t> dimensions;
    std::string type; ///< of its elements, in PyTorch's words: "c10::BFloat16"; empty: not said
};

/// One argument: no tensor, one, or a list of them.
using ArgumentShape = std::vector<TensorShape>;

/// The arguments of an entry of KinetoTrace::shapes. A scalar stands as no tensor; text that isn't a list of shapes ends the reading there.
std::vector<ArgumentShape> argumentShapes(std::string_view text);

/// The same as two members of JSON, "Input Dims" and "Input type".
std::string shapesText(std::string_view text);

/// Writes a trace as JSON that Perfetto, chrome://tracing and readTraceText open: operators, calls of the runtime, kernels with arrows from their launches, collectives,
/// memory, rank and world size, times to the nanosecond. Kernels that count as communication have "communication" among their arguments. What the reader counts and does not keep (other events' phases, arguments) is not there.
void writeKineto(const KinetoTrace& trace, std::ostream& out);

} // namespace orrery
