// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/rank_work/rank_work.hpp"

namespace orrery {

/// Work as it runs on an accelerator on which every kernel takes longer (Straggler). What is no kernel is not slower there: collectives
/// take the network's time, launches the host's. Kernels of more time hide more of both.

/// How many times as long an operator takes where kernels take `slowdown` times as long.
double slowdownOf(const Operator& op, double slowdown);

/// The operators with the times they have there.
std::vector<TimedOperator> withSlowKernels(std::vector<TimedOperator> operators, double slowdown);

/// A segment of a piece placed again with its operators' times in `pool`; its entries index into it as before.
BuiltSegment placedAgain(const Segment& segment, SegmentOptions options, const std::vector<TimedOperator>& pool);

/// The pieces of a rank's work; segments beside them stay as they are.
RankWork withSlowKernels(RankWork work, double slowdown, const SegmentOptions& options);

} // namespace orrery
