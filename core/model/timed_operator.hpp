// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"
#include "core/model/graph.hpp"

#include <cstdint>
#include <string_view>

namespace orrery {

/// What keeps an operator from being faster.
enum class Bound : std::uint8_t { compute,
                                  memory,
                                  network,
                                  latency };
std::string_view toString(Bound bound);

/// An operator with its time, as it appears on the timeline; shared by all its instances. Per rank.
struct TimedOperator {
    Operator op;
    double time = 0; ///< s, one instance
    Bound bound = Bound::compute;
    Source source = Source::roofline;
};

} // namespace orrery
