// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/recorded_job.hpp"

#include <cstdint>
#include <vector>

namespace orrery {

/// A step of the longest chain of what waits for what, from the record's begin to its end.
struct PathStep {
    static constexpr std::uint32_t onHost = ~std::uint32_t{0};
    std::size_t place = 0;              ///< of the rank
    std::uint32_t deviceEvent = onHost; ///< index into its device events; onHost: calls of its host
    std::int64_t start = 0, end = 0;    ///< ns on the clock of all; steps meet or leave a gap that nothing recorded explains
};

/// The critical path through the ranks' dependency graphs (core/records/ranks/device_graph.hpp): from the last work of all devices back to what it waited for, at a collective over to the
/// rank that came to it last. In order of time.
std::vector<PathStep> criticalPath(const RecordedJob& job);

} // namespace orrery
