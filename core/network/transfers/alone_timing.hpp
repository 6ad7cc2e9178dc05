// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/transfer_pattern.hpp"

#include <vector>

namespace orrery {

/// What a pattern takes when nothing else uses its links, for any number of bytes. Of its links it keeps those that can set the time, and no
/// name of any: patterns of the same shape on other links are equal.
class AloneTiming {
public:
    AloneTiming(const TransferPattern& pattern, const std::vector<double>& capacities);

    /// Exact for a phase of one group of flows; a phase of several is shared out max-min fairly.
    AloneTime of(double bytes) const;

    bool operator==(const AloneTiming&) const = default;

private:
    /// Flows on a link, and its bytes/s.
    struct Load {
        double flows = 1, capacity = 0;
        bool operator==(const Load&) const = default;
    };
    /// Flows that share no link with others of their phase.
    struct FlowsApart {
        double bytesPerByte = 1;
        double rate = 0; ///< bytes/s of one flow
        bool operator==(const FlowsApart&) const = default;
    };
    /// One of these three.
    struct Phase {
        double bytesPerByte = 1, cap = unlimitedRate; ///< of a single group of flows
        std::vector<Load> loads;                      ///< of which none is at least as hard as another on every count
        std::vector<FlowsApart> apart;                ///< different ones alone
        std::vector<PatternFlows> sharing;            ///< by links numbered anew, in their order
        std::vector<double> capacities;               ///< of those
        bool operator==(const Phase&) const = default;
    };

    static Phase ofOne(const PatternFlows& flows, const std::vector<double>& capacities);
    static Phase ofApart(const std::vector<PatternFlows>& groups, const std::vector<double>& capacities);
    static Phase ofSharing(const std::vector<PatternFlows>& groups, const std::vector<double>& capacities);
    static double seconds(const Phase& phase, double bytes);
    static double secondsApart(const Phase& phase, double bytes);
    static double secondsSharing(const Phase& phase, double bytes);

    double latency_ = 0; ///< s
    std::vector<Phase> phases_;
};

} // namespace orrery
