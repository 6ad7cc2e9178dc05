// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/ranks/rank_record.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery {
namespace {

std::int64_t medianOf(std::vector<std::int64_t> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Which call each kernel of communication follows: the one that says it is its own, or the one in which it was launched.
class CollectiveCalls {
public:
    explicit CollectiveCalls(const KinetoTrace& trace) : trace_(trace) {
        for (const CollectiveCall& call : trace.collectiveCalls) {
            if (call.deviceEvent != CollectiveCall::noEvent) byEvent_[call.deviceEvent] = &call;
            else byStart_[{call.thread, call.when.start}] = &call;
        }
        if (!byStart_.empty())
            for (const HostCall& call : trace.runtimeCalls)
                if (call.correlation >= 0) launches_[call.correlation] = &call;
    }
    const CollectiveCall* of(std::uint32_t event) const {
        const std::vector<const CollectiveCall*> calls = around(event);
        return calls.empty() ? nullptr : calls.front();
    }
    /// The call that says who takes part: PyTorch says it on the operator around the one that names the collective.
    const CollectiveCall* withMembers(std::uint32_t event) const {
        const std::vector<const CollectiveCall*> calls = around(event);
        const auto found = std::find_if(calls.begin(), calls.end(), [](const CollectiveCall* call) { return call->members != CollectiveCall::noMembers || call->source >= 0 || call->target >= 0; });
        return found == calls.end() ? nullptr : *found;
    }

private:
    /// From within outwards; what the kernel itself says comes first.
    std::vector<const CollectiveCall*> around(std::uint32_t event) const {
        constexpr int mostLooked = 8; // calls before the launch that may be around it
        std::vector<const CollectiveCall*> calls;
        if (const auto own = byEvent_.find(event); own != byEvent_.end()) calls.push_back(own->second);
        const auto launch = launches_.find(trace_.device[event].correlation);
        if (launch == launches_.end()) return calls;
        const HostCall& by = *launch->second;
        auto after = byStart_.upper_bound({by.thread, by.when.start});
        for (int looked = 0; looked < mostLooked && after != byStart_.begin(); ++looked) {
            const CollectiveCall& call = *(--after)->second;
            if (call.thread != by.thread) break;
            if (by.when.start < call.when.end) calls.push_back(&call);
        }
        return calls;
    }

    const KinetoTrace& trace_;
    std::map<std::uint32_t, const CollectiveCall*> byEvent_;
    std::map<std::pair<std::uint32_t, std::int64_t>, const CollectiveCall*> byStart_; ///< by thread and start
    std::unordered_map<std::int64_t, const HostCall*> launches_;
};

/// Who takes part in what the call does; empty: not said.
std::vector<std::int64_t> membersOf(const CollectiveCall* call, CollectiveKind kind, const KinetoTrace& trace, std::optional<std::int64_t> rank) {
    if (call == nullptr) return {};
    if (kind != CollectiveKind::send_receive) return call->members == CollectiveCall::noMembers ? std::vector<std::int64_t>() : trace.memberLists[call->members];
    // One that says whom it sends to is its sender itself.
    const std::int64_t from = call->source >= 0 ? call->source : call->target >= 0 ? rank.value_or(-1)
                                                                                   : -1,
                       to = call->target >= 0 ? call->target : call->source >= 0 ? rank.value_or(-1)
                                                                                 : -1;
    return from < 0 || to < 0 || from == to ? std::vector<std::int64_t>() : std::vector<std::int64_t>{from, to};
}

CollectiveMessage messageOf(const CollectiveCall* call, const std::string& kernel, std::int64_t ranks, std::vector<std::int64_t> members) {
    if (call == nullptr || call->kind == CollectiveKind::none) return {collectiveCalled(kernel), -1, std::move(members)};
    const bool parts = call->kind == CollectiveKind::all_gather; // a rank gives its part of the buffer
    const std::int64_t bytes = call->inputBytes < 0 || (parts && ranks < 1) ? -1 : parts ? call->inputBytes * ranks
                                                                                         : call->inputBytes;
    return {call->kind, bytes, std::move(members)};
}

} // namespace

std::vector<std::uint32_t> communicationOrder(const KinetoTrace& trace) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < trace.device.size(); ++i)
        if (trace.device[i].communication) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return trace.device[a].when.start < trace.device[b].when.start; });
    return order;
}

RankRecord recordOf(const KinetoTrace& trace, std::string file, std::optional<std::int64_t> rank) {
    RankRecord record;
    record.file = std::move(file);
    record.rank = rank ? rank : trace.rank;
    record.worldSize = trace.worldSize;
    constexpr std::int64_t mostRanks = 1 << 20;
    const CollectiveCalls calls(trace);
    for (const std::uint32_t index : communicationOrder(trace)) {
        record.collectives.push_back(trace.device[index].when);
        const std::uint32_t name = trace.device[index].name;
        const std::string kernel = name < trace.names.size() ? trace.names[name] : std::string();
        const CollectiveCall* const call = calls.of(index);
        const CollectiveKind kind = call == nullptr || call->kind == CollectiveKind::none ? collectiveCalled(kernel) : call->kind;
        std::vector<std::int64_t> members = membersOf(calls.withMembers(index), kind, trace, record.rank);
        const auto ranks = members.empty() ? std::min(mostRanks, trace.worldSize.value_or(0)) : static_cast<std::int64_t>(members.size());
        record.messages.push_back(messageOf(call, kernel, ranks, std::move(members)));
    }
    if (trace.device.empty()) return record;
    record.device = trace.device.front().when;
    for (const DeviceEvent& event : trace.device) {
        record.device.start = std::min(record.device.start, event.when.start);
        record.device.end = std::max(record.device.end, event.when.end);
    }
    return record;
}

bool RankRecord::namesMembers() const {
    return std::any_of(messages.begin(), messages.end(), [](const CollectiveMessage& message) { return !message.members.empty(); });
}

std::int64_t clockDifference(std::vector<std::int64_t> differences) {
    constexpr std::int64_t oneClock = 50'000; // ns; ranks of one machine leave a collective within some microseconds of each other
    const std::int64_t difference = medianOf(std::move(differences));
    return std::abs(difference) <= oneClock ? 0 : difference;
}

std::vector<std::int64_t> clockOffsets(const std::vector<RankRecord>& records) {
    std::vector<std::int64_t> offsets(records.size(), 0);
    const std::size_t count = records.empty() ? 0 : records.front().collectives.size();
    if (count == 0) return offsets;
    std::vector<std::vector<std::int64_t>> differences(records.size());
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::int64_t> ends;
        ends.reserve(records.size());
        for (const RankRecord& record : records) ends.push_back(record.collectives[k].end);
        const std::int64_t middle = medianOf(ends);
        for (std::size_t r = 0; r < records.size(); ++r) differences[r].push_back(ends[r] - middle);
    }
    for (std::size_t r = 0; r < records.size(); ++r) {
        offsets[r] = clockDifference(std::move(differences[r]));
    }
    return offsets;
}

RankRecord shifted(RankRecord record, std::int64_t offset) {
    for (Interval& when : record.collectives) when = {when.start - offset, when.end - offset};
    record.device = {record.device.start - offset, record.device.end - offset};
    return record;
}

} // namespace orrery
