// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/scenario/scenario.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What one collective takes with nothing else of the job on the cluster; a second job's drawn traffic is there.
struct LoneCollective {
    double time = 0;               ///< s: transfer + latency
    double transfer = 0;           ///< s, the part that grows with the bytes
    double latency = 0;            ///< s, the rest: the call's start and the steps' ways
    std::string algorithm;         ///< a word of CollectiveWay
    std::string protocol;          ///< of the library; empty where closed forms hold
    std::string formula;           ///< see core/network/transfers/pattern_maker.hpp
    double algorithmBandwidth = 0; ///< bytes/s: S/time
    double busBandwidth = 0;       ///< bytes/s: nccl-tests' algorithm bandwidth times its factor for the operation
    Problems problems;             ///< ranks that can't reach each other
};

/// `bytes` as nccl-tests counts its size: the whole buffer that every rank ends with (all-gather), begins with
/// (reduce-scatter) or both (all-reduce, broadcast); what one rank sends in all (all-to-all) or to its peer (send-receive).
LoneCollective runLoneCollective(const Scenario& scenario, const std::vector<int>& ranks, CollectiveKind kind, double bytes);

/// The collective that nccl-tests calls so: all_reduce, all_gather, reduce_scatter, alltoall, sendrecv or broadcast.
std::optional<CollectiveKind> collectiveNamed(std::string_view name);

} // namespace orrery
