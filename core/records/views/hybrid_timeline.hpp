// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/ranks/hybrid_run.hpp"
#include "core/records/views/record_timeline.hpp"

#include <cstddef>
#include <vector>

namespace orrery {

/// More ranks than these are not drawn: recorded ones come first, then the first of every class.
inline constexpr std::size_t mostHybridRanks = 256;

/// A hybrid replay as a timeline, ranks of a class beneath each other: a stage for each rank with one lane, in which work between collectives, waiting and transit alternate. The roles say who was
/// recorded and who is played after which rank. `drawn` gets the places in HybridRun::ranks, by stage.
RecordTimeline hybridTimeline(const HybridRun& run, std::vector<std::size_t>& drawn);

/// The same matrix as that of recorded ranks (recorded_job.hpp), among the ranks that are drawn.
std::vector<std::vector<double>> waitingMatrix(const HybridRun& run, const std::vector<std::size_t>& drawn);

} // namespace orrery
