// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/network/transfers/flow_transfers.hpp"
#include "core/records/live/live_call.hpp"
#include "core/records/live/live_groups.hpp"
#include "core/scenario/scenario.hpp"
#include "core/training/job_traffic/job_traffic.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace orrery {

/// Calls of a live run as transfers over a scenario's drawn cluster. Ranks of the job sit on its accelerators in order. Groups made alike (the same
/// axis of other ranks) are at work at the same time as the one that is asked for: those that meet it on its hosts load the links with it.
class LiveNetwork {
public:
    LiveNetwork(const Scenario& scenario, const LiveGroups& groups) : traffic_(scenario), groups_(groups) {}

    /// The transfer of a call of `rank` on an axis (see LiveSlice); `peer` of a call between two is a rank of the job. Equal ones are one.
    TransferId transfer(int rank, std::uint32_t axis, const LiveCall& call, int peer);
    /// A model for all transfers that were asked for so far.
    FlowTransfers model();

private:
    using Key = std::tuple<int, std::uint32_t, std::uint8_t, std::uint64_t, int>;
    const TransferPattern& patternOf(int rank, std::uint32_t axis, const LiveCall& call, int peer);
    std::vector<std::vector<int>> alike(int rank, std::uint32_t axis) const;

    JobTraffic traffic_;
    const LiveGroups& groups_;
    std::map<Key, TransferId> known_;
    std::deque<TransferPattern> patterns_; ///< whose addresses stay
    std::vector<Transfer> transfers_;
};

} // namespace orrery
