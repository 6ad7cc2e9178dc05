// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"

#include <cstdint>

namespace orrery {

/// Algorithms of a communication library that a scenario can ask for.
enum class CollectiveAlgorithm : std::uint8_t { ring,
                                                tree,
                                                hierarchical,
                                                nvls };

template <> struct WordsOf<CollectiveAlgorithm> {
    static constexpr std::array table{Word{CollectiveAlgorithm::ring, "ring"}, Word{CollectiveAlgorithm::tree, "tree"},
                                      Word{CollectiveAlgorithm::hierarchical, "hierarchical"}, Word{CollectiveAlgorithm::nvls, "nvls"}};
};

/// Protocols that NCCL moves data by: 4 of every 8 bytes are data, 120 of 128, all.
enum class CollectiveProtocol : std::uint8_t { low_latency,
                                               low_latency_128,
                                               simple };

template <> struct WordsOf<CollectiveProtocol> {
    static constexpr std::array table{Word{CollectiveProtocol::low_latency, "LL"}, Word{CollectiveProtocol::low_latency_128, "LL128"},
                                      Word{CollectiveProtocol::simple, "Simple"}};
};

} // namespace orrery
