// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/comparison/record_difference.hpp"
#include "core/records/comparison/record_groups.hpp"

#include <string>

namespace orrery {

/// "12.3 ms", "−4.5 µs" without a sign for what is longer.
std::string shortTime(double seconds);

/// A kernel's name without what its templates and arguments say: "vectorized_elementwise_kernel".
std::string shortKernelName(const std::string& name);

/// What a cause is, as a sentence without its end.
std::string causeText(GroupKind kind, const RecordCause& cause);

/// "all kernels of ranks 4 and 5 take 1.30 times as long", of a comparison of `ranks` ranks.
std::string pacedText(const PacedRanks& paced, std::size_t ranks);

/// "all_reduce is hidden less behind other work".
std::string overlapText(const RecordCause& cause);

/// What differs, and why: the first three causes.
std::string summaryText(const RecordDifference& difference);

} // namespace orrery
