// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/segments/segment_builder.hpp"

namespace orrery {

/// Two segments that nothing binds, run together on one rank: each keeps its order, and whichever's next operator can start first
/// is started, so that the collectives of one hide behind the kernels of the other (DeepSeek-V3, arXiv 2412.19437, section 3.2.1). Where both
/// can, the one that is nearer to a collective goes first: the backward's combine runs beside the forward's attention, as in Megatron-Core
/// (core/models/common/model_chunk_schedule_plan.py).
/// `pool` holds the operators of both. The host launches for both.
BuiltSegment buildPairSegment(const Segment& one, const Segment& other, const SegmentOptions& options, const std::vector<TimedOperator>& pool);

} // namespace orrery
