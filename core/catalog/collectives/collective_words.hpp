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

/// What carries a collective or a transfer, in results and in what is asked of patterns. All-to-all and sends have ways of their own.
enum class CollectiveWay : std::uint8_t { none, ///< nothing is sent
                                          ring,
                                          tree,
                                          hierarchical,
                                          nvls,
                                          nvls_tree, ///< NVLS in each domain, trees between them
                                          pairwise,
                                          deduplicated, ///< a token goes once to each domain that has any of its experts
                                          direct };

template <> struct WordsOf<CollectiveWay> {
    static constexpr std::array table{Word{CollectiveWay::none, "none"}, Word{CollectiveWay::ring, wordOf(CollectiveAlgorithm::ring)},
                                      Word{CollectiveWay::tree, wordOf(CollectiveAlgorithm::tree)},
                                      Word{CollectiveWay::hierarchical, wordOf(CollectiveAlgorithm::hierarchical)},
                                      Word{CollectiveWay::nvls, wordOf(CollectiveAlgorithm::nvls)}, Word{CollectiveWay::nvls_tree, "nvls_tree"},
                                      Word{CollectiveWay::pairwise, "pairwise"}, Word{CollectiveWay::deduplicated, "deduplicated"},
                                      Word{CollectiveWay::direct, "direct"}};
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
