// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/network/cluster.hpp"

// The words of a drawn topology.

namespace orrery {

template <> struct WordsOf<NodeKind> {
    static constexpr std::array table{Word{NodeKind::host, "host"}, Word{NodeKind::switch_, "switch"}};
};

template <> struct WordsOf<RoutingKind> {
    static constexpr std::array table{Word{RoutingKind::shortest, "shortest"}, Word{RoutingKind::dimension_order, "dimension_order"},
                                      Word{RoutingKind::valiant, "valiant"}};
};

} // namespace orrery
