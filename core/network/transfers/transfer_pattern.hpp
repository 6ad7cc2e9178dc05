// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine/max_min.hpp"

#include <string>
#include <vector>

namespace orrery {

/// Equal flows that advance together: the edges of a ring, the ports of a reduction in the switch.
struct PatternFlows {
    std::vector<FlowUse> uses;  ///< sorted by link; counts are divided by the share of the link that the wire carries
    double bytesPerByte = 1;    ///< of each flow, for each byte of the collective
    double cap = unlimitedRate; ///< bytes/s of one flow
    bool operator==(const PatternFlows&) const = default;
};

/// Flows that run at the same time, after a latency that has none.
struct PatternPhase {
    double latency = 0; ///< s: the steps' ways one after another
    std::vector<PatternFlows> flows;
};

/// A collective or transfer of certain ranks as flows over links, for any number of bytes.
struct TransferPattern {
    std::string algorithm;            ///< a word of CollectiveWay (core/catalog/collectives/library.hpp)
    std::string formula;              ///< alone on its links, with S bytes, n ranks in D domains of g, W bandwidth, a latency of a step
    double start = 0;                 ///< s before the first phase: what the library's call takes
    std::vector<PatternPhase> phases; ///< one after another
    double upShare = 1;               ///< share of a scale-up port that the library can drive: flows are capped at it
    double outShare = 1;              ///< the same of a link between hosts
    double upWire = 1;                ///< share of a scale-up port that its wire carries of such data, whoever sends: flows take so much more of it
    double outWire = 1;               ///< the same of a link between hosts
    int hops = 0;                     ///< most links that one flow crosses
    bool connected = true;            ///< false: some flow has no way
    int cutFrom = -1, cutTo = -1;     ///< the first two ranks without one
};

/// What a pattern takes when nothing else uses its links.
struct AloneTime {
    double time = 0;     ///< s: all of it
    double transfer = 0; ///< s: what grows with the bytes
    double latency = 0;  ///< s: the rest
};

/// The same as AloneTiming (core/network/transfers/alone_timing.hpp), for a caller that asks once.
AloneTime aloneTime(const TransferPattern& pattern, double bytes, const std::vector<double>& capacities);

} // namespace orrery
