// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_network.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace orrery {
namespace {

/// What a library runs for a call: a gather or scatter moves what an all-gather does to or from one rank, of which the pipelined broadcast is
/// the nearest pattern; a barrier is an all-reduce of one number, as NCCL's is (PyTorch, ProcessGroupNCCL::barrier).
CollectiveKind patternKind(CallKind kind) {
    switch (kind) {
    case CallKind::all_reduce:
    case CallKind::barrier: return CollectiveKind::all_reduce;
    case CallKind::all_gather: return CollectiveKind::all_gather;
    case CallKind::reduce_scatter: return CollectiveKind::reduce_scatter;
    case CallKind::all_to_all: return CollectiveKind::all_to_all;
    case CallKind::send:
    case CallKind::receive: return CollectiveKind::send_receive;
    default: return CollectiveKind::broadcast;
    }
}

constexpr double barrierBytes = 4;    ///< one float
constexpr std::size_t mostAlike = 64; ///< groups on the hosts of one; more than a host has accelerators do not occur

} // namespace

std::vector<std::vector<int>> LiveNetwork::alike(int rank, std::uint32_t axis) const {
    const std::uint32_t own = groups_.of(rank)[axis].group;
    std::vector<std::vector<int>> found{groups_.members(own)};
    if (found.front().size() == static_cast<std::size_t>(groups_.world())) return found;
    std::set<std::uint32_t> met{own};
    const Fabric& fabric = traffic_.fabric();
    // Groups of the rank's own host are enough: this one meets here every group of another host that meets it there.
    const std::uint32_t host = fabric.seat(rank).host;
    for (int other = fabric.firstRank(host); other < groups_.world() && other < fabric.ranks() && fabric.seat(other).host == host; ++other) {
        const auto& memberships = groups_.of(other);
        if (axis >= memberships.size() || !met.insert(memberships[axis].group).second || found.size() >= mostAlike) continue;
        const std::vector<int>& members = groups_.members(memberships[axis].group);
        if (members.size() == found.front().size()) found.push_back(members);
    }
    return found;
}

const TransferPattern& LiveNetwork::patternOf(int rank, std::uint32_t axis, const LiveCall& call, int peer) {
    const CollectiveKind kind = patternKind(call.kind);
    const double bytes = call.kind == CallKind::barrier ? barrierBytes : static_cast<double>(call.bytes);
    std::vector<std::vector<int>> lists;
    if (isPointToPoint(call.kind)) {
        const auto own = call.kind == CallKind::send ? std::vector<int>{rank, peer} : std::vector<int>{peer, rank};
        lists.push_back(own);
        // Neighbours on the host send to their own peers, as far away as this one's.
        const Fabric& fabric = traffic_.fabric();
        const std::uint32_t host = fabric.seat(own[0]).host;
        for (int other = fabric.firstRank(host); other < fabric.ranks() && fabric.seat(other).host == host && lists.size() < mostAlike; ++other) {
            const int to = other + own[1] - own[0];
            if (other == own[0] || other >= groups_.world() || to < 0 || to >= groups_.world() || fabric.seat(to).host == host) continue;
            lists.push_back({other, to});
        }
        if (fabric.seat(own[1]).host == host) lists.resize(1);
    } else {
        lists = alike(rank, axis);
    }
    TransferPattern merged = traffic_.lonePattern(lists.front(), kind, bytes).pattern;
    for (std::size_t i = 1; i < lists.size(); ++i) {
        TransferPattern other = traffic_.lonePattern(lists[i], kind, bytes).pattern;
        if (other.phases.size() != merged.phases.size()) continue;
        for (std::size_t phase = 0; phase < merged.phases.size(); ++phase) {
            auto& flows = merged.phases[phase].flows;
            flows.insert(flows.end(), other.phases[phase].flows.begin(), other.phases[phase].flows.end());
        }
    }
    patterns_.push_back(std::move(merged));
    return patterns_.back();
}

TransferId LiveNetwork::transfer(int rank, std::uint32_t axis, const LiveCall& call, int peer) {
    const auto kind = static_cast<std::uint8_t>(patternKind(call.kind));
    const auto [found, isNew] = known_.try_emplace({rank, axis, kind, call.bytes, peer}, static_cast<TransferId>(transfers_.size()));
    if (isNew) {
        const double bytes = call.kind == CallKind::barrier ? barrierBytes : static_cast<double>(call.bytes);
        transfers_.push_back({&patternOf(rank, axis, call, peer), bytes, 1});
    }
    return found->second;
}

FlowTransfers LiveNetwork::model() { return FlowTransfers(traffic_.fabric().capacities(), transfers_, traffic_.background()); }

} // namespace orrery
