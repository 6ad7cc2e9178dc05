// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>

namespace orrery::test {

/// What a generated trace holds.
struct GeneratedTrace {
    std::int64_t kernels = 0, collectives = 0, launches = 0, operators = 0, memoryEvents = 0;
};

/// Writes a trace as PyTorch's profiler would, until it is at least `bytes` long: operators with calls in them on two threads, launches, kernels on two streams with what Kineto says of them, an
/// all-reduce for every 40 kernels, memory, arrows. The same for the same arguments; ranks differ in their clocks and how long they compute.
GeneratedTrace writeGeneratedTrace(std::ostream& out, std::size_t bytes, int rank = 0, int worldSize = 1);

} // namespace orrery::test
