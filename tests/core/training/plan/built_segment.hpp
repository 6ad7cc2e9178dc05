// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/segments/segment_builder.hpp"

#include <vector>

namespace orrery::test {

/// The operators as one segment, in their order.
inline BuiltSegment builtOf(const std::vector<TimedOperator>& operators, const SegmentOptions& options) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < operators.size(); ++i) all.push_back(i);
    return buildSegment("segment", operators.front().op.phase, all, 100, options, operators);
}

} // namespace orrery::test
